#include <string>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

// Right as it stands; each case makes one slip in it.
const std::string right_scenario = R"(name: test
cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: [2, 4, 8]
sizes: [0, 4 B, 64 MiB]
algorithm: ring
data_type: float32
operation: sum
ring_order: by-rank
channels: 2
segment_size: 4 MiB
seed: 7
)";

const Slip scenario_slips[] = {
    {"NoCluster", "cluster: cluster.yaml\n", "",
     "scenario.yaml:1:1: cluster: missing (expected a cluster file, e.g. "
     "clusters/baidu-2017.yaml)"},
    {"ClusterFileMissing", "cluster: cluster.yaml", "cluster: clusters/none.yaml",
     "scenario.yaml:2:10: cluster: clusters/none.yaml cannot be read: No such file or "
     "directory (expected a YAML file, relative to this one, or a map)"},
    {"ClusterIsAFolder", "cluster: cluster.yaml", "cluster: /",
     "scenario.yaml:2:10: cluster: / cannot be read: Is a directory (expected a YAML "
     "file, relative to this one, or a map)"},
    {"ClusterIsAList", "cluster: cluster.yaml", "cluster: [a]",
     "scenario.yaml:2:10: cluster: is a list (expected a YAML file, relative to this "
     "one, or a map)"},
    {"InlineClusterError", "cluster: cluster.yaml", "cluster: {name: x, node_types: {}, nodes: []}",
     "scenario.yaml:2:32: cluster.node_types: an empty map (expected at least one entry)"},
    {"InlineTransportError", "{name: test, source: invented, message_overhead: 0 us}",
     "{name: test, message_overhead: 0 us}",
     "scenario.yaml:3:12: transport.source: missing (expected where the costs come from)"},
    {"NameOfTwoLines", "name: test\ncluster", "name: \"one\\ntwo\"\ncluster",
     "scenario.yaml:1:7: name: \"one\\x0atwo\" is not one line (expected a name without line "
     "breaks)"},
    {"NoTransport", "transport: {name: test, source: invented, message_overhead: 0 us}\n", "",
     "scenario.yaml:1:1: transport: missing (expected a transport file, e.g. "
     "transports/ideal.yaml, or nccl)"},
    {"UnknownKey", "segment_size", "segmentsize",
     "scenario.yaml:11:1: segmentsize: unknown key, did you mean \"segment_size\"? "
     "(expected name, cluster, transport, job, ranks, sizes, algorithm, data_type, "
     "operation, ring_order, channels, segment_size, parameter_servers, seed or training)"},
    {"MoreRanksThanGpus", "[2, 4, 8]", "[2, 4, 9]",
     "scenario.yaml:4:15: ranks[2]: 9 ranks, but the cluster has 8 (expected 1 to "
     "8)"},
    {"ZeroRanks", "[2, 4, 8]", "0",
     "scenario.yaml:4:8: ranks: 0 is out of range (expected a whole number from 1 to "
     "1000000)"},
    {"NegativeRanks", "[2, 4, 8]", "-4",
     "scenario.yaml:4:8: ranks: -4 is out of range (expected a whole number from 1 to "
     "1000000)"},
    {"RanksAreText", "[2, 4, 8]", "all",
     "scenario.yaml:4:8: ranks: \"all\" is not a whole number (expected a whole number "
     "from 1 to 1000000)"},
    {"RanksInGroups", "[2, 4, 8]", "1_000",
     "scenario.yaml:4:8: ranks: \"1_000\" is not a whole number, did you mean \"1000\"? (expected "
     "a whole number from 1 to 1000000)"},
    {"NoRanks", "[2, 4, 8]", "[]",
     "scenario.yaml:4:8: ranks: an empty list (expected at least one value)"},
    {"RepeatedRanks", "[2, 4, 8]", "[2, 4, 2]",
     "scenario.yaml:4:15: ranks[2]: 2 is repeated (expected each value once)"},
    {"EmptySizes", "[0, 4 B, 64 MiB]", "[]",
     "scenario.yaml:5:8: sizes: an empty list (expected at least one value)"},
    {"SizeWithoutUnit", "4 B,", "4,",
     "scenario.yaml:5:12: sizes[1]: no unit in \"4\" (expected a size such as 64 MiB or "
     "1.2 GB)"},
    {"SizeNegative", "4 B,", "-4 B,",
     "scenario.yaml:5:12: sizes[1]: negative size \"-4 B\" (expected a size such as 64 "
     "MiB or 1.2 GB)"},
    {"SizeWithAFractionOfAnElement", "4 B,", "6 B,",
     "scenario.yaml:5:12: sizes[1]: 6 B is not a whole number of elements (expected a "
     "multiple of 4 bytes, the size of a float32)"},
    {"SizeWithAFractionOfAByte", "4 B,", "0.5 B,",
     "scenario.yaml:5:12: sizes[1]: \"0.5 B\" has a fraction of a byte (expected a size "
     "such as 64 MiB or 1.2 GB)"},
    {"SizeIsARate", "4 B,", "4 GB/s,",
     "scenario.yaml:5:12: sizes[1]: \"4 GB/s\" is no size (expected a size such as 64 "
     "MiB or 1.2 GB)"},
    {"SizeTooLarge", "4 B,", "2 PiB,",
     "scenario.yaml:5:12: sizes[1]: 2 PiB is out of range (expected 0 to 1 PiB)"},
    {"RepeatedSize", "4 B,", "65536 KiB,",
     "scenario.yaml:5:23: sizes[2]: 64 MiB is repeated (expected each value once)"},
    {"SeriesWithoutMax", "[0, 4 B, 64 MiB]", "{min: 4 B}",
     "scenario.yaml:5:8: sizes.max: missing (expected a size, e.g. 1 GiB)"},
    {"SeriesFromZero", "[0, 4 B, 64 MiB]", "{min: 0, max: 4 MiB}",
     "scenario.yaml:5:14: sizes.min: a series from 0 never grows (expected more than 0)"},
    {"SeriesBackwards", "[0, 4 B, 64 MiB]", "{min: 4 MiB, max: 4 KiB}",
     "scenario.yaml:5:26: sizes.max: an empty series (expected at least the minimum, 4 "
     "MiB)"},
    {"SeriesOfFactorZero", "[0, 4 B, 64 MiB]", "{min: 4 B, max: 4 MiB, factor: 0}",
     "scenario.yaml:5:39: sizes.factor: 0 is out of range (expected a whole number from "
     "2 to 1024)"},
    {"SeriesOfFactorOne", "[0, 4 B, 64 MiB]", "{min: 4 B, max: 4 MiB, factor: 1}",
     "scenario.yaml:5:39: sizes.factor: 1 is out of range (expected a whole number from "
     "2 to 1024)"},
    {"UnknownAlgorithm", "algorithm: ring", "algorithm: rings",
     fmt::format("scenario.yaml:6:12: algorithm: unknown algorithm \"rings\", did you mean "
                 "\"ring\"? (expected {} or auto)",
                 fmt::join(allreduce_names(), ", "))},
    {"AlgorithmOfNccl", "algorithm: ring", "algorithm: NVLS",
     "scenario.yaml:6:12: algorithm: unknown algorithm \"NVLS\" (expected in-switch, where "
     "switches add)"},
    {"RepeatedAlgorithm", "algorithm: ring", "algorithm: [ring, ring]",
     "scenario.yaml:6:19: algorithm[1]: ring is repeated (expected each value once)"},
    {"UnknownDataType", "float32", "float23",
     "scenario.yaml:7:12: data_type: unknown data type \"float23\", did you mean "
     "\"float32\"? (expected float16, bfloat16, float32, float64, int32 or int64)"},
    {"UnknownOperation", "operation: sum", "operation: add",
     "scenario.yaml:8:12: operation: unknown operation \"add\" (expected sum, prod, "
     "min, max or avg)"},
    {"UnknownRule", "by-rank", "by_rank",
     "scenario.yaml:9:13: ring_order: unknown rule \"by_rank\", did you mean "
     "\"by-rank\"? (expected by-rank, reversed, interleaved, shuffled, nccl or searched)"},
    {"RepeatedRule", "by-rank", "[by-rank, by-rank]",
     "scenario.yaml:9:23: ring_order[1]: a second order named \"by-rank\" (expected a "
     "name of its own: {name: ..., order: [...]})"},
    {"OrderRepeatsARank",
     "[2, 4, 8]\nsizes: [0, 4 B, 64 MiB]\nalgorithm: ring\ndata_type: "
     "float32\noperation: sum\nring_order: by-rank",
     "4\nsizes: 4 B\nring_order: [0, 1, 3, 1]",
     "scenario.yaml:6:23: ring_order[3]: rank 1 is repeated (expected each of 0 to 3 "
     "once)"},
    {"OrderHasARankTooLarge", "ring_order: by-rank", "ring_order: [0, 1, 2, 4]",
     "scenario.yaml:9:23: ring_order[3]: rank 4 in an order of 4 (expected each of 0 to "
     "3 once)"},
    {"OrderHasANegativeRank", "ring_order: by-rank", "ring_order: [0, 1, 2, -1]",
     "scenario.yaml:9:23: ring_order[3]: -1 is out of range (expected a whole number "
     "from 0 to 999999)"},
    {"OrderOfAnotherLength", "ring_order: by-rank", "ring_order: [0, 1]",
     "scenario.yaml:9:13: ring_order: an order of 2 ranks in a scenario of 4 (expected "
     "an order of 4, or ranks: 2)"},
    {"OrderTakesARulesName", "by-rank", "{name: shuffled, order: [0, 1]}",
     "scenario.yaml:9:20: ring_order.name: \"shuffled\" is the name of a rule (expected "
     "a name of its own)"},
    {"OrderWithoutAName", "by-rank", "{order: [0, 1]}",
     "scenario.yaml:9:13: ring_order.name: missing (expected a name for the results)"},
    {"OrderWithoutOrder", "by-rank", "{name: own}",
     "scenario.yaml:9:13: ring_order.order: missing (expected a list of all ranks, or "
     "channels)"},
    {"OrderAndChannels", "by-rank", "{name: own, order: [0, 1], channels: [[0, 1]]}",
     "scenario.yaml:9:13: ring_order: order together with channels (expected one of the "
     "two)"},
    {"ThreeOrdersForTwoChannels",
     "[2, 4, 8]\nsizes: [0, 4 B, 64 MiB]\nalgorithm: ring\ndata_type: "
     "float32\noperation: sum\nring_order: by-rank",
     "2\nsizes: 4 B\nring_order: {name: own, channels: [[0, 1], [1, 0], [0, 1]]}",
     "scenario.yaml:6:35: ring_order.channels: ring orders for 3 channels in a scenario "
     "of 2 (expected orders for 2, or channels: 3)"},
    {"OrdersOfDifferentLengths", "by-rank", "{name: own, channels: [[0, 1, 2, 3], [0, 1, 2]]}",
     "scenario.yaml:9:50: ring_order.channels[1]: 3 ranks, but channels[0] has 4 (expected the "
     "same ranks in every channel)"},
    {"TwoUnnamedOrders",
     "[2, 4, 8]\nsizes: [0, 4 B, 64 MiB]\nalgorithm: ring\ndata_type: "
     "float32\noperation: sum\nring_order: by-rank",
     "2\nsizes: 4 B\nring_order: [[0, 1], [1, 0]]",
     "scenario.yaml:6:22: ring_order[1]: a second order named \"explicit\" (expected a "
     "name of its own: {name: ..., order: [...]})"},
    {"EmptyRingOrder", "by-rank", "[]",
     "scenario.yaml:9:13: ring_order: an empty list (expected at least one value)"},
    {"ZeroChannels", "channels: 2", "channels: 0",
     "scenario.yaml:10:11: channels: 0 is out of range (expected a whole number from 1 "
     "to 1024)"},
    {"TooManyChannels", "channels: 2", "channels: 1025",
     "scenario.yaml:10:11: channels: 1025 is out of range (expected a whole number from "
     "1 to 1024)"},
    {"RepeatedChannels", "channels: 2", "channels: [1, 8, 1]",
     "scenario.yaml:10:18: channels[2]: 1 is repeated (expected each value once)"},
    {"SegmentOfZero", "size: 4 MiB", "size: 0",
     "scenario.yaml:11:15: segment_size: a segment of nothing (expected e.g. 4 MiB, or "
     "whole)"},
    {"SegmentOfAFraction", "size: 4 MiB", "size: 6 B",
     "scenario.yaml:11:15: segment_size: 6 B is not a whole number of elements "
     "(expected a multiple of 4 bytes, the size of a float32)"},
    {"SegmentIsAWord", "size: 4 MiB", "size: all",
     "scenario.yaml:11:15: segment_size: no number in \"all\" (expected a size such as "
     "64 MiB or 1.2 GB)"},
    {"ServersWithoutTheAlgorithm", "seed: 7", "parameter_servers: {nodes: 0}",
     "scenario.yaml:12:20: parameter_servers: no algorithm of the scenario has servers (expected "
     "algorithm: parameter-server)"},
    {"ServerOnNoNode", "algorithm: ring",
     "algorithm: parameter-server\nparameter_servers: {nodes: [0, 9]}",
     "scenario.yaml:7:32: parameter_servers.nodes[1]: node 9 does not exist (expected 0 to 1)"},
    {"RepeatedServer", "algorithm: ring",
     "algorithm: parameter-server\nparameter_servers: {nodes: [1, 1]}",
     "scenario.yaml:7:32: parameter_servers.nodes[1]: 1 is repeated (expected each value once)"},
    {"ServersWithoutNodes", "algorithm: ring", "algorithm: parameter-server\nparameter_servers: {}",
     "scenario.yaml:7:20: parameter_servers.nodes: missing (expected a list of nodes, e.g. [0, "
     "1])"},
    {"ServersAreNoMap", "seed: 7", "parameter_servers: [0]",
     "scenario.yaml:12:20: parameter_servers: is not a map (expected the keys nodes, on and "
     "pushes)"},
    {"ServersNowhere", "algorithm: ring",
     "algorithm: parameter-server\nparameter_servers: {nodes: 0, on: cpu}",
     "scenario.yaml:7:35: parameter_servers.on: unknown place \"cpu\", did you mean \"gpu\"? "
     "(expected gpu or host)"},
    {"ServersTakeNothing", "algorithm: ring",
     "algorithm: parameter-server\nparameter_servers: {nodes: 0, pushes: never}",
     "scenario.yaml:7:39: parameter_servers.pushes: unknown way \"never\" (expected "
     "one-after-other or at-once)"},
    {"NegativeSeed", "seed: 7", "seed: -7",
     "scenario.yaml:12:7: seed: -7 is out of range (expected a whole number from 0 to "
     "9223372036854775807)"},
    {"SeedOfMoreThan64Bits", "seed: 7", "seed: 18446744073709551616",
     "scenario.yaml:12:7: seed: 18446744073709551616 is out of range (expected a whole number from "
     "0 to 9223372036854775807)"},
};

class ScenarioSlip : public ::testing::TestWithParam<Slip> {};

TEST_P(ScenarioSlip, IsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  folder.write("cluster.yaml", eight_gpus);
  folder.write("scenario.yaml", right_with(right_scenario, GetParam()));

  EXPECT_EQ(message_of(folder, [&] { return read_scenario(folder / "scenario.yaml"); }),
            GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, ScenarioSlip, ::testing::ValuesIn(scenario_slips), name_of_slip);

}  // namespace
}  // namespace ringcast
