// What releases since 2.30 do otherwise.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/nccl/nccl_chunks.hpp"
#include "topology/nccl/nccl_search.hpp"

namespace ringcast {
namespace {

NcclMachine nodes_of_b200(int nodes, int per_node, double nic) {
  NcclMachine machine = eight_h100();
  machine.gpus.generation = GpuGeneration::blackwell;
  machine.nodes = nodes;
  machine.ranks = nodes * per_node;
  machine.in_node = BytesPerSecond{722e9};
  machine.between = BytesPerSecond{nic * per_node};
  machine.near_nics = true;
  machine.search.rings = 8;
  return machine;
}

/// The bytes of a head in a loop: of all channels, from the number of steps, one for each head.
double loop_of_a_head(const NcclMachine& machine) {
  const BytesPerSecond any{100e9};
  const auto pipeline = detail::switched_pipeline(machine, 16_GiB, any, any, "");
  const int heads = std::min(machine.heads(), 32);
  return 16.0 * (1 << 30) / (pipeline.steps / heads) / heads;
}

// The channels and chunks of ncclNvlsTreeSm100Tuning(); other NICs keep 32 and 128 KiB, or 64 KiB
// from four nodes on.
TEST(NcclNewerReleases, FitSumsInSwitchesToTheNics) {
  constexpr double kib = 1024;
  struct Expected {
    int nodes;
    int per_node;
    double nic;
    int channels;
    int chunk_kib;
  };
  for (const auto& [nodes, per_node, nic, channels, chunk_kib] :
       {Expected{2, 8, 48e9, 32, 64}, Expected{2, 4, 48e9, 32, 256}, Expected{2, 12, 48e9, 32, 128},
        Expected{2, 16, 48e9, 32, 64}, Expected{3, 8, 48e9, 24, 64}, Expected{2, 4, 96e9, 32, 256},
        Expected{2, 8, 96e9, 32, 128}, Expected{2, 16, 96e9, 32, 64}, Expected{4, 8, 96e9, 24, 256},
        Expected{4, 16, 96e9, 32, 128}, Expected{4, 72, 96e9, 32, 64},
        Expected{2, 8, 24e9, 32, 128}, Expected{4, 8, 24e9, 32, 64}}) {
    EXPECT_NEAR(loop_of_a_head(nodes_of_b200(nodes, per_node, nic)), channels * chunk_kib * kib, 1)
        << nodes << " nodes of " << per_node << ", " << nic;
  }
  NcclMachine machine = nodes_of_b200(2, 8, 48e9);
  machine.near_nics = false;
  EXPECT_NEAR(loop_of_a_head(machine), 32 * 128 * kib, 1);
  machine.nodes = 3;
  machine.ranks = 24;
  EXPECT_NEAR(loop_of_a_head(machine), 24 * 128 * kib, 1);
  machine = nodes_of_b200(2, 8, 48e9);
  machine.version = {2, 29};
  EXPECT_NEAR(loop_of_a_head(machine), 32 * 128 * kib, 1);
  machine = nodes_of_b200(2, 8, 48e9);
  machine.gpus.generation = GpuGeneration::hopper;
  EXPECT_NEAR(loop_of_a_head(machine), 16 * 128 * kib, 1);
}

// 32 channels x 4 heads x 256 KiB are 32 MiB; chunks are halved below 16 and 4 loops.
TEST(NcclNewerReleases, ShortenChunksOf256KiB) {
  const auto steps = [](Bytes size) {
    const BytesPerSecond any{100e9};
    return detail::switched_pipeline(nodes_of_b200(2, 4, 96e9), size, any, any, "").steps;
  };
  EXPECT_NEAR(steps(512_MiB), 4 * 512 / 32.0, 1e-9);
  EXPECT_NEAR(steps(256_MiB), 4 * 256 / 16.0, 1e-9);
  EXPECT_NEAR(steps(32_MiB), 4 * 32 / 8.0, 1e-9);
}

TEST(NcclNewerReleases, GiveRubinMoreChannelsInSwitches) {
  NcclMachine machine = nodes_of_b200(1, 8, 0);
  EXPECT_EQ(machine.switch_buffers().channels, 24);
  machine.gpus.rubin = true;
  EXPECT_EQ(machine.switch_buffers().channels, 48);
  machine = nodes_of_b200(2, 8, 24e9);
  EXPECT_EQ(machine.switch_buffers().channels, 32);
  machine.gpus.rubin = true;
  EXPECT_EQ(machine.switch_buffers().channels, 64);
  machine.between = BytesPerSecond{8 * 96e9};
  EXPECT_EQ(machine.switch_buffers().channels, 32);
}

// A ring of Simple has 8.4 us and 3.4 us for each step on NVLinks, 0.4 of it more on Blackwell
// since 2.32: 3/4 of that with the two steps of two ranks, which are one after the first, and 0.3
// instead where each message of 16 channels has 512 KiB.
TEST(NcclNewerReleases, ExpectAPlateauOfRingsOnBlackwell) {
  const auto more = [](int ranks, Bytes size, GpuGeneration generation) {
    NcclMachine machine = nodes_of_b200(1, ranks, 0);
    machine.gpus.generation = generation;
    const auto estimate = [&](NcclVersion version) {
      machine.version = version;
      return 1e6 * simple_of(machine, size, "ring").estimate.count();
    };
    return estimate({2, 32}) - estimate({2, 31});
  };
  const double of_eight = 8.4 + 14 * 3.4;
  EXPECT_NEAR(more(8, Bytes{16 * 8 * 64}, GpuGeneration::blackwell), 0.4 * of_eight, 1e-5);
  EXPECT_NEAR(more(8, 32_MiB, GpuGeneration::blackwell), 0.4 * of_eight, 1e-5);
  EXPECT_NEAR(more(8, 48_MiB, GpuGeneration::blackwell), 0.35 * of_eight, 1e-5);
  EXPECT_NEAR(more(8, 1_GiB, GpuGeneration::blackwell), 0.3 * of_eight, 1e-5);
  EXPECT_NEAR(more(2, 1_MiB, GpuGeneration::blackwell), 0.3 * (8.4 + 2 * 3.4), 1e-9);
  EXPECT_NEAR(more(8, Bytes{16 * 8 * 64 - 4}, GpuGeneration::blackwell), 0, 1e-9);
  EXPECT_NEAR(more(8, 32_MiB, GpuGeneration::hopper), 0, 1e-9);
}

TEST(NcclNewerReleases, TryMoreRates) {
  const auto has = [](int nodes, NcclVersion version, double rate) {
    NcclMachine machine = nodes_of_b200(nodes, 8, 48e9);
    machine.version = version;
    const detail::SearchRates rates = detail::search_rates(machine);
    return std::ranges::find(rates, rate) != rates.end();
  };
  EXPECT_FALSE(has(1, {2, 31}, 45));
  EXPECT_TRUE(has(1, {2, 32}, 45));
  EXPECT_FALSE(has(2, {2, 31}, 80));
  EXPECT_TRUE(has(2, {2, 32}, 80));
  EXPECT_TRUE(has(2, {2, 32}, 86));
}

}  // namespace
}  // namespace ringcast
