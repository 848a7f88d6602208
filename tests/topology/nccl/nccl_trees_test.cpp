#include "topology/nccl/nccl_trees.hpp"

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"

namespace ringcast {
namespace {

Bytes tree_segment(const char* protocol, Bytes size, NcclVersion version = newest_nccl) {
  NcclMachine machine = h100_nodes(2);
  machine.version = version;
  return detail::tree_pipeline(machine, {.algorithm = "tree", .name = protocol}, size).segment;
}

// 1 GiB over 16 channels are 128 chunks of 512 KiB. With the protocol LL chunks are half as long,
// and shrink until there are enough: 64 KiB are one of 4 KiB, 8 KiB one on each of two channels.
TEST(NcclTrees, CutTrees) {
  EXPECT_EQ(tree_segment("Simple", 1_GiB), part_of_shard(64_MiB, 128));
  EXPECT_EQ(tree_segment("LL", 64_KiB), part_of_shard(4_KiB, 1));
  EXPECT_EQ(tree_segment("LL", 8_KiB), part_of_shard(4_KiB, 1));
}

// 256 KiB over 28 channels are a chunk of 9,363 bytes or fewer each. Seven rings of two trees share
// 65,536 elements, up to 9,363 to a ring and 4,682 to a tree, which takes the chunks of two
// channels: two segments, not three, so each has half of these elements.
TEST(NcclTrees, CutTreesOfUnequalLengthsAlike) {
  NcclMachine machine = h100_nodes(2);
  machine.xgmi_mesh = true;
  machine.rccl = true;
  machine.search.rings = 14;
  const Protocol ll{.algorithm = "tree", .name = "LL"};
  const Bytes segment = detail::tree_pipeline(machine, ll, 256_KiB).segment;
  EXPECT_GE(segment.count() / 4, 4682 / 2);
}

// 512 threads pass on 8 bytes each: 1 MiB are 16 passes of 4 KiB on each of 16 channels.
TEST(NcclTrees, OfLinesArePassesInsideANode) {
  const Protocol ll{.algorithm = "tree", .name = "LL"};
  EXPECT_EQ(detail::tree_pipeline(h100_nodes(1), ll, 1_MiB).segment, part_of_shard(64_KiB, 16));
}

// 16 MiB are 1 MiB for each of 16 channels, two chunks. Before 2.20 a tree of depth 7 + 1 wanted 32
// chunks of 64 KiB or more, and so had 16 of 64 KiB; 64 MiB are 32 of 128 KiB. An eighth of a
// buffer of 8 MiB is a chunk.
TEST(NcclTrees, OfSimpleShrinkInOldReleasesOnly) {
  EXPECT_EQ(tree_segment("Simple", 16_MiB), part_of_shard(1_MiB, 2));
  EXPECT_EQ(tree_segment("Simple", 16_MiB, {2, 20}), part_of_shard(1_MiB, 2));
  EXPECT_EQ(tree_segment("Simple", 16_MiB, {2, 19}), part_of_shard(1_MiB, 16));
  EXPECT_EQ(tree_segment("Simple", 64_MiB, {2, 19}), part_of_shard(4_MiB, 32));
  NcclMachine machine = h100_nodes(2);
  machine.limits.channel_buffer = 8_MiB;
  const Protocol simple{.algorithm = "tree", .name = "Simple"};
  EXPECT_EQ(detail::tree_pipeline(machine, simple, 16_MiB).segment, part_of_shard(1_MiB, 1));
}

// LL128 halves 576 KB until a channel has 64 chunks to 128 KiB, or 16 to 32 KiB, times
// (1 + log2 2 + 0.8) / 8 for two nodes of eight: 22.4 and 5.6. 16 MiB are 14.6 chunks of 72 KB for
// each of 16 channels, 2 MiB 7.3 of 18 KB, 512 KiB less than two; 80 KiB are 16 KiB on five. A
// channel carries 36.7 / 4 GB/s, and all of them 388 GB/s between nodes; its buffer holds eight.
TEST(NcclTrees, OfLl128AreStoredBeforeANicTakesThem) {
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

// Lines travel by passes of 11,520 bytes, half in each tree of a channel: 16 MiB are 1 MiB for each
// of 16 channels, 182 of these halves; 1 GiB would be 11651, of which 256 fill the pipeline as
// well. A chunk of 72,000 bytes, 14.6 of them in 1 MiB, takes 7 passes and one more, except the
// first.
TEST(NcclTrees, OfLl128TravelByPasses) {
  const Protocol ll128{.algorithm = "tree", .name = "LL128"};
  EXPECT_EQ(tree_segment("LL128", 16_MiB), Bytes{(1048576 + 181) / 182});
  EXPECT_EQ(tree_segment("LL128", 1_GiB), 256_KiB);
  const auto rate_of = [&](const NcclMachine& machine, const Protocol& protocol,
                           Bytes size = 16_MiB) {
    return detail::tree_pipeline(machine, protocol, size).rate.value();
  };
  const double moved = 72000 + (1048576.0 / 72000 - 1) * 8 * 11520;
  EXPECT_NEAR(rate_of(h100_nodes(2), ll128), 36.7e9 / 4 * 1048576 / moved, 1);
  EXPECT_NEAR(rate_of(h100_nodes(4), ll128), 29e9 / 4 * 1048576 / moved, 1);
  // One chunk alone, and two ranks, of which none forwards.
  EXPECT_NEAR(rate_of(h100_nodes(2), ll128, 80_KiB), 36.7e9 / 4, 1);
  EXPECT_NEAR(rate_of(two_lone_h100(), ll128), 36.7e9 / 4, 1);
  EXPECT_EQ(rate_of(h100_nodes(2), {.algorithm = "tree", .name = "Simple"}), 0);
}

// A NIC takes 72 KB at once, of which a segment of 16 MiB is a 182nd of 1 MiB; 80 KiB are three
// segments of 5,462 bytes or fewer and one chunk for each channel, 5 KiB one of each, and Simple
// has no other segments than its chunks.
TEST(NcclTrees, OfLl128AreSeveralSegments) {
  const auto messages = [](const std::string& protocol, Bytes size) {
    return detail::tree_pipeline(h100_nodes(2), {.algorithm = "tree", .name = protocol}, size)
        .messages;
  };
  EXPECT_NEAR(messages("LL128", 16_MiB), 5762.0 / 72000, 1e-12);
  EXPECT_NEAR(messages("LL128", 80_KiB), 5462.0 / 16384, 1e-12);
  EXPECT_EQ(messages("LL128", 5_KiB), 1);
  EXPECT_EQ(messages("LL128", 8_B), 1);
  EXPECT_EQ(messages("Simple", 16_MiB), 1);
}

// 2 MiB are 128 KiB for each of 16 channels: four chunks of 32 KiB, as LL has.
TEST(NcclTrees, OfRcclAreThoseOfLl) {
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
TEST(NcclTrees, OfSimpleFillChainsSlowly) {
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

}  // namespace
}  // namespace ringcast
