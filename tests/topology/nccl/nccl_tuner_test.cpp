#include "topology/nccl/nccl_tuner.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/topology/nccl/tuned_machines.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

// Ring, LL: 6.6 + 14 x 0.6 = 15.0 us, and 8 B at LL's limit of 141 GB/s x 8/14.
TEST(NcclTuner, TakesLowLatencyForSmallSizes) {
  const NcclChoice choice = first_choice(eight_h100(), 8_B);
  EXPECT_EQ(choice.protocol.full_name(), "ring/LL");
  EXPECT_NEAR(choice.estimate.count(), 15.0e-6 + 8 / (141e9 * 8 / 14), 1e-12);
}

// No sums in a switch that does not add, no LL128 without NVLink or before Volta.
TEST(NcclTuner, LeavesOutWhatTheMachineCannotRun) {
  NcclMachine machine = eight_h100();
  machine.switch_sums = false;
  for (const NcclChoice& choice : nccl_choices(machine, tuned_profile(), 1_GiB)) {
    EXPECT_NE(choice.protocol.algorithm, "in-switch");
  }
  EXPECT_TRUE(nccl_choices(machine, tuned_profile(), 1_GiB, "in-switch").empty());
  NcclMachine pascal = machine;
  pascal.gpus.pascal = true;
  machine.nvlink = false;
  for (const NcclMachine& without : {machine, pascal}) {
    for (const NcclChoice& choice : nccl_choices(without, tuned_profile(), 1_GiB)) {
      EXPECT_NE(choice.protocol.name, "LL128");
    }
  }
}

// The names of what a release can choose from, on one node of H100 and on two.
std::vector<std::string> choices_of(NcclVersion version, int nodes) {
  NcclMachine machine = eight_h100();
  machine.nodes = nodes;
  machine.ranks = 8 * nodes;
  machine.between = BytesPerSecond{nodes > 1 ? 390e9 : 0};
  machine.version = version;
  std::vector<std::string> names;
  for (const NcclChoice& choice : nccl_choices(machine, tuned_profile(), 1_MiB)) {
    names.push_back(choice.protocol.full_name());
  }
  std::ranges::sort(names);
  return names;
}

TEST(NcclTuner, LeavesOutWhatTheReleaseDoesNotHave) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(choices_of({2, 3}, 2), (Names{"ring/LL", "ring/Simple"}));
  EXPECT_EQ(choices_of({2, 4}, 2), (Names{"ring/LL", "ring/Simple", "tree/LL", "tree/Simple"}));
  const Names without_switches{"ring/LL", "ring/LL128", "ring/Simple",
                               "tree/LL", "tree/LL128", "tree/Simple"};
  EXPECT_EQ(choices_of({2, 5}, 1), without_switches);
  EXPECT_EQ(choices_of({2, 17}, 2), without_switches);
  EXPECT_EQ(choices_of({2, 17}, 1).front(), "in-switch/Simple");
  EXPECT_EQ(choices_of({2, 18}, 2).front(), "in-switch/Simple");
  EXPECT_EQ(choices_of(newest_nccl, 2), choices_of({2, 18}, 2));
}

TEST(NcclVersionNames, AreThoseOfKnownReleases) {
  EXPECT_EQ(nccl_version_named("nccl-2.4"), (NcclVersion{2, 4}));
  EXPECT_EQ(nccl_version_named("nccl-2.26.2"), (NcclVersion{2, 26}));
  EXPECT_EQ(name_of(NcclVersion{2, 18}), "nccl-2.18");
  for (const char* const other : {"nccl", "nccl-2", "nccl-2.33", "nccl-1.3", "nccl-2.04", "2.4",
                                  "nccl-2.4.", "nccl-2.4.x", "nccl-2.4x"}) {
    EXPECT_EQ(nccl_version_named(other), std::nullopt) << other;
  }
}

