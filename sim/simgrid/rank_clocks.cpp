#include "sim/simgrid/rank_clocks.hpp"

#include <algorithm>

#include <simgrid/s4u.hpp>

#include "sim/model/sim_processor.hpp"

namespace ringcast {
namespace {

namespace s4u = simgrid::s4u;

std::size_t this_actor() {
  return static_cast<std::size_t>(s4u::this_actor::get_pid());
}
Seconds simulation() {
  return Seconds{s4u::Engine::get_clock()};
}

}  // namespace

Seconds RankClocks::now() const {
  const std::size_t actor = this_actor();
  return actor < times_.size() ? std::max(times_[actor], simulation()) : simulation();
}

void RankClocks::advance_to(Seconds time) {
  const std::size_t actor = this_actor();
  if (actor >= times_.size()) times_.resize(actor + 1, Seconds{0});
  times_[actor] = std::max(times_[actor], time);
}

void RankClocks::catch_up() const {
  const Seconds own = now();
  // SimGrid takes less as no time, and says so.
  if (own > simulation() + clock_precision) s4u::this_actor::sleep_until(own.count());
}

void RankClocks::sleep(Seconds duration) {
  advance_by(duration);
  catch_up();
}

}  // namespace ringcast
