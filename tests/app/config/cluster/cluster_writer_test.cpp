// A cluster that is written and read is the same cluster.
#include "app/config/cluster/cluster_writer.hpp"

#include <cmath>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "app/config/cluster/cable_reader.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "tests/app/config/cluster/right_cluster.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

void expect_survival(ClusterSpec spec) {
  set_staging_limits(spec);  // as the reader does
  const std::string yaml = to_yaml(spec);
  EXPECT_TRUE(cluster_in(yaml) == spec) << yaml;
}

CableSpec class_cable(const std::string& name) {
  CableSpec cable = cable_of(*find_link_class(name));
  cable.name = name;
  return cable;
}

/// Clusters with names that YAML would take for something else and numbers of all digits.
class RandomCluster {
 public:
  explicit RandomCluster(unsigned seed) : random_{seed} {}

  ClusterSpec make() {
    for (std::size_t i = 0; i < odd_.size(); ++i)
      cables_.push_back(i % 3 == 0 ? class_cable("nvlink-c2c") : custom_cable(odd_[i]));
    with_gpus_ = chance();
    ClusterSpec spec;
    spec.name = odd_[below(odd_.size())];
    spec.source = chance() ? "" : odd_[below(odd_.size())];
    const std::size_t types = 1 + below(3);
    for (std::size_t i = 0; i < types; ++i) {
      spec.node_types.push_back(node_type(odd_[i * 5 + below(5)]));
      spec.nodes.push_back({spec.node_types.back().name, count()});
    }
    spec.nodes.push_back({spec.node_types.front().name, count()});
    add_fabric(spec);
    if (!spec.explicit_fabric && chance()) name_hosts(spec);
    return spec;
  }

 private:
  /// With gaps, and numbers that get longer.
  void name_hosts(ClusterSpec& spec) {
    int number = 7;
    for (NodeGroupSpec& group : spec.nodes) {
      for (int i = 0; i < group.count; ++i)
        group.hosts.push_back(fmt::format("r1-n{}.site", number += 1 + static_cast<int>(below(2))));
    }
  }
  std::size_t below(std::size_t end) { return random_() % end; }
  bool chance() { return below(2) == 0; }
  int count() { return 1 + static_cast<int>(below(3)); }
  double part() { return std::uniform_real_distribution<double>{0, 1}(random_); }
  BytesPerSecond rate() { return BytesPerSecond{std::pow(10, 4 + 8 * part())}; }
  CableSpec cable() { return cables_[below(cables_.size())]; }
  CableSpec fabric_cable() {
    const CableSpec some = cable();
    return some.base_class.empty() ? some : class_cable("infiniband-edr-4x");
  }

  CableSpec custom_cable(const std::string& name) {
    CableSpec cable{name, rate(), Seconds{std::pow(10, -9 + 8 * part())}, name, name};
    if (chance()) cable.peer_bandwidth = (1 - part() / 2) * cable.bandwidth;
    if (chance()) cable.both_ways = (1 + part()) * cable.bandwidth;
    return cable;
  }

  NodeTypeSpec node_type(const std::string& name) {
    NodeTypeSpec type;
    type.name = name;
    type.socket_cable = cable();
    type.gpudirect = chance();
    DeviceSpec below_switch{VertexKind::pcie_switch, count(), cable(), {}};
    below_switch.devices = {{VertexKind::nic, 2, cable(), {}}};
    SocketSpec socket{count(), {{count(), std::nullopt, {below_switch}}}};
    if (chance()) socket.root_complexes[0].cable = cable();
    if (with_gpus_) {
      socket.root_complexes[0].devices[0].devices.push_back({VertexKind::gpu, 2, cable(), {}});
      if (chance()) {
        type.gpu = chance() ? "RTX PRO 6000 [Blackwell]: \"Server\"" : "GeForce RTX 5090";
      }
      if (chance()) type.nvlinks = {{1, 0, count(), cable()}};
      if (chance()) type.nvswitch = NvswitchSpec{count(), cable()};
    } else {
      socket.processes = count();
      socket.process_cable = cable();
      socket.memory = rate();
      socket.caches = {{Bytes{1 + random_()}, rate()}, {Bytes{1ULL << 40U}, rate(), rate()}};
      socket.caches.back().lent_rate = rate();
    }
    type.sockets = {socket, socket, SocketSpec{}};
    return type;
  }