// Two nodes of 8 A100 with 8 NICs: a tree reaches 23.6 GB/s on each of 8 rings of the search, half
// of which is less than the ring's 192 GB/s x 16/30. With 16 slower NICs its limit is higher, and
// the chain in a node allows 0.92 x 240 GB/s / 2.
TEST(NcclTuner, TakesTreesBetweenTwoNodesWithManyNics) {
  NcclMachine machine = two_nodes_of_a100();
  const double bytes = 8589934592.0;
  const NcclChoice ring = first_choice(machine, 8_GiB);
  EXPECT_EQ(ring.protocol.full_name(), "ring/Simple");
  // 8.4 us, 28 hops of 3.4 us in the nodes, 2 of 14 us between them, 1.4 times.
  EXPECT_NEAR(ring.estimate.count(), 1.4 * 131.6e-6 + bytes / (192e9 * 16 / 30), 1e-9);
  // From 64 bytes on for each of 16 ranks on each of 16 channels.
  const double latency = 131.6e-6 + 16384 / (192e9 * 16 / 30);
  EXPECT_NEAR(simple_of(machine, 16_KiB, "ring").estimate.count(), latency + 0.4 * 131.6e-6, 1e-9);
  EXPECT_NEAR(simple_of(machine, Bytes{16368}, "ring").estimate.count(), latency, 1e-9);
  EXPECT_NEAR(simple_of(machine, 8_GiB, "tree").estimate.count(),
              92.4e-6 + bytes / (8 * 23.6e9 / 2), 1e-9);
  machine.search.rings = 16;
  const NcclChoice tree = first_choice(machine, 8_GiB);
  EXPECT_EQ(tree.protocol.full_name(), "tree/Simple");
  // 8.4 us, 2 x 7 hops of 4 us in a node, 2 of 14 us between them.
  EXPECT_NEAR(tree.estimate.count(), 92.4e-6 + bytes / (0.92 * 240e9 / 2), 1e-9);
  EXPECT_EQ(first_choice(machine, 8_MiB).protocol.full_name(), "tree/LL128");
}

// One H100 in each of two nodes, 48 GB/s: LL128 needs no NVLink, but GPUDirect RDMA. A tree through
// one GPU keeps 0.85 of what is least, here the limit of 41.4 GB/s on each of two rings.
TEST(NcclTuner, KnowsNodesOfOneRank) {
  NcclMachine machine = two_lone_h100();
  EXPECT_EQ(first_choice(machine, 4_MiB).protocol.full_name(), "ring/LL128");
  EXPECT_NEAR(simple_of(machine, 8_GiB, "tree").estimate.count(),
              36.4e-6 + 8589934592.0 / (0.85 * 2 * 41.4e9 / 2), 1e-9);
  machine.near_nics = false;
  EXPECT_EQ(first_choice(machine, 4_MiB).protocol.full_name(), "ring/Simple");
}

// A ring between nodes: all hops cost 1.4 times as much from 64 bytes per rank and channel on. One
// rank per node pays the tree's latency of the network; 4 of 8 B are a line of 8 B at 20 GB/s.
TEST(NcclTuner, ChargesARingBetweenNodesMore) {
  NcclMachine machine = two_nodes_of_a100();
  const auto simple = [&](Bytes buffer) { return simple_of(machine, buffer, "ring").protocol; };
  // Less the time of a slice of 8 KiB / 16 / 2 in 29 of 30 hops.
  EXPECT_NEAR(simple(8_KiB).latency_of(PathKind::network).count(), 14e-6 - 29.0 / 30 * 256 / 192e9,
              1e-12);
  // Slices of 16 x 1 MiB at 192 GB/s take 87 us: the latency of the last hop remains.
  EXPECT_NEAR(simple(1_GiB).latency_of(PathKind::network).count(), 1.4 * 14e-6 / 30, 1e-12);
  EXPECT_NEAR(simple(1_GiB).latency_of(PathKind::nvlink).count(), 2 * 1.4 * 3.4e-6, 1e-12);
  machine.ranks = machine.nodes;
  EXPECT_NEAR(first_choice(machine, 8_B, "ring").protocol.latency_of(PathKind::network).count(),
              5e-6 + 8 / 20e9, 1e-15);
}

// NCCL's estimate counts 2 us of an AMD host's proxy for each of 28 hops of LL in the nodes,
// and 2.7 us for each of 2 between them; the hops themselves take 0.6 us and what A100 has more.
TEST(NcclTuner, EstimatesProxiesForWhichNoHopWaits) {
  NcclMachine machine = two_nodes_of_a100();
  machine.hosts.amd = true;
  const NcclChoice choice = nccl_choices(machine, tuned_profile(), 8_B, "ring").at(0);
  EXPECT_EQ(choice.protocol.full_name(), "ring/LL");
  EXPECT_NEAR(choice.estimate.count(), 68e-6 + 8 / (22.5e9 * 16 / 30), 1e-12);
  EXPECT_NEAR(choice.protocol.latency_of(PathKind::nvlink).count(),
              0.6e-6 * measured_constant(ll_latency_ampere), 1e-9);
}

