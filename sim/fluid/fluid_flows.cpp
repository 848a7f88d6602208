#include "sim/fluid/fluid_flows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ringcast {

FluidFlows::FluidFlows(const std::vector<BytesPerSecond>& bandwidths, std::vector<FlowRoute> routes)
    : shares_{bandwidths, std::move(routes)}, flows_(shares_.size()), ends_{shares_.size()} {}

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
  ends_.erase(index);
}

void FluidFlows::set_rate(int index, double rate, Seconds now) {
  Flow& flow = at(index);
  flow.remaining -= flow.rate * (now - flow.since).count();
  flow.remaining = std::max(flow.remaining, 0.0);
  flow.since = now;
  flow.rate = rate;
  ends_.set(index, now + Seconds{flow.remaining / rate});
}

void FluidFlows::share(Seconds now) {
  for (const int flow : shares_.share()) {
    set_rate(flow, shares_.rate(flow), now);
  }
}

Seconds FluidFlows::next_end() const {
  return ends_.empty() ? Seconds{std::numeric_limits<double>::infinity()} : ends_.first_time();
}

int FluidFlows::pop_ended(Seconds now) {
  if (next_end() > now) {
    return -1;
  }
  const int flow = ends_.first();
  remove(flow);
  return flow;
}

}  // namespace ringcast
