#include "topology/nccl/nccl_chunks.hpp"

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

constexpr BytesPerSecond links{315e9};
constexpr BytesPerSecond whole{246e9};

detail::SwitchedPipeline pipeline_of(const NcclMachine& machine, Bytes size) {
  return detail::switched_pipeline(machine, size, links, whole, "");
}

// 16 channels of 8 heads. 64 MiB are 8 loops of 128 x 64 KiB, not less, so chunks stay at 64 KiB.
// A piece for each loop: 8 of a shard of 8 MiB. 1 GiB: 64 loops of 128 x 128 KiB.
TEST(NcclChunks, CutShardsIntoTheLoopsOfNccl) {
  EXPECT_EQ(pipeline_of(h100_nodes(1), 64_MiB).segment, part_of_shard(8_MiB, 8));
  EXPECT_EQ(pipeline_of(h100_nodes(1), 1_GiB).segment, part_of_shard(128_MiB, 64));
  // Beyond the 1.4 loops with which the program fills. A loop of 16 MiB is 18 on the links.
  const double filling = measured_constant(switched_fill_hopper);
  EXPECT_NEAR(pipeline_of(h100_nodes(1), 1_GiB).fill.count(),
              (filling - 1.4) * 18 * 1048576 / 315e9, 1e-12);
  // 24 channels: 64 MiB are less than 8 loops of 192 x 64 KiB, so 10.7 loops of 192 x 32 KiB, and
  // 11 pieces of 8 MiB.
  NcclMachine machine = h100_nodes(1);
  machine.gpus.generation = GpuGeneration::blackwell;
  EXPECT_EQ(pipeline_of(machine, 64_MiB).segment, part_of_shard(8_MiB, 11));
  // 64 ranks have 32 heads: 1 GiB are 21.3 loops of 768 x 64 KiB, and 21 pieces of 16 MiB.
  machine.ranks = 64;
  EXPECT_EQ(pipeline_of(machine, 1_GiB).segment, part_of_shard(16_MiB, 21));
}

// 64 MiB are 8 loops of 8 heads each, after those that fill the pipeline. 64 ranks have 32 heads,
// 20 until it is full, and 1 GiB is 1024 / (16 x 32 x 64 KiB) = 32 loops. Between nodes there are 4
// loops of 128 KiB, 1 of 32, 8 of 64 on four nodes. A transfer that is slower than the links hides
// as much of the steps as it takes longer.
TEST(NcclChunks, CountStepsOfEachHead) {
  const double filling = measured_constant(switched_fill_hopper);
  EXPECT_EQ(pipeline_of(h100_nodes(1), 64_MiB).steps, (8 + filling) * 8);
  NcclMachine machine = h100_nodes(1);
  machine.ranks = 64;
  EXPECT_EQ(pipeline_of(machine, 1_GiB).steps, 32 * 32 + filling * 20);
  EXPECT_EQ(pipeline_of(h100_nodes(1), 64_MiB).hidden, 64_MiB / whole - 64_MiB / links);
  EXPECT_EQ(detail::switched_pipeline(h100_nodes(1), 64_MiB, links, links, "").hidden, Seconds{0});
  EXPECT_EQ(pipeline_of(h100_nodes(2), 64_MiB).steps, 4 * 8);
  EXPECT_EQ(pipeline_of(h100_nodes(2), 4_MiB).steps, 1 * 8);
  EXPECT_EQ(pipeline_of(h100_nodes(4), 64_MiB).steps, 8 * 8);
  EXPECT_EQ(pipeline_of(h100_nodes(2), 64_MiB).hidden, 64_MiB / whole - 64_MiB / links);
}

// A message of each of 16 channels, 24 on four nodes of Blackwell, at each level of the tree.
TEST(NcclChunks, CountTheFirstMessagesOfAllChannels) {
  EXPECT_EQ(pipeline_of(h100_nodes(1), 64_MiB).first, 0);
  EXPECT_EQ(pipeline_of(h100_nodes(2), 64_MiB).first, 2 * 16);
  NcclMachine machine = h100_nodes(4);
  machine.gpus.generation = GpuGeneration::blackwell;
  EXPECT_EQ(pipeline_of(machine, 64_MiB).first, 2 * 2 * 24);
}

// Two nodes: 2 shards for each of 8 heads, chunks of 128 KiB from 4 loops of 128 x 128 KiB = 64 MiB
// on, 64 KiB from one on, 32 KiB below: 4 MiB are one loop of 128 x 32 KiB. Segments are quarters.
TEST(NcclChunks, AreFourSegmentsEachBetweenNodes) {
  EXPECT_EQ(pipeline_of(h100_nodes(2), 64_MiB).segment, part_of_shard(4_MiB, 16));
  EXPECT_EQ(pipeline_of(h100_nodes(2), 4_MiB).segment, part_of_shard(256_KiB, 4));
  // 32 channels: 64 MiB are less than 4 loops of 256 x 128 KiB, and four of 256 x 64 KiB.
  NcclMachine machine = h100_nodes(2);
  machine.gpus.generation = GpuGeneration::blackwell;
  EXPECT_EQ(pipeline_of(machine, 64_MiB).segment, part_of_shard(4_MiB, 16));
}

// No chunk is longer than what there is: 128 B fill no pipeline of 4 MiB.
TEST(NcclChunks, FillNothingWithLittleData) {
  EXPECT_NEAR(pipeline_of(h100_nodes(2), 128_B).fill.count(), 0, 1e-9);
  EXPECT_EQ(pipeline_of(h100_nodes(2), 0_B).fill, pipeline_of(h100_nodes(2), 1_B).fill);
}