// 8 GPUs on PCIe at 46 GB/s, two channels. Of 4 MiB a slice of all channels is 4 MiB / 8 / 2, which
// takes 5.7 us: as long as the latency. Of 64 KiB it is 4 KiB; NCCL's estimate has the whole
// latency. Over NVLink each of the two slices pays it. Where three of four hops pass a root
// complex, a quarter overlaps.
TEST(NcclTuner, OverlapsSlicesOfARingWithLatencies) {
  const NcclMachine machine{.nodes = 1,
                            .ranks = 8,
                            .in_node = BytesPerSecond{46e9},
                            .between = {},
                            .search = {.rings = 1}};
  const auto simple = [&](Bytes buffer) { return simple_of(machine, buffer, "ring"); };
  EXPECT_NEAR(simple(4_MiB).protocol.latency_of(PathKind::p2p).count(),
              5.7e-6 - 13.0 / 14 * 262144 / 46e9, 1e-12);
  EXPECT_NEAR(simple(64_KiB).protocol.latency_of(PathKind::p2p).count(),
              5.7e-6 - 13.0 / 14 * 4096 / 46e9, 1e-12);
  EXPECT_NEAR(simple(64_KiB).protocol.latency_of(PathKind::nvlink).count(), 2 * 3.4e-6, 1e-15);
  NcclMachine past_root = machine;
  past_root.past_root = 0.75;
  EXPECT_NEAR(simple_of(past_root, 64_KiB, "ring").protocol.latency_of(PathKind::p2p).count(),
              5.7e-6 - 0.25 * 13.0 / 14 * 4096 / 46e9, 1e-12);
  EXPECT_NEAR(simple(64_KiB).estimate.count(), 8.4e-6 + 14 * 5.7e-6 + 65536 / (46e9 * 8 / 14),
              1e-12);
}

// LL128 reaches less than NCCL's 0.92 through NVSwitches that add nothing.
TEST(NcclTuner, SlowsLl128ThroughEarlyNvswitches) {
  NcclMachine machine = eight_h100();
  const auto efficiency = [&] {
    const auto choices = nccl_choices(machine, tuned_profile(), 8_MiB, "ring");
    return std::ranges::find(choices, "ring/LL128",
                             [](const NcclChoice& each) { return each.protocol.full_name(); })
        ->protocol.efficiency_of(PathKind::nvlink);
  };
  EXPECT_NEAR(efficiency(), 0.92, 1e-9);
  machine.early_nvswitch = true;
  EXPECT_NEAR(efficiency(), 0.92 * measured_constant(ll128_rate_nvswitch), 1e-9);
  machine.xgmi_mesh = true;
  EXPECT_NEAR(efficiency(), 0.92 * measured_constant(ll128_rate_xgmi), 1e-9);
}

// A hop of LL over NVLinks takes NCCL's 0.6 us on Hopper, and on Blackwell the geometric mean
// of 1.78 and 2.34, 2.04, to a twentieth, times that.
TEST(NcclTuner, ChargesTheLatencyOfBlackwellsLinks) {
  NcclMachine machine{.nodes = 1,
                      .ranks = 8,
                      .gpus = {.generation = GpuGeneration::hopper},
                      .nvlink = true,
                      .in_node = BytesPerSecond{370e9},
                      .between = {},
                      .search = {.rings = 8}};
  const auto hop = [&] {
    const NcclChoice choice = nccl_choices(machine, tuned_profile(), 8_B, "ring").front();
    EXPECT_EQ(choice.protocol.name, "LL");
    return choice.protocol.latency_of(PathKind::nvlink).count();
  };
  EXPECT_NEAR(hop(), 0.6e-6, 1e-9);
  machine.gpus.generation = GpuGeneration::blackwell;
  EXPECT_NEAR(hop(), 0.6e-6 * 2.05, 1e-9);
}

// The estimate has NCCL's latency, 14 x 1 us, the messages what machines took.
TEST(NcclTuner, ChargesMeasuredLatencies) {
  const NcclMachine machine{.nodes = 1,
                            .ranks = 8,
                            .in_node = BytesPerSecond{46e9},
                            .between = {},
                            .search = {.rings = 1}};
  TransportProfile profile = tuned_profile();
  const auto low_latency = [&] { return nccl_choices(machine, profile, 8_B, "ring").front(); };
  EXPECT_EQ(low_latency().protocol.name, "LL");
  EXPECT_NEAR(low_latency().estimate.count(), 20.6e-6, 1e-9);
  EXPECT_NEAR(low_latency().protocol.latency_of(PathKind::p2p).count(),
              1e-6 * measured_constant(ll_latency_p2p), 1e-15);
  profile.left_out = "4x4090";  // the other machine took 1.29 us
  EXPECT_NEAR(low_latency().protocol.latency_of(PathKind::p2p).count(), 1.29e-6, 1e-12);
}

