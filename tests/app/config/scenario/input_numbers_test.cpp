#include "app/config/scenario/input_numbers.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "engine/numbers/error.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using Names = std::vector<std::string>;

Scenario baidu() {
  return read_scenario(std::filesystem::path{RINGCAST_SOURCE_DIR} / "scenarios/baidu-40gpu.yaml");
}

Scenario scenario_on(ClusterSpec cluster) {
  Scenario scenario;
  scenario.cluster = std::move(cluster);
  return scenario;
}

Names names_of(const Scenario& scenario) {
  Names names;
  for (const InputNumber& number : input_numbers(scenario)) {
    names.push_back(number.name);
  }
  return names;
}

InputNumber number_named(const Scenario& scenario, const std::string& name) {
  const std::vector<InputNumber> numbers = input_numbers(scenario);
  const auto found = std::ranges::find(numbers, name, &InputNumber::name);
  return found == numbers.end() ? InputNumber{} : *found;
}

TEST(InputNumbers, AreCalledWhatTheFilesCallThem) {
  EXPECT_EQ(names_of(baidu()), (Names{"link pcie bandwidth", "link pcie latency",
                                      "link qpi bandwidth", "link qpi latency", "link ib bandwidth",
                                      "link ib latency", "link ib kernel_bandwidth",
                                      "transport message_overhead", "transport reduce_rate"}));
}

// infiniband-fdr-4x in topology/links/network_classes.cpp gives the latency that the file does not
// replace.
TEST(InputNumbers, HaveValuesUnitsAndSources) {
  const InputNumber rate = number_named(baidu(), "link ib bandwidth");
  const InputNumber time = number_named(baidu(), "transport message_overhead");

  EXPECT_EQ(rate.value, 6e9);
  EXPECT_EQ(rate.unit, Unit::rate);
  EXPECT_NE(rate.source.find("the article's figure between two nodes"), std::string::npos);
  EXPECT_EQ(time.value, 7e-6);
  EXPECT_EQ(time.unit, Unit::time);
  EXPECT_NE(time.source.find("DeepBench"), std::string::npos);
}

TEST(InputNumbers, LeaveOutZeros) {
  Scenario scenario = baidu();
  scenario.transport.reduce_rate = BytesPerSecond{0};
  scenario.cluster.single_switch->cable.latency = Seconds{0};

  const Names names = names_of(scenario);

  EXPECT_EQ(std::ranges::count(names, "transport reduce_rate"), 0);
  EXPECT_EQ(std::ranges::count(names, "link ib latency"), 0);
  EXPECT_EQ(std::ranges::count(names, "link ib bandwidth"), 1);
}

TEST(InputNumbers, ChangeWhereverTheyAreUsed) {
  Scenario scenario = baidu();

  set_input_number(scenario, "link pcie bandwidth", 11e9);

  const RootComplexSpec& root = scenario.cluster.node_types[0].sockets[0].root_complexes[0];
  EXPECT_EQ(root.devices[0].cable.bandwidth, 11_GBps);
  EXPECT_EQ(root.devices[0].devices[0].cable.bandwidth, 11_GBps);
  EXPECT_EQ(scenario.cluster.node_types[0].socket_cable->bandwidth, 10_GBps);
  EXPECT_EQ(scenario.cluster.single_switch->cable.bandwidth, 6_GBps);
}

TEST(InputNumbers, CanEachBeSetAndRead) {
  for (const InputNumber& number : input_numbers(baidu())) {
    Scenario scenario = baidu();
    const Names before = names_of(scenario);

    set_input_number(scenario, number.name, 2 * number.value);

    EXPECT_EQ(number_named(scenario, number.name).value, 2 * number.value) << number.name;
    EXPECT_EQ(names_of(scenario), before) << number.name;
  }
}

// Each kind of cable once: PCIe, QPI, the network's, NVLink's, a limit of the root complex.
TEST(InputNumbers, AreFoundInEveryPartOfACluster) {
  NodeTypeSpec type = machines::dgx1();
  type.nvswitch = NvswitchSpec{1, machines::cable("nvswitch", 20)};
  type.sockets[0].root_complexes[0].cable = machines::cable("root", 15);
  Scenario scenario = scenario_on(machines::on_fat_tree(type, 2, 2, 4));
  scenario.cluster.fat_tree->uplink = machines::cable("uplink", 12);
  scenario.cluster.explicit_fabric =
      ExplicitFabricSpec{{"a"}, {{"node0.nic0", "a", machines::cable("explicit", 3)}}};
  const Names names = names_of(scenario);

  for (const char* const link : {"pcie-3.0-x16", "qpi-9.6", "nvlink-2.0", "nvswitch", "root",
                                 "infiniband-fdr-4x", "uplink", "explicit"}) {
    EXPECT_EQ(std::ranges::count(names, std::string{"link "} + link + " bandwidth"), 1) << link;
    EXPECT_EQ(std::ranges::count(names, std::string{"link "} + link + " latency"), 1) << link;
  }
  EXPECT_EQ(names.size(), 16U);
  scenario.cluster.fat_tree->adaptive_routing = true;
  EXPECT_EQ(number_named(scenario, "link uplink bandwidth").value, 12e9);
}

