#include "sim/fluid/fluid_flows.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace ringcast {

FluidFlows::FluidFlows(const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute> routes)
    : shares_{bandwidths, std::move(routes)}, flows_(shares_.size()) {}

void FluidFlows::start(int index, Bytes bytes, BytesPerSecond limit, Seconds now) {
  shares_.add(index, limit);
  Flow& flow = at(index);
  flow.remaining = static_cast<double>(bytes.count());
  flow.rate = 0;
  flow.since = now;
}

void FluidFlows::stop(int index) {
  if (shares_.is_active(index)) {
    remove(index);
  }
}

void FluidFlows::remove(int index) {
  shares_.remove(index);
  at(index).stamp = 0;
}

void FluidFlows::set_rate(int index, double rate, Seconds now) {
  Flow& flow = at(index);
  flow.remaining -= flow.rate * (now - flow.since).count();
  flow.remaining = std::max(flow.remaining, 0.0);
  flow.since = now;
  flow.rate = rate;
  flow.stamp = ++stamps_;
  flow.end = now + Seconds{flow.remaining / rate};
  push_end({flow.end, flow.stamp, index});
}

void FluidFlows::push_end(const End& end) {
  constexpr std::size_t most_per_flow = 4;
  if (ends_.size() > most_per_flow * flows_.size()) {
    std::erase_if(ends_, [&](const End& each) { return !is_valid(each); });
    std::ranges::make_heap(ends_, std::greater<>{});
  }
  ends_.push_back(end);
  std::ranges::push_heap(ends_, std::greater<>{});
}

void FluidFlows::drop_first_end() {
  std::ranges::pop_heap(ends_, std::greater<>{});
  ends_.pop_back();
}

void FluidFlows::share(Seconds now) {
  for (const int flow : shares_.share()) {
    set_rate(flow, shares_.rate(flow), now);
  }
}

Seconds FluidFlows::next_end() {
  while (!ends_.empty() && !is_valid(ends_.front())) {
    drop_first_end();
  }
  return ends_.empty() ? Seconds{std::numeric_limits<double>::infinity()} : ends_.front().time;
}

int FluidFlows::pop_ended(Seconds now) {
  if (next_end() > now) {
    return -1;
  }
  const int flow = ends_.front().flow;
  drop_first_end();
  remove(flow);
  return flow;
}

}  // namespace ringcast