// 32 KiB on a ring of eight: one channel, whose chunk of 4 KiB has 8 KiB on the wire, stored and
// loaded at 36.7 GB/s; the links' 370 GB/s are charged as for any message. 8 B take no time.
TEST(NcclTuner, ChargesWhatAChannelTakesForItsLines) {
  const auto hop = [](Bytes buffer) {
    const auto choices = nccl_choices(eight_h100(), tuned_profile(), buffer, "ring");
    const auto lines = std::ranges::find(choices, std::string{"LL"},
                                         [](const NcclChoice& each) { return each.protocol.name; });
    EXPECT_EQ(lines->channels, 1);
    return lines->protocol.latency_of(PathKind::nvlink).count();
  };
  EXPECT_NEAR(hop(32_KiB), 0.6e-6 + 2 * 8192 / 36.7e9 - 8192 / 370e9, 1e-12);
  EXPECT_NEAR(hop(8_B), 0.6e-6, 1e-9);
}

// 512 KiB keep 16 of 24 channels busy (NCCL gives each 4 KiB of LL for each of eight ranks).
TEST(NcclTuner, ChargesAProcessOfSeveralA100ForItsChannels) {
  const auto more = [](GpuGeneration generation, Bytes buffer) {
    NcclMachine machine = eight_h100();
    machine.gpus.generation = generation;
    machine.switch_sums = false;
    TransportProfile profile = tuned_profile();
    const auto call = [&] {
      return nccl_choices(machine, profile, buffer, "ring").front().protocol.call_overhead.count();
    };
    const double of_own_process = call();
    profile.gpus_per_process = 8;
    return call() - of_own_process;
  };
  const double all = 1e-6 * measured_constant(one_process_call);
  EXPECT_NEAR(all, 28e-6, 1e-9);  // the geometric mean of ten machines, 9.6 to 48
  EXPECT_NEAR(more(GpuGeneration::ampere, 512_KiB), all * 16 / 24, 1e-12);
  EXPECT_NEAR(more(GpuGeneration::volta, 32_MiB), all, 1e-12);
  EXPECT_NEAR(more(GpuGeneration::hopper, 32_MiB), 0, 1e-12);
}

// Between two nodes LL reaches 39 GB/s on Intel's hosts, 22.5 GB/s on AMD's, x 16/30.
TEST(NcclTuner, LimitsLowLatencyByTheVendorOfTheHosts) {
  NcclMachine machine = two_nodes_of_a100();
  const auto slope = [&] {
    const auto time = [&](Bytes buffer) {
      const auto choices = nccl_choices(machine, tuned_profile(), buffer, "ring");
      return std::ranges::find(choices, std::string{"LL"},
                               [](const NcclChoice& each) { return each.protocol.name; })
          ->estimate;
    };
    return (time(2_MiB) - time(1_MiB)).count() / 1048576;
  };
  EXPECT_NEAR(slope() * 39e9 * 16 / 30, 1, 1e-9);
  machine.hosts.amd = true;
  EXPECT_NEAR(slope() * 22.5e9 * 16 / 30, 1, 1e-9);
  machine.hosts.amd = false;
  machine.hosts.mixed = true;
  EXPECT_NEAR(slope() * 22.5e9 * 16 / 30, 1, 1e-9);
}

// NCCL expects 39 GB/s of LL between two nodes, which is the part of the payload in what the nodes'
// NVLinks carry, 24 x 8. NICs that read its lines from host memory carry twice the payload, and
// each of eight paths 39 / 8 of it, however fast the NICs are: the cables to the GPUs, which
// messages between nodes share with others, carry no more for it.
TEST(NcclTuner, LimitsLowLatencyOnceByWhatItsPathCarries) {
  NcclMachine machine = two_nodes_of_a100();
  machine.paths = 8;
  const auto low_latency = [&] {
    const auto choices = nccl_choices(machine, tuned_profile(), 1_MiB, "ring");
    return std::ranges::find(choices, std::string{"LL"},
                             [](const NcclChoice& each) { return each.protocol.name; })
        ->protocol;
  };
  const double of_nics = low_latency().efficiency_of(PathKind::network);
  EXPECT_NEAR(low_latency().efficiency_of(PathKind::nvlink), of_nics, 1e-12);
  EXPECT_EQ(low_latency().network_rate, BytesPerSecond{0});
  for (const double host : {50e9, 145.6e9}) {
    machine.through_host = BytesPerSecond{host};
    EXPECT_NEAR(low_latency().efficiency_of(PathKind::network), 0.5, 1e-12);
    EXPECT_NEAR(low_latency().network_rate.value(), 39e9 / 8, 1);
    EXPECT_NEAR(low_latency().efficiency_of(PathKind::nvlink), of_nics, 1e-12);
  }
}

}  // namespace
}  // namespace ringcast