TEST(InputNumbers, CoverTheLimitsOfCablesAndOfHostMemory) {
  Scenario scenario = baidu();
  NodeTypeSpec& type = scenario.cluster.node_types[0];
  type.socket_cable->peer_bandwidth = 5_GBps;
  type.socket_cable->both_ways = 12_GBps;
  type.sockets[0].memory = 50_GBps;

  EXPECT_EQ(number_named(scenario, "link qpi peer_bandwidth").value, 5e9);
  EXPECT_EQ(number_named(scenario, "link qpi both_ways").value, 12e9);
  EXPECT_EQ(number_named(scenario, "node type gpu-node memory").value, 50e9);
  EXPECT_EQ(input_numbers(scenario).size(), input_numbers(baidu()).size() + 3);
}

TEST(InputNumbers, CoverProtocols) {
  Scenario scenario = baidu();
  scenario.transport.protocols = {{.algorithm = "ring",
                                   .name = "LL",
                                   .call_overhead = 2_us,
                                   .latencies = {{PathKind::p2p, 1_us}},
                                   .efficiency = 0.5}};
  scenario.transport.sources["protocols.ring/LL"] = "timed";

  EXPECT_EQ(number_named(scenario, "transport protocols.ring/LL call_overhead").value, 2e-6);
  EXPECT_EQ(number_named(scenario, "transport protocols.ring/LL latencies.p2p").value, 1e-6);
  EXPECT_EQ(number_named(scenario, "transport protocols.ring/LL efficiency").value, 0.5);
  EXPECT_EQ(number_named(scenario, "transport protocols.ring/LL efficiency").source, "timed");
  set_input_number(scenario, "transport protocols.ring/LL latencies.p2p", 3e-6);
  EXPECT_EQ(scenario.transport.protocols.front().latency_of(PathKind::p2p), 3_us);
}

TEST(InputNumbers, CoverEachRateOfCaches) {
  Scenario scenario = baidu();
  std::vector<CachedRate>& caches = scenario.cluster.node_types[0].sockets[0].caches;
  caches = {{Bytes{4U << 20U}, 30_GBps}, {Bytes{64U << 20U}, 9_GBps, 7_GBps}};

  EXPECT_EQ(number_named(scenario, "node type gpu-node caches 4 MiB bandwidth").value, 30e9);
  EXPECT_EQ(number_named(scenario, "node type gpu-node caches 64 MiB reduce_rate").value, 7e9);
  EXPECT_EQ(input_numbers(scenario).size(), input_numbers(baidu()).size() + 3);

  set_input_number(scenario, "node type gpu-node caches 64 MiB bandwidth", 8e9);
  EXPECT_EQ(caches[1].bandwidth, 8_GBps);
  EXPECT_EQ(caches[0].bandwidth, 30_GBps);
}

TEST(InputNumbers, CoverEveryCostOfATransport) {
  Scenario scenario;
  TransportProfile& transport = scenario.transport;
  transport.source = "the profile";
  transport.sources = {{"eager_limit", "a manual"}, {"overheads.network", "a log"}};
  transport.staging_buffer = 64_KiB;
  transport.copy_rate = transport.host_copy_rate = transport.reduce_rate = 10_GBps;
  transport.call_overhead = transport.message_overhead = transport.reduce_overhead = 5_us;
  transport.eager_limit = 8_KiB;
  transport.rendezvous_handshake = 3_us;
  transport.overheads = {{PathKind::p2p, 2_us}, {PathKind::network, 4_us}};

  EXPECT_EQ(names_of(scenario),
            (Names{"transport staging_buffer", "transport copy_rate", "transport host_copy_rate",
                   "transport call_overhead", "transport message_overhead",
                   "transport overheads.p2p", "transport overheads.network",
                   "transport eager_limit", "transport rendezvous_handshake",
                   "transport reduce_rate", "transport reduce_overhead"}));
  EXPECT_EQ(number_named(scenario, "transport eager_limit").value, 8192);
  EXPECT_EQ(number_named(scenario, "transport eager_limit").source, "a manual");
  EXPECT_EQ(number_named(scenario, "transport overheads.network").source, "a log");
  EXPECT_EQ(number_named(scenario, "transport overheads.p2p").source, "the profile");

  set_input_number(scenario, "transport eager_limit", 4096);
  set_input_number(scenario, "transport overheads.p2p", 1e-6);

  EXPECT_EQ(transport.eager_limit, 4_KiB);
  EXPECT_EQ(transport.overheads.at(PathKind::p2p), 1_us);
}

