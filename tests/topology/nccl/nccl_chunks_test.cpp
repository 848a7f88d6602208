#include "topology/nccl/nccl_chunks.hpp"

#include <gtest/gtest.h>

#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

NcclMachine h100_nodes(int nodes) {
  return {.nodes = nodes,
          .ranks = 8 * nodes,
          .generation = GpuGeneration::hopper,
          .in_node = BytesPerSecond{424e9},
          .between = BytesPerSecond{388e9},
          .rings = 8};
}

constexpr BytesPerSecond links{315e9};
constexpr BytesPerSecond whole{246e9};

detail::SwitchedPipeline pipeline_of(const NcclMachine& machine, Bytes size) {
  return detail::switched_pipeline(machine, size, links, whole, "");
}

/// Shards that are longer by an element, of 8 bytes at most, are cut into as many whole elements.
Bytes part_of_shard(Bytes shard, std::uint64_t parts) {
  const std::uint64_t part = (shard.count() + 8 + parts - 1) / parts;
  return Bytes{(part + 7) / 8 * 8};
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
  machine.generation = GpuGeneration::blackwell;
  EXPECT_EQ(pipeline_of(machine, 64_MiB).segment, part_of_shard(8_MiB, 11));
  // 64 ranks have 32 heads: 1 GiB are 21.3 loops of 768 x 64 KiB, and 21 pieces of 16 MiB.
  machine.ranks = 64;
  EXPECT_EQ(pipeline_of(machine, 1_GiB).segment, part_of_shard(16_MiB, 21));
}

// 64 MiB are 8 loops of 8 heads each, after those that fill the pipeline. 64 ranks have 32 heads,
// 20 until it is full, and 1 GiB is 1024 / (16 x 32 x 64 KiB) = 32 loops. Between nodes (4 loops of
// 128 KiB, 1 of 32, 8 of 64 on four nodes) the network hides as much of them as it takes longer.
TEST(NcclChunks, CountStepsOfEachHead) {
  const double filling = measured_constant(switched_fill_hopper);
  EXPECT_EQ(pipeline_of(h100_nodes(1), 64_MiB).steps, (8 + filling) * 8);
  NcclMachine machine = h100_nodes(1);
  machine.ranks = 64;
  EXPECT_EQ(pipeline_of(machine, 1_GiB).steps, 32 * 32 + filling * 20);
  EXPECT_EQ(pipeline_of(h100_nodes(1), 64_MiB).hidden, Seconds{0});
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
  machine.generation = GpuGeneration::blackwell;
  EXPECT_EQ(pipeline_of(machine, 64_MiB).first, 2 * 2 * 24);
}

