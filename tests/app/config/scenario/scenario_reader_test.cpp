#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/catalogue_transport.hpp"
#include "app/config/scenario/scenario.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

Scenario read_text(const std::string& text, const ScenarioOverrides& overrides = {}) {
  const TemporaryFolder folder;
  folder.write("clusters/eight.yaml", eight_gpus);
  folder.write("transports/test.yaml",
               "name: test\nsource: invented\nmessage_overhead: 5 us\nreduce_rate: 100 GB/s\n"
               "fused_reduction: true\n");
  folder.write("experiment.yaml", text);
  return read_scenario(folder / "experiment.yaml", overrides);
}

const std::string shortest =
    "cluster: clusters/eight.yaml\ntransport: transports/test.yaml\nsizes: 64 MiB\n";

TEST(ScenarioReader, HasTheSizesOfABareClusterFileWithoutItsOwn) {
  const std::string without = "cluster: clusters/eight.yaml\ntransport: transports/test.yaml\n";
  const std::vector<Bytes> usual{64_KiB, 1_MiB, 16_MiB, 256_MiB, 1_GiB};
  EXPECT_EQ(read_text(without).sizes, usual);

  EXPECT_EQ(read_text(without, {.sizes = "3MiB"}).sizes, std::vector<Bytes>{3_MiB});
}

TEST(ScenarioReader, HasADefaultForAllButClusterAndTransport) {
  const Scenario scenario = read_text(shortest);

  EXPECT_EQ(scenario.name, "experiment");
  EXPECT_EQ(scenario.file.filename(), "experiment.yaml");
  EXPECT_EQ(scenario.ranks, std::vector<int>{8});
  EXPECT_EQ(scenario.algorithms, std::vector<std::string>{"ring"});
  EXPECT_EQ(scenario.reduction.type, ElementType::float32);
  EXPECT_EQ(scenario.reduction.operation, Operation::sum);
  ASSERT_EQ(scenario.ring_orders.size(), 1U);
  EXPECT_EQ(scenario.ring_orders[0].name, "by-rank");
  EXPECT_TRUE(scenario.ring_orders[0].given.empty());
  EXPECT_TRUE(scenario.channels.empty());
  EXPECT_FALSE(scenario.segment_size);
  EXPECT_EQ(scenario.seed, 0U);
}

TEST(ScenarioReader, FindsItsFilesRelativeToItself) {
  const Scenario scenario = read_text(shortest);

  EXPECT_EQ(scenario.cluster.name, "eight GPUs");
  EXPECT_EQ(scenario.transport.name, "test");
  EXPECT_EQ(scenario.transport.message_overhead, 5_us);
  EXPECT_EQ(scenario.transport.reduce_rate, 100_GBps);
  EXPECT_TRUE(scenario.transport.fused_reduction);
}

