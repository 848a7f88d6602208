#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "topology/transfers/transfer_path.hpp"

namespace simgrid::s4u {
class Link;
class NetZone;
}  // namespace simgrid::s4u

namespace ringcast {

/// The links that a flow between two hosts crosses.
struct HostRoute {
  const TransferPath* path = nullptr;  // of a message; null: a local copy
  Leg copy = {};                       // its leg
  std::vector<simgrid::s4u::Link*> links = {};
  [[nodiscard]] const Leg& leg() const { return path != nullptr ? path->main : copy; }
};

/// The routes between the hosts of a platform, made when a flow first needs them.
///
/// The hosts 0 to n - 1 are the ranks; n + r is the memory that rank r copies to and from.
///
/// Each route begins with a link of its own, which limits nothing. SimGrid 3.32 solves only for the
/// links that a change affects: when a flow's latency has passed, it marks the flow's first link,
/// and from there every link that shares a flow with a marked one. If another flow that began at
/// this very instant had that first link marked before, the search ends there, the flow's other
/// links keep their old shares, and they carry more than their rates. A first link that no other
/// flow crosses is never marked before.
class HostRoutes {
 public:
  /// Adds the links to `zone`. Both must outlive this.
  HostRoutes(const TransferPaths& paths, simgrid::s4u::NetZone& zone);
  HostRoutes(const HostRoutes&) = delete;
  HostRoutes& operator=(const HostRoutes&) = delete;
  ~HostRoutes();

  /// The reference stays valid.
  [[nodiscard]] const HostRoute& between(unsigned long from, unsigned long to);
  /// Bytes per second that the flows of a link have together at this moment.
  [[nodiscard]] BytesPerSecond load_of(LinkId link) const;

 private:
  class OwnLinks;
  [[nodiscard]] HostRoute find(unsigned long from, unsigned long to);

  const TransferPaths* paths_;
  std::vector<simgrid::s4u::Link*> links_;  // by LinkId
  std::map<BytesPerSecond, simgrid::s4u::Link*> limits_;
  std::unique_ptr<OwnLinks> own_links_;
  std::unordered_map<std::uint64_t, HostRoute> routes_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  const HostRoute* last_ = nullptr;
};

}  // namespace ringcast
