// Folded jobs and jobs without SimGrid against SimGrid on all ranks, on random machines.
#include "sim/folding/folding.hpp"

#include <gtest/gtest.h>

#include "app/predict/time_range.hpp"
#include "sim/fluid/fluid_transport.hpp"
#include "sim/model/sim_processor.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/random_job_runs.hpp"

namespace ringcast {
namespace {

using testing::for_each_job;
using testing::irregular;
using testing::options_of;
using testing::RandomJob;
using testing::RandomJobs;
using testing::seeds;
using testing::simulated_by_simgrid;

struct Evaluated {
  Seconds time{0};
  int classes = 0;
  std::uint64_t messages = 0;
  Bytes bytes{};
};

Evaluated evaluated(const Topology& topology, const RandomJob& job, bool fold) {
  const SimOptions options = options_of(topology, job);
  const TransferPaths paths{topology, job.profile,
                            places_of_job(topology, job.ranks, job.profile, options.hosts)};
  const Folding folding{paths, job.ranks, dry_run(paths.ranks(), Reduction{}, job.program()),
                        fold ? Symmetry::exact : Symmetry::none};
  FluidTransport transport{paths, job.ranks, folding.job(), Reduction{}, options};
  transport.run(job.program());
  Evaluated result{transport.time(), folding.classes()};
  for (const PairTraffic& pair : folding.traffic(transport.traffic())) {
    result.messages += pair.messages;
    result.bytes += pair.bytes;
  }
  return result;
}

/// The part of its time by which delays change it, as find_time_ranges() has it.
double range_of(double time, const std::vector<double>& delayed) {
  const auto [least, most] = std::ranges::minmax(delayed);
  return (std::max(time, most) - std::min(time, least)) / time;
}

const auto regular = [](RandomJobs& jobs) { return jobs.regular(); };
const auto changed = [](RandomJobs& jobs) { return jobs.with_a_changed_cable(); };
const auto late = [](RandomJobs& jobs) { return jobs.with_a_straggler(); };
const auto in_switch = [](RandomJobs& jobs) { return jobs.in_switch(); };
const auto reducing_first = [](RandomJobs& jobs) { return jobs.reducing_first(); };
const auto swapped = [](RandomJobs& jobs) { return jobs.with_a_swapped_pair(); };

void expect_folded_as_whole(const Topology& topology, const RandomJob& job) {
  const Evaluated whole = evaluated(topology, job, false);
  const Evaluated folded = evaluated(topology, job, true);

  EXPECT_NEAR(folded.time / whole.time, 1, 1e-9);
  EXPECT_EQ(folded.messages, whole.messages);
  EXPECT_EQ(folded.bytes, whole.bytes);
  EXPECT_EQ(whole.classes, job.ranks + static_cast<int>(job.hosts(topology).size()));
}

void expect_as_simgrid(const Topology& topology, const RandomJob& job) {
  const Seconds time = evaluated(topology, job, true).time;
  const double simgrid = simulated_by_simgrid(topology, job);
  const double difference = std::abs(time.count() / simgrid - 1);
  if (difference <= 1e-9) {
    return;
  }
  // Rounding is a delay too: where delays change the first digits, it changes later ones. The order
  // of what happens at one time is another: then delays move SimGrid's own time.
  std::vector<double> delayed;
  for (std::uint64_t seed = 1; seed <= delayed_simulations; ++seed) {
    delayed.push_back(simulated_by_simgrid(topology, job, seed));
  }
  // Without the time that is checked: it would be part of its own tolerance.
  const double range = range_of(simgrid, delayed);
  // Where they change later ones only, SimGrid's rounding of events does as its part of a delay.
  const double rounding = clock_precision / most_delay;
  const double most = 2 * range;
  EXPECT_LT(difference, range > least_range ? most : rounding * most)
      << time.count() << " and " << simgrid;
}

/// Checks the jobs; returns how many of them have fewer classes than GPUs.
template <typename Make>
int folded_jobs(unsigned count, const Make& make) {
  int folded = 0;
  for_each_job(count, make, [&](const Topology& topology, const RandomJob& job) {
    expect_folded_as_whole(topology, job);
    folded += evaluated(topology, job, true).classes < job.ranks ? 1 : 0;
  });
  return folded;
}

TEST(Folding, GivesTheTimeOfAllRanks) {
  EXPECT_GT(folded_jobs(seeds(60), regular), 15);  // else this tests little
}

TEST(Folding, IsNeverWrongWhereACableDiffers) {
  for_each_job(seeds(20, irregular), changed, expect_folded_as_whole);
}

TEST(Folding, IsNeverWrongWhereTwoRanksHaveChangedPlaces) {
  for_each_job(seeds(20, irregular), swapped, expect_folded_as_whole);
}

TEST(Folding, IsNeverWrongWhereARankIsLate) {
  for_each_job(seeds(20, irregular), late, expect_folded_as_whole);
}

// The ranks of a node are alike, and the parts of its switch, if their NICs are.
TEST(Folding, IsNeverWrongWhereSwitchesAdd) {
  EXPECT_GT(folded_jobs(seeds(20, irregular), in_switch), 5);  // else this tests little
}

TEST(Folding, IsNeverWrongWhereTreesReduceFirst) {
  for_each_job(seeds(20, irregular), reducing_first, expect_folded_as_whole);
}

TEST(FluidTransport, AgreesWithSimGrid) {
  for_each_job(seeds(12), regular, expect_as_simgrid);
}

TEST(FluidTransport, AgreesWithSimGridWhereTreesReduceFirst) {
  for_each_job(seeds(6, irregular), reducing_first, expect_as_simgrid);
}

TEST(FluidTransport, AgreesWithSimGridWhereRanksHaveChangedPlaces) {
  for_each_job(seeds(6, irregular), swapped, expect_as_simgrid);
}

TEST(FluidTransport, AgreesWithSimGridWhereARankIsLate) {
  for_each_job(seeds(6, irregular), late, expect_as_simgrid);
}

TEST(FluidTransport, AgreesWithSimGridWhereSwitchesAdd) {
  for_each_job(seeds(6, irregular), in_switch, expect_as_simgrid);
}

TEST(FluidTransport, AgreesWithSimGridWhereACableDiffers) {
  for_each_job(seeds(6, irregular), changed, expect_as_simgrid);
}

// GPUs on equal cables to one switch differ in nothing: one of them stands for all. With the chunk
// c = S/n, each of the 2(n-1) steps takes the latency of two cables and c/b.
TEST(Folding, MakesOneRankOfAStar) {
  for (const int ranks : {2, 3, 64, 1024}) {
    const Topology topology{testing::star(ranks, 10_GBps, 1_us)};
    const TransportProfile profile = testing::free_of_cost();
    const TransferPaths paths{topology, profile, places_of_ranks(topology, ranks, profile)};
    const std::uint64_t chunk = 4096;
    const RankProgram program =
        testing::ring_program(ranks, chunk / 4 * static_cast<std::uint64_t>(ranks));
    const Folding folding{paths, ranks, dry_run(ranks, Reduction{}, program), Symmetry::exact};
    FluidTransport transport{paths, ranks, folding.job(), Reduction{}, {}};

    transport.run(program);

    const double step = 2e-6 + static_cast<double>(chunk) / 10e9;
    EXPECT_EQ(folding.classes(), 1);
    EXPECT_NEAR(transport.time().count() / (2 * (ranks - 1) * step), 1, 1e-12) << ranks;
    EXPECT_EQ(transport.traffic().front().messages, static_cast<std::uint64_t>(2 * (ranks - 1)));
  }
}

// Each cable carries one message at a time, in each direction: alone or not, at 10 GB/s.
TEST(Folding, BoundsTheRatesOfAStar) {
  const Topology topology{testing::star(4, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 4, profile)};
  const Folding folding{paths, 4, dry_run(4, Reduction{}, testing::ring_program(4, 1600)),
                        Symmetry::exact};

  const RateBounds bounds = folding.rate_bounds();

  EXPECT_EQ(bounds.most, std::vector{10_GBps});
  EXPECT_TRUE(bounds.meet());
}

// One cable of another rate: every rank is told apart by its distance from there.
TEST(Folding, KeepsAllRanksOfAStarWithOneSlowCable) {
  Cluster cluster = testing::star(16, 10_GBps, 1_us);
  cluster.cables[5].bandwidth = 9_GBps;
  const Topology topology{cluster};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 16, profile)};

