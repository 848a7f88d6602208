#include "app/config/scenario/job_reader.hpp"

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const std::string sweep_of_eight = R"(cluster: cluster.yaml
transport: {name: test, source: invented, message_overhead: 0 us}
ranks: [2, 8]
sizes: 64 MiB
)";

Scenario read_job(const TemporaryFolder& folder, const std::string& text,
                  const ScenarioOverrides& overrides = {}) {
  folder.write("cluster.yaml", eight_gpus);
  folder.write("scenario.yaml", text);
  return read_scenario(folder / "scenario.yaml", overrides);
}

std::vector<int> gpus_of_job(const std::string& job, const ScenarioOverrides& overrides = {}) {
  const TemporaryFolder folder;
  return read_job(folder, "job: " + job + "\nranks: 1\n" + sweep_of_eight.substr(0, 88), overrides)
      .cluster.job_gpus;
}

std::string refusal_of_job(const std::string& job, const ScenarioOverrides& overrides = {}) {
  const TemporaryFolder folder;
  return message_of(folder, [&] {
    return read_job(folder, sweep_of_eight + (job.empty() ? "" : "job: " + job + "\n"), overrides);
  });
}

// Two nodes of four GPUs: node 1 has GPUs 4 to 7 of the cluster.
TEST(Job, NumbersItsGpusNodeByNode) {
  EXPECT_EQ(gpus_of_job("{nodes: [1]}"), (std::vector{4, 5, 6, 7}));
  EXPECT_EQ(gpus_of_job("{nodes: [1, 0], gpus: [2-3, 0]}"), (std::vector{6, 7, 4, 2, 3, 0}));
  EXPECT_EQ(gpus_of_job("{gpus: 3}"), (std::vector{3, 7}));
}

TEST(Job, OptionsReplaceItsKeys) {
  EXPECT_EQ(gpus_of_job("{nodes: 1, gpus: [0, 1]}", {.gpus = "3,1-2"}), (std::vector{7, 5, 6}));
  EXPECT_EQ(gpus_of_job("{nodes: 1}", {.nodes = "0", .gpus = "1"}), (std::vector{1}));
}

TEST(Job, OfTheWholeClusterIsNone) {
  EXPECT_TRUE(gpus_of_job("{nodes: [0-1], gpus: [0-3]}").empty());
  EXPECT_TRUE(gpus_of_job("{}").empty());
  EXPECT_FALSE(gpus_of_job("{nodes: [1, 0]}").empty());
}

TEST(Job, OfAnOptionHasAllItsRanksUnlessTheirNumberIsGiven) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_job(folder, sweep_of_eight, {.gpus = "1-2"}).ranks, std::vector{4});
  EXPECT_EQ(read_job(folder, sweep_of_eight, {.ranks = "3", .nodes = "1"}).ranks, std::vector{3});
  EXPECT_EQ(read_job(folder, sweep_of_eight, {.nodes = "1", .gpus = "2"}).name,
            "scenario, nodes 1, GPUs 2");
}

// Hosts c1, c2, b1: their GPUs are 0 to 3, 4 to 7, 8 to 11.
TEST(Job, NamesHosts) {
  std::string hosts = eight_gpus;
  hosts.replace(hosts.find("{type: box, count: 2}"), 21,
                "{type: box, hosts: \"c[1-2]\"}\n  - {type: box, hosts: b1}");
  const TemporaryFolder folder;
  folder.write("cluster.yaml", hosts);
  const auto gpus = [&](const std::string& nodes) {
    return read_scenario(folder / "cluster.yaml", {.nodes = nodes, .gpus = "3"}).cluster.job_gpus;
  };
  EXPECT_EQ(gpus("b1,c2"), (std::vector{11, 7}));
  EXPECT_EQ(gpus("c[1-2], 2"), (std::vector{3, 7, 11}));
  EXPECT_EQ(message_of(folder, [&] { return gpus("c3"); }),
            "--nodes: \"c3\" is no host of the cluster (expected hosts, e.g. c1, or numbers from 0 "
            "on, e.g. 0-3,6)");
}