  void add_fabric(ClusterSpec& spec) {
    const std::size_t kind = below(3);
    if (kind == 0) {
      spec.single_switch = SingleSwitchSpec{count() % 2 + 1, fabric_cable()};
    } else if (kind == 1) {
      spec.fat_tree = FatTreeSpec{3, 64, chance() ? 1.0 : 3.0, 1, fabric_cable(), std::nullopt};
      if (chance()) spec.fat_tree->uplink = fabric_cable();
      spec.fat_tree->adaptive_routing = chance();
    } else {
      ExplicitFabricSpec fabric;
      fabric.switches = odd_;
      for (std::size_t i = 1; i < odd_.size(); ++i)
        fabric.cables.push_back({odd_[0], odd_[i], fabric_cable()});
      int nodes = 0;
      for (const NodeGroupSpec& group : spec.nodes)
        nodes += group.count;
      for (int node = 0; node < nodes; ++node)
        fabric.cables.push_back({fmt::format("node{}.nic0", node), odd_[1], fabric_cable()});
      spec.explicit_fabric = fabric;
    }
  }

  std::vector<std::string> odd_{
      "a b",    "x: y",     "# hash", "[list]", "null", "\"quoted\"", "back\\slash", "tab\there",
      "umläut", "-",        "123",    "true",   "{a}",  "trailing ",  "$x$",         "~",
      "a, b",   "'single'", "@at",    "%per",   "&and", "*star",      "!bang",       "| pipe"};
  std::mt19937 random_;
  std::vector<CableSpec> cables_;
  bool with_gpus_ = true;
};

TEST(ClusterWriter, KeepsEveryClusterOfTheCatalogue) {
  const std::filesystem::path folder{RINGCAST_SOURCE_DIR "/scenarios/clusters"};
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    SCOPED_TRACE(entry.path());
    expect_survival(read_cluster(entry.path()));
    ++files;
  }
  EXPECT_GE(files, 17);
}

TEST(ClusterWriter, KeepsOddNamesAndExactNumbers) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    expect_survival(RandomCluster{seed}.make());
  }
}

// In place, a cable is known by the path of its key.
TEST(ClusterWriter, KeepsCablesThatAreDescribedInPlace) {
  expect_survival(cluster_in(right_cluster));
  expect_survival(cluster_in(R"(name: in place
node_types:
  host:
    socket_link: {class: qpi-9.6, bandwidth: 7 GB/s}
    sockets:
      - count: 2
        processes: 2
        process_link: {bandwidth: 4 GB/s, latency: 0, source: test}
        root_complexes:
          - link: {class: pcie-3.0-x16}
            devices:
              - {kind: nic, link: {class: pcie-3.0-x16, latency: 0.7 us, peer_bandwidth: 1 GB/s}}
nodes: [{type: host, count: 4}]
fabric:
  kind: fat-tree
  radix: 4
  oversubscription: 1
  routing: by-destination
  link: {class: infiniband-fdr-4x, both_ways: 8.1 GB/s}
  uplink: {bandwidth: 1.23456789012345 GB/s, latency: 0.1 us, source: "guessed: twice"}
)"));
}

// The class's name stands for other values, and no entry of links may have it.
TEST(ClusterWriter, KeepsTheValuesOfAClassThatWereChanged) {
  ClusterSpec spec = machines::cluster_of(machines::least(), 1);
  DeviceSpec& gpu = spec.node_types[0].sockets[0].root_complexes[0].devices[0];
  gpu.cable = class_cable("pcie-3.0-x16");
  gpu.cable.bandwidth = BytesPerSecond{1e9 / 3};
  gpu.cable.peer_bandwidth = gpu.cable.kernel_bandwidth = BytesPerSecond{1e9 / 7};

  const ClusterSpec read = cluster_in(to_yaml(spec));

  CableSpec expected = gpu.cable;
  expected.name = "node_types.least.sockets[0].root_complexes[0].devices[0].link";
  EXPECT_TRUE(read.node_types[0].sockets[0].root_complexes[0].devices[0].cable == expected);
}

TEST(ClusterWriter, PutsRemarksAboveAndBesideTheirPlaces) {
  ClusterSpec spec = machines::cluster_of(machines::least(), 1);
  DeviceSpec& gpu = spec.node_types[0].sockets[0].root_complexes[0].devices[0];
  CableSpec own = machines::cable("own", 10);
  own.name = "own";
  gpu.cable = own;
  spec.node_types[0].sockets[0].root_complexes[0].devices = {gpu};
  YamlRemarks remarks;
  remarks.above[""] = {"first", "second"};
  remarks.above["links.own"] = {"a cable"};
  remarks.above["node_types.least.sockets[0]"] = {"a socket"};
  remarks.beside["node_types.least.sockets[0].root_complexes[0].devices[0]"] = "a GPU";

  EXPECT_EQ(to_yaml(spec, remarks), R"(# first
# second
name: "test"

links:
  # a cable
  own: {bandwidth: 10 GB/s, latency: 1 us, source: "invented"}

node_types:
  least:
    sockets:
      # a socket
      - root_complexes:
          - devices:
              - {kind: gpu, link: own}  # a GPU

nodes:
  - {type: least}
)");
}

}  // namespace
}  // namespace ringcast