  const Folding folding{paths, 16, dry_run(16, Reduction{}, testing::ring_program(16, 1600)),
                        Symmetry::exact};

  EXPECT_EQ(folding.classes(), 16);
}

// Two nodes of four. Channel c enters each node at its GPU c and goes round it, so each rank is
// once at each place of a chain; and what a node is in one tree of a channel the other is in the
// other.
TEST(Folding, MakesOneRankOfTreesWhoseChannelsTakeTurns) {
  const Topology topology{testing::star(8, 10_GBps, 1_us)};
  const TransportProfile profile = testing::free_of_cost();
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 8, profile)};
  CollectiveOptions options{{}, 4_KiB, {0, 0, 0, 0, 1, 1, 1, 1}};
  for (int c = 0; c < 4; ++c) {
    std::vector<Rank> order;
    for (int i = 0; i < 8; ++i) {
      order.push_back(Rank{i - i % 4 + (i + c) % 4});
    }
    options.channels.emplace_back(order);
  }
  const RankProgram program = [&](RankContext& self) {
    const Bytes size = 1_MiB;
    make_allreduce("tree", options)->run({self.memory.allocate(size), size.count() / 4}, self);
  };

  EXPECT_EQ(Folding(paths, 8, dry_run(8, Reduction{}, program), Symmetry::exact).classes(), 1);
}