TEST(ScenarioReader, ReadsEveryKey) {
  const Scenario scenario = read_text(
      "name: all\ncluster: clusters/eight.yaml\ntransport: {name: ideal, source: none, "
      "message_overhead: 0 us}\n"
      "ranks: [2, 8]\nsizes: [0, 1.2 GB]\nalgorithm: [ring]\ndata_type: bfloat16\n"
      "operation: avg\nring_order: [shuffled, reversed]\nchannels: 4\nsegment_size: 4 MiB\n"
      "seed: 9223372036854775807\n");

  EXPECT_EQ(scenario.name, "all");
  EXPECT_EQ(scenario.transport.reduce_rate, BytesPerSecond{0});
  EXPECT_EQ(scenario.ranks, (std::vector<int>{2, 8}));
  EXPECT_EQ(scenario.sizes, (std::vector<Bytes>{0_B, Bytes{1'200'000'000}}));
  EXPECT_EQ(scenario.reduction.type, ElementType::bfloat16);
  EXPECT_EQ(scenario.reduction.operation, Operation::avg);
  EXPECT_EQ(scenario.ring_orders[0].name, "shuffled");
  EXPECT_EQ(scenario.channels, std::vector{4});
  EXPECT_EQ(scenario.segment_size, 4_MiB);
  EXPECT_EQ(scenario.seed, 9223372036854775807U);
}

TEST(ScenarioReader, ASeriesIncludesBothEnds) {
  const Scenario scenario = read_text(
      "cluster: clusters/eight.yaml\ntransport: transports/test.yaml\n"
      "sizes: {min: 1 KiB, max: 4 KiB}\n");

  EXPECT_EQ(scenario.sizes, (std::vector<Bytes>{1_KiB, 2_KiB, 4_KiB}));
}

TEST(ScenarioReader, ReadsRingOrdersOfEveryForm) {
  const Scenario scenario = read_text(shortest +
                                      "ranks: 2\nchannels: 2\n"
                                      "ring_order:\n"
                                      "  - by-rank\n"
                                      "  - [1, 0]\n"
                                      "  - {name: own, order: [0, 1]}\n"
                                      "  - {name: both ways, channels: [[0, 1], [1, 0]]}\n");

  ASSERT_EQ(scenario.ring_orders.size(), 4U);
  EXPECT_EQ(scenario.ring_orders[1].name, "explicit");
  EXPECT_EQ(scenario.ring_orders[1].given[0], (std::vector<Rank>{Rank{1}, Rank{0}}));
  EXPECT_EQ(scenario.ring_orders[2].name, "own");
  EXPECT_EQ(scenario.ring_orders[3].given.size(), 2U);
}

TEST(ScenarioReader, ReadsOneOrderWithoutANameToo) {
  const Scenario scenario = read_text(shortest + "ranks: 3\nring_order: [1, 0, 2]\n");

  ASSERT_EQ(scenario.ring_orders.size(), 1U);
  EXPECT_EQ(scenario.ring_orders[0].given[0], (std::vector<Rank>{Rank{1}, Rank{0}, Rank{2}}));
}

const std::string with_servers = shortest + "algorithm: [ring, parameter-server]\n";

TEST(ScenarioReader, ReadsTheNodesThatServe) {
  EXPECT_EQ(read_text(with_servers).parameter_servers, std::vector<int>{});
  EXPECT_EQ(read_text(with_servers + "parameter_servers: {nodes: [1, 0]}\n").parameter_servers,
            (std::vector<int>{1, 0}));
  EXPECT_FALSE(read_text(with_servers + "parameter_servers: {nodes: 1}\n").served_at_once);
  EXPECT_TRUE(
      read_text(with_servers + "parameter_servers: {nodes: 1, pushes: at-once}\n").served_at_once);
  EXPECT_EQ(read_text(with_servers + "parameter_servers: {nodes: 1}\n").parameter_servers,
            std::vector<int>{1});
}

TEST(ScenarioReader, AnOptionMayNarrowTheSweepToAlgorithmsWithoutServers) {
  const TemporaryFolder folder;
  folder.write("eight.yaml", eight_gpus);
  folder.write("scenario.yaml",
               "cluster: eight.yaml\ntransport: {name: test, source: invented, message_overhead: "
               "0}\nsizes: 64 MiB\n"
               "algorithm: [ring, parameter-server]\nparameter_servers: {nodes: 0}\n");

  EXPECT_EQ(read_scenario(folder / "scenario.yaml", {.algorithm = "ring"}).algorithms,
            std::vector<std::string>{"ring"});
}

TEST(ScenarioReader, TakesATransportOfTheCatalogueByItsName) {
  const auto named = [](const std::string& name) {
    return read_text("cluster: clusters/eight.yaml\nsizes: 4 B\ntransport: " + name + "\n");
  };
  EXPECT_EQ(named("nccl").transport.name, "NCCL");
  EXPECT_EQ(named("NCCL").transport.name, "NCCL");
  EXPECT_EQ(named("NCCL EFA").transport.name, "NCCL, EFA");
  EXPECT_THAT(refusal_of([&] { return named("ncll"); }),
              ::testing::HasSubstr("unknown transport \"ncll\", did you mean \"nccl\"? (expected a "
                                   "YAML file, a release from nccl-2.0 to nccl-2.32, or "
                                   "cuda-aware-mpi, "));
  EXPECT_THAT(refusal_of([&] { return named("nccl-2.99"); }),
              ::testing::HasSubstr("unknown release \"nccl-2.99\" (expected a release from "
                                   "nccl-2.0 to nccl-2.32; nccl is the newest that is known)"));
}

TEST(ScenarioReader, TakesAReleaseOfNccl) {
  const auto named = [](const std::string& name) {
    return read_text("cluster: clusters/eight.yaml\nsizes: 4 B\ntransport: " + name + "\n")
        .transport;
  };
  for (const char* const name :
       {"nccl-2.26", "NCCL 2.26.2", "nccl-2.26.2+cuda12.8", "'2.26'", "2.26.2", "2.26.2-1+cuda12.4",
        "2.26.2-1", "v2.26.2", "NCCL v2.26.2"}) {
    EXPECT_EQ(named(name).nccl_version, (NcclVersion{2, 26})) << name;
  }
  EXPECT_EQ(named("nccl-2.26").name, "NCCL 2.26");
  EXPECT_EQ(named("nccl-2.26").protocols, named("nccl").protocols);
}

TEST(ScenarioReader, RefusesAReleaseOfNcclForGpusOfAmd) {
  EXPECT_EQ(refusal_of([] {
              return read_scenario(RINGCAST_SOURCE_DIR "/scenarios/clusters/mi300x.yaml",
                                   {.transport = "nccl-2.26"});
            }),
            "--transport: \"nccl-2.26\" on GPUs of AMD, for which NCCL is RCCL (expected rccl)");
}

TEST(ScenarioReader, TakesTheTransportOfTheOption) {
  for (const char* const file :
       {"scenarios/baidu-40gpu.yaml", "scenarios/clusters/baidu-2017.yaml"}) {
    EXPECT_EQ(read_scenario(std::string{RINGCAST_SOURCE_DIR "/"} + file, {.transport = "nccl-2.26"})
                  .transport.name,
              "NCCL 2.26");
  }
}

TEST(ScenarioReader, PredictsNcclOnABareClusterFile) {
  const Scenario scenario =
      read_scenario(RINGCAST_SOURCE_DIR "/scenarios/clusters/baidu-2017.yaml");

  EXPECT_EQ(scenario.ranks, std::vector<int>{40});
  EXPECT_EQ(scenario.transport.name, read_transport("scenarios/transports/nccl.yaml").name);
  EXPECT_EQ(scenario.sizes.front(), 64_KiB);
  EXPECT_EQ(scenario.sizes.back(), 1_GiB);
}

TEST(ScenarioReader, PredictsSharedMemoryBetweenProcesses) {
  const Scenario scenario = read_scenario(RINGCAST_SOURCE_DIR "/scenarios/clusters/one-host.yaml");

  EXPECT_EQ(scenario.transport.name, "shared memory");
}

TEST(ScenarioReader, PredictsMpiBetweenProcessesOfSeveralHosts) {
  const TemporaryFolder folder;
  folder.write("cpus.yaml", R"(name: cpus
node_types:
  box:
    sockets:
      - {processes: 4, process_link: {bandwidth: 9 GB/s, latency: 0, source: x},
         root_complexes: [{}]}
    nics: [{at: root0, link: pcie-4.0-x16}]
nodes: [{type: box, count: 2}]
fabric: {kind: switch, link: infiniband-hdr-4x}
)");

  EXPECT_EQ(read_scenario(folder / "cpus.yaml").transport.name, "MPI, host memory");
}

TEST(ScenarioReader, TakesTheNameNcclAsTheLibraryThatRunsOnTheCluster) {
  const auto nccl_on = [](std::string_view cluster) {
    return nccl_of(
        read_cluster(fmt::format("{}/scenarios/clusters/{}.yaml", RINGCAST_SOURCE_DIR, cluster)));
  };
  EXPECT_EQ(nccl_on("mi300x-2-nodes"), "rccl");
  EXPECT_EQ(nccl_on("alps"), "nccl-slingshot");
  EXPECT_EQ(nccl_on("aws-p4d"), "nccl-efa");
  EXPECT_EQ(nccl_on("aws-t4"), "nccl-efa-without-rdma");  // PCIe 3.0, the first EFA
  EXPECT_EQ(nccl_on("aws-p5"), "nccl");  // whose plugin leaves the protocols to NCCL
  EXPECT_EQ(nccl_on("v100-10gbe"), "nccl-sockets");
  EXPECT_EQ(nccl_on("roce100"), "nccl");
  EXPECT_EQ(nccl_on("hgx-h100"), "nccl");

  ClusterSpec of_pcie =
      read_cluster(fmt::format("{}/scenarios/clusters/roce100.yaml", RINGCAST_SOURCE_DIR));
  of_pcie.node_types.front().gpu = "MI210";
  EXPECT_EQ(nccl_of(of_pcie), "rccl");

  const std::string cluster =
      fmt::format("cluster: {}/scenarios/clusters/mi300x.yaml\n", RINGCAST_SOURCE_DIR);
  EXPECT_EQ(read_text(cluster + "transport: nccl\nsizes: 1 MiB\n").transport.name, "RCCL");
  EXPECT_EQ(read_text(cluster + "transport: scenarios/transports/nccl.yaml\nsizes: 1 MiB\n")
                .transport.name,
            "NCCL");
}

TEST(ScenarioReader, SaysThatAClusterFileIsNoScenarioOfAMeasurement) {
  const std::filesystem::path file{RINGCAST_SOURCE_DIR "/scenarios/clusters/baidu-2017.yaml"};

  EXPECT_THAT(refusal_of([&] { return read_scenario(file, {}, Purpose::measurement); }),
              ::testing::HasSubstr("is a cluster (expected a scenario; for a cluster: ringcast "
                                   "show, or a scenario's key cluster)"));
}

TEST(ScenarioReader, AClusterMayStandInTheScenario) {
  const Scenario scenario = read_text(
      "cluster:\n  name: inline\n  node_types: {box: {sockets: [{root_complexes: [{devices: "
      "[{kind: gpu, count: 3, link: pcie-3.0-x16}]}]}]}}\n  nodes: [{type: box}]\n"
      "transport: transports/test.yaml\nsizes: 4 B\n");

  EXPECT_EQ(scenario.cluster.name, "inline");
  EXPECT_EQ(scenario.ranks, std::vector<int>{3});
}

}  // namespace
}  // namespace ringcast
