#include "sim/fluid_flows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ringcast {

FluidFlows::FluidFlows(std::vector<BytesPerSecond> bandwidths, std::vector<FlowRoute> routes)
    : shares_{std::move(bandwidths), std::move(routes)}, flows_(shares_.size()) {}

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
  ends_.push({flow.end, flow.stamp, index});
}

void FluidFlows::share(Seconds now) {
  for (const int flow : shares_.share()) {
    set_rate(flow, shares_.rate(flow), now);
  }
}

Seconds FluidFlows::next_end() {
  while (!ends_.empty() && at(ends_.top().flow).stamp != ends_.top().stamp) {
    ends_.pop();
  }
  return ends_.empty() ? Seconds{std::numeric_limits<double>::infinity()} : ends_.top().time;
}

int FluidFlows::pop_ended(Seconds now) {
  if (next_end() > now) {
    return -1;
  }
  const int flow = ends_.top().flow;
  ends_.pop();
  remove(flow);
  return flow;
}

}  // namespace ringcast
