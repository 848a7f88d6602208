#pragma once

#include <span>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// How often a flow crosses a link: it takes that many shares of its bandwidth. In a folded job,
/// the number of flows of one class that cross each link of another.
struct Crossing {
  int link;
  int times;

  friend auto operator<=>(const Crossing&, const Crossing&) = default;
};

/// The links of one flow, each once, and the flow's own limit (zero: none).
struct FlowRoute {
  std::vector<Crossing> crossings;
  BytesPerSecond limit{0};
};

/// The routes of flows in contiguous memory: there may be millions.
class FlowRoutes {
 public:
  FlowRoutes() = default;
  explicit FlowRoutes(const std::vector<FlowRoute>& routes);

  void reserve(std::size_t flows, std::size_t crossings);
  /// Appends a flow over these links; a link that it crosses several times is repeated.
  template <typename Links>
  void add(const Links& links, BytesPerSecond limit) {
    for (const auto link : links) {
      cross(static_cast<int>(link));
    }
    end(limit);
  }

  [[nodiscard]] std::size_t size() const { return limits_.size(); }
  [[nodiscard]] std::span<const Crossing> crossings(std::size_t flow) const {
    return std::span{crossings_}.subspan(ends_[flow], ends_[flow + 1] - ends_[flow]);
  }
  [[nodiscard]] BytesPerSecond limit(std::size_t flow) const { return limits_[flow]; }
  void lower_limit(std::size_t flow, BytesPerSecond limit);
  /// Removes all crossings of the links that are true. `links`: by link.
  void drop(const std::vector<bool>& links);

 private:
  void cross(int link);
  void end(BytesPerSecond limit);

  std::vector<Crossing> crossings_;
  std::vector<std::size_t> ends_{0};  // of the crossings of each flow, behind a zero
  std::vector<BytesPerSecond> limits_;
};

/// Removes the crossings of links that never decide a rate, and lowers the limits of flows instead.
/// Each flow's limit is at most the bandwidth of each of its links, divided by its crossings. Then
///   - a link is never full if its bandwidth is at least the sum of its flows' limits, so in
///     particular if it has one flow only;
///   - a link is never full before another one that all its flows cross, too, if each flow takes at
///     least as large a part of that one. Of links with the same flows the slowest remains.
/// Where no two streams share a link, no rates have to be computed.
[[nodiscard]] FlowRoutes over_contended_links(const std::vector<BytesPerSecond>& bandwidths,
                                              FlowRoutes routes);

}  // namespace ringcast
