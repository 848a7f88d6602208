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

/// The routes between the hosts of a platform, computed when a flow first needs them.
///
/// Hosts 0 to n - 1 are the ranks; host n + r is the memory that rank r copies to and from.
///
/// Each route begins with a private link of unlimited bandwidth. SimGrid 3.32 recomputes only the
/// links that a change affects: when a flow's latency has elapsed, it marks the flow's first link
/// and, from there, every link that shares a flow with a marked one. If another flow that began at
/// the same instant has already marked that first link, the search ends there: the flow's other
/// links keep their old shares and carry more than their bandwidth. A private first link is never
/// marked before.
class HostRoutes {
 public:
  /// Adds the links to `zone`. Both must outlive this.
  HostRoutes(const TransferPaths& paths, simgrid::s4u::NetZone& zone);
  HostRoutes(const HostRoutes&) = delete;
  HostRoutes& operator=(const HostRoutes&) = delete;
  ~HostRoutes();

  /// The reference stays valid.
  [[nodiscard]] const HostRoute& between(unsigned long from, unsigned long to);
  /// The sum of the current rates of a link's flows.
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