// Two nodes: 2 shards for each of 8 heads, chunks of 128 KiB from 4 loops of 128 x 128 KiB = 64 MiB
// on, 64 KiB from one on, 32 KiB below: 4 MiB are one loop of 128 x 32 KiB. Segments are quarters.
TEST(NcclChunks, AreFourSegmentsEachBetweenNodes) {
  EXPECT_EQ(pipeline_of(h100_nodes(2), 64_MiB).segment, part_of_shard(4_MiB, 16));
  EXPECT_EQ(pipeline_of(h100_nodes(2), 4_MiB).segment, part_of_shard(256_KiB, 4));
  // 32 channels: 64 MiB are less than 4 loops of 256 x 128 KiB, and four of 256 x 64 KiB.
  NcclMachine machine = h100_nodes(2);
  machine.generation = GpuGeneration::blackwell;
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

Bytes tree_segment(const char* protocol, Bytes size, NcclVersion version = newest_nccl) {
  NcclMachine machine = h100_nodes(2);
  machine.version = version;
  return detail::tree_pipeline(machine, {.algorithm = "tree", .name = protocol}, size).segment;
}

// 1 GiB over 16 channels are 128 chunks of 512 KiB. With the protocol LL chunks are half as long,
// and shrink until there are enough: 64 KiB are one of 4 KiB, 8 KiB one on each of two channels.
TEST(NcclChunks, CutTrees) {
  EXPECT_EQ(tree_segment("Simple", 1_GiB), part_of_shard(64_MiB, 128));
  EXPECT_EQ(tree_segment("LL", 64_KiB), part_of_shard(4_KiB, 1));
  EXPECT_EQ(tree_segment("LL", 8_KiB), part_of_shard(4_KiB, 1));
}

// 256 KiB over 28 channels are a chunk of 9,363 bytes or fewer each. Seven rings of two trees share
// 65,536 elements, up to 9,363 to a ring and 4,682 to a tree, which takes the chunks of two
// channels: two segments, not three, so each has half of these elements.
TEST(NcclChunks, CutTreesOfUnequalLengthsAlike) {
  NcclMachine machine = h100_nodes(2);
  machine.xgmi_mesh = true;
  machine.rccl = true;
  machine.rings = 14;
  const Protocol ll{.algorithm = "tree", .name = "LL"};
  const Bytes segment = detail::tree_pipeline(machine, ll, 256_KiB).segment;
  EXPECT_GE(segment.count() / 4, 4682 / 2);
}

// 512 threads pass on 8 bytes each: 1 MiB are 16 passes of 4 KiB on each of 16 channels.
TEST(NcclChunks, OfLinesArePassesInsideANode) {
  const Protocol ll{.algorithm = "tree", .name = "LL"};
  EXPECT_EQ(detail::tree_pipeline(h100_nodes(1), ll, 1_MiB).segment, part_of_shard(64_KiB, 16));
}

// 16 MiB are 1 MiB for each of 16 channels, two chunks. Before 2.20 a tree of depth 7 + 1 wanted 32
// chunks of 64 KiB or more, and so had 16 of 64 KiB; 64 MiB are 32 of 128 KiB. An eighth of a
// buffer of 8 MiB is a chunk.
TEST(NcclChunks, OfSimpleShrinkInOldReleasesOnly) {
  EXPECT_EQ(tree_segment("Simple", 16_MiB), part_of_shard(1_MiB, 2));
  EXPECT_EQ(tree_segment("Simple", 16_MiB, {2, 20}), part_of_shard(1_MiB, 2));
  EXPECT_EQ(tree_segment("Simple", 16_MiB, {2, 19}), part_of_shard(1_MiB, 16));
  EXPECT_EQ(tree_segment("Simple", 64_MiB, {2, 19}), part_of_shard(4_MiB, 32));
  NcclMachine machine = h100_nodes(2);
  machine.channel_buffer = 8_MiB;
  const Protocol simple{.algorithm = "tree", .name = "Simple"};
  EXPECT_EQ(detail::tree_pipeline(machine, simple, 16_MiB).segment, part_of_shard(1_MiB, 1));
}

// LL128 halves 576 KB until a channel has 64 chunks to 128 KiB, or 16 to 32 KiB, times
// (1 + log2 2 + 0.8) / 8 for two nodes of eight: 22.4 and 5.6. 16 MiB are 14.6 chunks of 72 KB for
// each of 16 channels, 2 MiB 7.3 of 18 KB, 512 KiB less than two; 80 KiB are 16 KiB on five. A
// channel carries 36.7 / 4 GB/s, and all of them 388 GB/s between nodes; its buffer holds eight.
TEST(NcclChunks, OfLl128AreStoredBeforeANicTakesThem) {
  const auto store = [](Bytes size) {
    const Protocol ll128{.algorithm = "tree", .name = "LL128"};
    return detail::tree_pipeline(h100_nodes(2), ll128, size).store.count();
  };
  EXPECT_NEAR(store(16_MiB), 72000 / 9.175e9 + 16 * 72000 / 388e9, 1e-12);
  EXPECT_NEAR(store(2_MiB), 18000 / 9.175e9 + 16 * 18000 / 388e9, 1e-12);
  EXPECT_NEAR(store(512_KiB), 18000 / 9.175e9 + 16 * 18000 / 388e9, 1e-12);
  EXPECT_NEAR(store(80_KiB), 16384 / 9.175e9 + 5 * 16384 / 388e9, 1e-12);
  const Protocol ll128{.algorithm = "tree", .name = "LL128"};
  EXPECT_EQ(detail::tree_pipeline(h100_nodes(2), ll128, 16_MiB).in_flight, Bytes{8 * 72000});
}

// Lines travel in pieces of two passes of 5 KiB on each of 16 channels: 16 MiB are 1 MiB, 102 of
// them; 1 GiB would be 6554, of which 256 fill the pipeline as well.
TEST(NcclChunks, OfLl128TravelByPasses) {
  const Protocol ll128{.algorithm = "tree", .name = "LL128"};
  EXPECT_EQ(tree_segment("LL128", 16_MiB), Bytes{(1048576 + 101) / 102});
  EXPECT_EQ(tree_segment("LL128", 1_GiB), 256_KiB);
  const auto rate_of = [&](const NcclMachine& machine, const Protocol& protocol) {
    return detail::tree_pipeline(machine, protocol, 16_MiB).rate.value();
  };
  EXPECT_NEAR(rate_of(h100_nodes(2), ll128), 36.7e9 / 4, 1);
  EXPECT_NEAR(rate_of(h100_nodes(4), ll128), 29e9 / 4, 1);
  EXPECT_EQ(rate_of(h100_nodes(2), {.algorithm = "tree", .name = "Simple"}), 0);
}

// A NIC takes 72 KB at once, of which a segment of 16 MiB is a 102nd of 1 MiB; 80 KiB are two
// segments and one chunk for each channel, 5 KiB one of each, and Simple has no other segments than
// its chunks.
TEST(NcclChunks, OfLl128AreSeveralSegments) {
  const auto messages = [](const std::string& protocol, Bytes size) {
    return detail::tree_pipeline(h100_nodes(2), {.algorithm = "tree", .name = protocol}, size)
        .messages;
  };
  EXPECT_NEAR(messages("LL128", 16_MiB), 10281.0 / 72000, 1e-12);
  EXPECT_EQ(messages("LL128", 80_KiB), 0.5);
  EXPECT_EQ(messages("LL128", 5_KiB), 1);
  EXPECT_EQ(messages("LL128", 8_B), 1);
  EXPECT_EQ(messages("Simple", 16_MiB), 1);
}

// 2 MiB are 128 KiB for each of 16 channels: four chunks of 32 KiB, as LL has.
TEST(NcclChunks, OfRcclAreThoseOfLl) {
  NcclMachine machine = h100_nodes(2);
  machine.xgmi_mesh = true;
  const Protocol ll128{.algorithm = "tree", .name = "LL128"};
  const detail::TreePipeline pipeline = detail::tree_pipeline(machine, ll128, 2_MiB);
  EXPECT_EQ(pipeline.segment, part_of_shard(128_KiB, 4));
  EXPECT_EQ(pipeline.rate.value(), 0);
  EXPECT_EQ(pipeline.store, Seconds{0});
}

// A chunk passes 7 links of a node up and down: each takes what threads at 38.7 / 2 GB/s do, less
// what the chunk would take on all of 424 GB/s. Chunks of lines are passed on line by line; on
// PCIe, and where the links are no faster, nothing is left. Before 2.10 the rate of 41.4 / 2 GB/s
// of a channel says it.
TEST(NcclChunks, OfSimpleFillChainsSlowly) {
  const Protocol simple{.algorithm = "tree", .name = "Simple"};
  const auto fill = [&](const NcclMachine& machine, const Protocol& protocol, Bytes size) {
    return detail::tree_pipeline(machine, protocol, size).fill.count();
  };
  NcclMachine machine = h100_nodes(2);
  EXPECT_EQ(fill(machine, simple, 1_GiB), 0);
  machine.nvlink = true;
  EXPECT_NEAR(fill(machine, simple, 1_GiB), 14 * 524288 * (1 / 19.35e9 - 1 / 424e9), 1e-12);
  EXPECT_NEAR(fill(machine, simple, 32_KiB), 14 * 32768 * (1 / 19.35e9 - 1 / 424e9), 1e-12);
  EXPECT_EQ(fill(machine, {.algorithm = "tree", .name = "LL128"}, 1_GiB), 0);
  machine.version = {2, 9};
  EXPECT_EQ(fill(machine, simple, 1_GiB), 0);
  EXPECT_NEAR(detail::tree_pipeline(machine, simple, 1_GiB).rate.value(), 41.4e9 / 2, 1);
  machine.version = newest_nccl;
  machine.in_node = BytesPerSecond{19e9};
  EXPECT_EQ(fill(machine, simple, 1_GiB), 0);
  machine = h100_nodes(2);
  machine.nvlink = true;
  machine.ranks = 2;
  EXPECT_EQ(fill(machine, simple, 1_GiB), 0);
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