// 10 % more than 4 layers are 5, and 10 % less are 3: layers are whole.
TEST(InputNumbers, RoundLayersAwayFromTheirNumber) {
  Scenario scenario = scenario_on(machines::on_one_switch(machines::least(), 2));
  LaunchAhead& ahead = scenario.training.emplace().launch_ahead;
  for (const auto& [changed, layers] : {std::pair{4.4, 5}, {3.6, 3}}) {
    ahead.layers = 4;
    set_input_number(scenario, "training launch_ahead", changed);
    EXPECT_EQ(ahead.layers, layers);
  }
}

TEST(InputNumbers, KeepDifferentCablesOfOneClassApart) {
  NodeTypeSpec type = machines::least();
  type.sockets[0].root_complexes[0].devices[0].cable.bandwidth = 11_GBps;
  Scenario scenario = scenario_on(machines::on_one_switch(type, 2));

  EXPECT_EQ(number_named(scenario, "link pcie-3.0-x16 bandwidth").value, 11e9);
  EXPECT_EQ(number_named(scenario, "link pcie-3.0-x16 (2) bandwidth").value, 10e9);

  set_input_number(scenario, "link pcie-3.0-x16 (2) bandwidth", 9e9);

  const RootComplexSpec& root = scenario.cluster.node_types[0].sockets[0].root_complexes[0];
  EXPECT_EQ(root.devices[0].cable.bandwidth, 11_GBps);
  EXPECT_EQ(root.devices[1].cable.bandwidth, 9_GBps);
}

// The first cable gets the latency that the second one has.
TEST(InputNumbers, AreScaledAtOnce) {
  NodeTypeSpec type = machines::least();
  std::vector<DeviceSpec>& devices = type.sockets[0].root_complexes[0].devices;
  devices[0].cable.latency = 1_us;
  devices[1].cable = devices[0].cable;
  devices[1].cable.latency = 2_us;
  Scenario scenario = scenario_on(machines::on_one_switch(type, 2));

  scale_input_numbers(scenario, [](const InputNumber& number) {
    return number.name.starts_with("link pcie") && number.unit == Unit::time ? 2.0 : 1.0;
  });

  const RootComplexSpec& root = scenario.cluster.node_types[0].sockets[0].root_complexes[0];
  EXPECT_EQ(root.devices[0].cable.latency, 2_us);
  EXPECT_EQ(root.devices[1].cable.latency, 4_us);
  EXPECT_EQ(root.devices[0].cable.bandwidth, devices[0].cable.bandwidth);
}

TEST(InputNumbers, AreRefusedIfUnknown) {
  Scenario scenario = scenario_on(machines::on_one_switch(machines::least(), 2));
  scenario.transport.message_overhead = 1_us;

  EXPECT_EQ(machines::refusal([&] { set_input_number(scenario, "transport message_overheat", 1); }),
            "unknown number \"transport message_overheat\", did you mean \"transport "
            "message_overhead\"? (expected link pcie-3.0-x16 bandwidth, link pcie-3.0-x16 latency, "
            "link infiniband-fdr-4x bandwidth, link infiniband-fdr-4x latency or transport "
            "message_overhead)");
  EXPECT_THROW(set_input_number(scenario, "transport message_overhead", 0), ContractViolation);
}

TEST(InputNumbers, PrintForPeople) {
  EXPECT_EQ(to_text({"", 6e9, Unit::rate, ""}), "6 GB/s");
  EXPECT_EQ(to_text({"", 7e-6, Unit::time, ""}), "7 us");
  EXPECT_EQ(to_text({"", 65536, Unit::bytes, ""}), "64 KiB");
  EXPECT_EQ(to_text({"", 0.8, Unit::fraction, ""}), "0.8");
}

}  // namespace
}  // namespace ringcast
