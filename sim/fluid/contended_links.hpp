#pragma once

#include <span>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// A flow crosses a link so many times: it takes that many shares of its bandwidth. In a folded job
/// it is the number of flows of one class over each link of a class.
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

/// The routes of flows, in one piece of memory: there may be millions.
class FlowRoutes {
 public:
  FlowRoutes() = default;
  explicit FlowRoutes(const std::vector<FlowRoute>& routes);

  void reserve(std::size_t flows, std::size_t crossings);
  /// A flow over these links, any of them repeated if it crosses it several times.
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
  /// By link.
  void drop(const std::vector<bool>& links);

 private:
  void cross(int link);
  void end(BytesPerSecond limit);

  std::vector<Crossing> crossings_;
  std::vector<std::size_t> ends_{0};  // of the crossings of each flow, behind a zero
  std::vector<BytesPerSecond> limits_;
};

/// Leaves the crossings of links for which flows compete, and lets the limits do for the others:
///   - A link whose flows fit into it together can never be full. So one flow alone on a link has
///     its bandwidth as a limit.
///   - A link cannot be full before another that all its flows cross too, if each takes as large a
///     part of that one: of links with the same flows the slowest stays.
/// Then no rate is computed where no two streams meet on a link.
[[nodiscard]] FlowRoutes over_contended_links(const std::vector<BytesPerSecond>& bandwidths,
                                              FlowRoutes routes);

}  // namespace ringcast