// Two hosts are g1 of their domains, one is g2.
TEST(Job, NamesHostsWithoutTheirDomainsWhereThatIsClear) {
  std::string hosts = eight_gpus;
  hosts.replace(hosts.find("count: 2"), 8, "hosts: [g1.a, g2.a, g1.b]");
  const TemporaryFolder folder;
  folder.write("cluster.yaml", hosts);
  const auto gpus = [&](const std::string& nodes) {
    return read_scenario(folder / "cluster.yaml", {.nodes = nodes, .gpus = "0"}).cluster.job_gpus;
  };
  EXPECT_EQ(gpus("g1.b,g2"), (std::vector{8, 4}));
  EXPECT_EQ(message_of(folder, [&] { return gpus("g1"); }),
            "--nodes: \"g1\" is no host of the cluster (expected hosts, e.g. g1.a, or numbers from "
            "0 on, e.g. 0-3,6)");
  EXPECT_EQ(message_of(folder, [&] { return gpus("g2,1"); }),
            "--nodes: g2.a is repeated (expected each once)");
}

TEST(Job, HasNodesWithGpus) {
  std::string text = eight_gpus;
  text.insert(text.find("nodes:\n"),
              "  store: {sockets: [{root_complexes: [{devices: [{kind: nic, link: "
              "pcie-3.0-x16}]}]}]}\n");
  text.replace(text.find("  - {type: box"), 2, "  - {type: store}\n  ");
  const TemporaryFolder folder;
  folder.write("cluster.yaml", text);
  const auto gpus = [&](const ScenarioOverrides& job) {
    return read_scenario(folder / "cluster.yaml", job).cluster.job_gpus;
  };
  EXPECT_EQ(gpus({.gpus = "0"}), (std::vector{0, 4}));
  EXPECT_EQ(gpus({.nodes = "2"}), (std::vector{4, 5, 6, 7}));
  EXPECT_EQ(message_of(folder, [&] { return gpus({.nodes = "0-1"}); }),
            "--nodes: node 0 has no GPU (expected nodes with GPUs)");
}

TEST(Job, OfProcessesOnOneHostUsesSharedMemory) {
  const TemporaryFolder folder;
  folder.write("cluster.yaml", R"(name: two hosts
source: invented
node_types:
  host:
    sockets:
      - processes: 2
        process_link: {bandwidth: 9 GB/s, latency: 0, source: invented}
        root_complexes: [{devices: [{kind: nic, link: pcie-3.0-x16}]}]
nodes: [{type: host, count: 2}]
fabric: {kind: switch, link: ib-fdr}
)");
  const auto transport = [&](const ScenarioOverrides& job) {
    return read_scenario(folder / "cluster.yaml", job).transport.name;
  };
  EXPECT_EQ(transport({}), transport({.gpus = "0"}));
  EXPECT_EQ(transport({.nodes = "1"}), "shared memory");
  EXPECT_NE(transport({.gpus = "0"}), "shared memory");
}

TEST(Job, IsRefusedByWhatIsWrong) {
  EXPECT_EQ(refusal_of_job("{nodes: [0, 2]}"),
            "scenario.yaml:5:18: job.nodes[1]: node 2, but the cluster has 2 (expected 0 to 1)");
  EXPECT_EQ(refusal_of_job("{gpus: [1-4]}"),
            "scenario.yaml:5:14: job.gpus[0]: GPU 4, but node 0 has 4 (expected 0 to 3)");
  EXPECT_EQ(refusal_of_job("{gpus: [0-2, 1]}"),
            "scenario.yaml:5:19: job.gpus[1]: GPU 1 is repeated (expected each once)");
  EXPECT_EQ(refusal_of_job("{nodes: [1]}"),
            "scenario.yaml:3:12: ranks[1]: 8 ranks, but the job has 4 (expected 1 to 4)");
  EXPECT_EQ(refusal_of_job("{node: 1}"),
            "scenario.yaml:5:7: job.node: unknown key, did you mean \"nodes\"? (expected nodes or "
            "gpus)");
  for (const std::string text : {"3-1", "1-", "1-2-3", "-1", "a-b", "1 - 2", "gpu1"}) {
    EXPECT_EQ(refusal_of_job("", {.nodes = text}),
              "--nodes: \"" + text + "\" (expected numbers from 0 on, e.g. 0-3,6)");
  }
  EXPECT_EQ(refusal_of_job("", {.gpus = ","}),
            "--gpus: no GPU (expected numbers from 0 on, e.g. 0-3,6)");
  EXPECT_EQ(refusal_of_job("", {.nodes = "a[1"}),
            "--nodes: brackets of \"a[1\" do not match (expected numbers from 0 on, e.g. 0-3,6)");
}

}  // namespace
}  // namespace ringcast