// As many steps over NVLink as in a node, and two for each level of the tree, the slowest of which
// also delays all further chunks. A quarter of that is our segments' own.
TEST(NcclChunks, FillAPipelineBetweenNodes) {
  const double loop = 16777216;
  const double steps = measured_constant(switched_fill_hopper) - 1;
  const double fill = 0.75 * (steps * loop / 315e9 + 2 * loop / 388e9);
  EXPECT_NEAR(pipeline_of(h100_nodes(2), 256_MiB).fill.count(), fill, 1e-12);
  // Three levels over 12 nodes, whose chunks have 64 KiB at most.
  const double more = 0.75 * (steps * loop / 315e9 + 6 * loop / 388e9) / 2;
  EXPECT_NEAR(pipeline_of(h100_nodes(12), 256_MiB).fill.count(), more, 1e-12);
}

// 8 MiB are one loop of 128 x 64 KiB: up the trees and down them, half of it each. 12 MiB are one
// and a half, and half of what a second loop adds.
TEST(NcclChunks, HaveTheNicsAloneInTheFirstLoop) {
  const double loop = 8388608;
  const double steps = measured_constant(switched_fill_hopper) - 1;
  const auto fill = [&](double crossings) {
    return 0.75 * (steps * loop / 315e9 + crossings * loop / 388e9);
  };
  EXPECT_NEAR(pipeline_of(h100_nodes(2), 8_MiB).fill.count(), fill(1), 1e-12);
  EXPECT_NEAR(pipeline_of(h100_nodes(2), 12_MiB).fill.count(), fill(1.5), 1e-12);
  EXPECT_NEAR(pipeline_of(h100_nodes(2), 16_MiB).fill.count(), fill(2), 1e-12);
  // Two levels: of four crossings those at the root take half.
  EXPECT_NEAR(pipeline_of(h100_nodes(4), 8_MiB).fill.count(), fill(3), 1e-12);
}

// 16 channels. A thread has 8 bytes: 512 of LL have 4 KiB, on a ring of each of 16 chunks; 640 of
// LL128 5 KiB; 512 of Simple, with 64 bytes each, 32 KiB. Of LL128 16 KiB are 32 KiB of traffic, as
// much as a channel has at least. Channels get whole cells of that least: the four of 15 KiB of LL
// are two for each of two, though three could have a pass.
TEST(NcclChunks, GiveSmallBuffersFewChannels) {
  const auto channels = [](const char* algorithm, const char* name, Bytes size) {
    const Protocol protocol{.algorithm = algorithm, .name = name};
    return detail::channels_in_use(h100_nodes(2), protocol, size);
  };
  EXPECT_EQ(channels("tree", "LL", 0_B), 1);
  EXPECT_EQ(channels("tree", "LL", 4_KiB), 1);
  EXPECT_EQ(channels("tree", "LL", 15_KiB), 2);
  EXPECT_EQ(channels("tree", "LL", 64_KiB), 16);
  EXPECT_EQ(channels("ring", "LL", 64_KiB), 1);
  EXPECT_EQ(channels("ring", "LL", 128_KiB), 2);
  EXPECT_EQ(channels("tree", "LL128", 10_KiB), 1);
  EXPECT_EQ(channels("tree", "LL128", 33_KiB), 3);
  EXPECT_EQ(channels("ring", "LL128", 256_KiB), 16);
  EXPECT_EQ(channels("ring", "Simple", 96_KiB), 3);
  EXPECT_EQ(channels("ring", "Simple", 1_GiB), 16);
}

detail::LineCosts lines_of(const char* algorithm, const char* name, Bytes size) {
  const Protocol protocol{.algorithm = algorithm, .name = name};
  const NcclMachine machine = h100_nodes(2);
  return detail::line_costs(machine, protocol, size,
                            detail::channels_in_use(machine, protocol, size));
}

// 4 KiB of LL are 8 KiB of lines on one channel of 36.7 GB/s, stored and loaded at each hop, and
// 8 KiB of 64 KiB on each of 16, of which two begin at a GPU: 16 KiB at once on its 424 GB/s. On a
// ring of 16 a hop has a sixteenth: 1 MiB are 8 KiB of lines on each of 16 channels, all at once.
TEST(NcclChunks, ChargeNoHopOfATreeLessForMoreLines) {
  const double twice = 2 * 8192 / 36.7e9;
  EXPECT_NEAR(lines_of("tree", "LL", 4_KiB).within.count(), twice - 8192 / 424e9, 1e-12);
  EXPECT_NEAR(lines_of("tree", "LL", 64_KiB).within.count(), twice - 16384 / 424e9, 1e-12);
  EXPECT_NEAR(lines_of("ring", "LL", 1_MiB).within.count(), twice - 131072 / 424e9, 1e-12);
}

// Between nodes a chunk of 32 KiB of LL is 64 KiB of lines; 4 KiB are 8 KiB. Each of the channels
// in use stores its own. Rings of LL128 wait for it anyway.
TEST(NcclChunks, LeaveANodeWhenAllLinesAreStored) {
  EXPECT_NEAR(lines_of("tree", "LL", 4_KiB).across.count(), 8192 / 36.7e9, 1e-12);
  EXPECT_NEAR(lines_of("tree", "LL", 1_MiB).across.count(), 65536 / 36.7e9, 1e-12);
  EXPECT_NEAR(lines_of("ring", "LL", 64_KiB).across.count(), 8192 / 36.7e9, 1e-12);
  EXPECT_EQ(lines_of("ring", "LL128", 1_MiB).across, Seconds{0});
}

}  // namespace
}  // namespace ringcast
