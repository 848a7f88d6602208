#include "sim/simgrid/capacity_check.hpp"

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "sim/model/sim_processor.hpp"

namespace ringcast {
namespace {

// Relative. Shares are sums and quotients of rates: 2,000 flows of a link round to much less.
constexpr double rounding = 1e-9;

}  // namespace

CapacityCheck::CapacityCheck(const Topology& topology, std::function<BytesPerSecond(LinkId)> load)
    : topology_{&topology}, load_{std::move(load)} {}

void CapacityCheck::flow_joins(const Leg& leg, Seconds at) {
  joins_.push({at, &leg});
}

void CapacityCheck::time_advanced(Seconds now) {
  while (!joins_.empty() && joins_.top().at <= now_ + clock_precision) {
    check(*joins_.top().leg);
    joins_.pop();
  }
  now_ = now;
}

void CapacityCheck::check(const Leg& leg) {
  for (const LinkId link : leg.links) {
    const BytesPerSecond load = load_(link);
    const BytesPerSecond rate = topology_->links()[index_of(link)].bandwidth;
    if (load.value() > rate.value() * (1 + rounding) && violation_.empty()) {
      violation_ = fmt::format("{} carried {} at {}, more than its {}", topology_->name_of(link),
                               to_text(load), to_text(now_), to_text(rate));
    }
  }
}

void CapacityCheck::expect_kept() const {
  expect(violation_.empty(), "{}", violation_);
}

}  // namespace ringcast
