#pragma once

#include <cstdlib>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "sim/simgrid/sim_transport.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/random_jobs.hpp"

/// Runs of random jobs by tests.
namespace ringcast::testing {

inline SimOptions options_of(const Topology& topology, const RandomJob& job) {
  SimOptions options;
  options.buffer = job.size;
  options.hosts = job.hosts(topology);
  return options;
}

inline double simulated_by_simgrid(const Topology& topology, const RandomJob& job,
                                   std::optional<std::uint64_t> delay_seed = {}) {
  return number_from_fork([&] {
    SimOptions options = options_of(topology, job);
    options.delay_seed = delay_seed;
    SimTransport transport{topology, job.ranks, job.profile, Reduction{}, options};
    transport.run(job.program());
    return transport.report().time.count();
  });
}

/// As many seeds as RINGCAST_RANDOM_JOBS says, or `each_time`: each is one machine and one job. Of
/// jobs with one irregularity a third as many.
inline unsigned seeds(unsigned each_time, bool is_irregular = false) {
  const char* const asked_for = std::getenv("RINGCAST_RANDOM_JOBS");
  const unsigned all = asked_for == nullptr ? 0 : static_cast<unsigned>(std::stoul(asked_for));
  return asked_for == nullptr ? each_time : all / (is_irregular ? 3 : 1);
}
inline constexpr bool irregular = true;

/// The jobs of `make` that a machine can be built for, from so many seeds.
template <typename Make, typename Check>
void for_each_job(unsigned count, const Make& make, const Check& check) {
  for (unsigned seed = 0; seed < count; ++seed) {
    RandomJobs jobs{seed};
    const RandomJob job = make(jobs);
    std::optional<Topology> topology;
    try {
      topology.emplace(job.topology());
    } catch (const ScenarioError&) {
      continue;  // a fat tree of too few ports
    }
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, job.text));
    check(*topology, job);
  }
}

}  // namespace ringcast::testing