// A ring of 16 has a stream for each rank.
TEST(DryRun, RefusesMoreStreamsThanItMayKeep) {
  const RankProgram ring = testing::ring_program(16, 1600);

  EXPECT_EQ(dry_run(16, Reduction{}, ring, 16).streams.size(), 16);
  try {
    static_cast<void>(dry_run(16, Reduction{}, ring, 15));
    FAIL() << "15 streams were enough";
  } catch (const ScenarioError& error) {
    EXPECT_EQ(std::string{error.what()},
              "more than 15 connections between ranks are too many for the free memory (expected "
              "an algorithm in which each rank has few peers, or fewer ranks)");
  }
}

TEST(DryRun, SaysHowManyRanksAreRecorded) {
  std::vector<double> parts;
  static_cast<void>(dry_run(4, Reduction{}, testing::ring_program(4, 400), 4,
                            [&](double part) { parts.push_back(part); }));

  EXPECT_EQ(parts, (std::vector{0.25, 0.5, 0.75, 1.0}));
}

// 1,024 ranks that send to each other: seen from the first that are looked at, without the rest.
TEST(DryRun, RefusesRanksWithTooManyPeersAtOnce) {
  std::vector<int> looked_at;
  const RankProgram program = [&](RankContext& self) {
    looked_at.push_back(index_of(self.network.rank()));
    make_allreduce("all-to-all", {{RingOrder::identity(1024)}, std::nullopt})
        ->run({self.memory.allocate(4096_B), 1024}, self);
  };

  EXPECT_THROW(static_cast<void>(dry_run(1024, Reduction{}, program, 1'000'000)), ScenarioError);
  ASSERT_EQ(looked_at.size(), 16);
  EXPECT_EQ(looked_at.back(), 15 * 64 + 15);
}

}  // namespace
}  // namespace ringcast
