#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"
#include "tests/app/temporary_folder.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

std::string one_node(const std::string& link, const std::string& rest = "") {
  return "name: test\n" + rest + "node_types:\n  box:\n    sockets:\n      - root_complexes:\n" +
         "          - devices: [{kind: gpu, link: " + link + "}]\n" + "nodes: [{type: box}]\n";
}

CableSpec gpu_cable(const ClusterSpec& spec) {
  return spec.node_types[0].sockets[0].root_complexes[0].devices[0].cable;
}

TEST(ClusterReader, TakesALinkClassAsItStands) {
  const CableSpec cable = gpu_cable(cluster_in(one_node("pcie-3.0-x16")));

  const LinkClass* const expected = find_link_class("pcie-3.0-x16");
  ASSERT_NE(expected, nullptr);
  EXPECT_EQ(cable.link_class, "pcie-3.0-x16");
  EXPECT_EQ(cable.bandwidth, expected->achievable);
  EXPECT_EQ(cable.latency, expected->latency);
  EXPECT_EQ(cable.source, expected->source);
  EXPECT_EQ(cable.peer_bandwidth, BytesPerSecond{8.8e9});
}

TEST(ClusterReader, TakesALinkThatIsNamedAsItsClassIsSpelled) {
  const std::string links = "links: {PCIe 3.0 x16: PCIe 3.0 x16}\n";
  EXPECT_EQ(gpu_cable(cluster_in(one_node("PCIe 3.0 x16", links))).base_class, "pcie-3.0-x16");
}

TEST(ClusterReader, TakesTheNamesOfVendors) {
  EXPECT_EQ(gpu_cable(cluster_in(one_node("PCIe Gen3 x16"))),
            gpu_cable(cluster_in(one_node("pcie-3.0-x16"))));
  const std::string links = "links:\n  slot: {class: PCIe Gen5 x16}\n  nvlink4: NVLink3\n";
  EXPECT_EQ(gpu_cable(cluster_in(one_node("slot", links))).base_class, "pcie-5.0-x16");
  // A name under links is that link, whatever else it might mean.
  EXPECT_EQ(gpu_cable(cluster_in(one_node("nvlink4", links))).base_class, "nvlink-3.0");
}

// Past a root complex of AMD's the class has no limit for peers.
TEST(ClusterReader, TakesAProcessorForItsVendor) {
  const auto peers_with = [](const std::string& cpu) {
    std::string text = one_node("pcie-3.0-x16");
    text.replace(text.find("    sockets:"), 0, "    cpu: " + cpu + "\n");
    return gpu_cable(cluster_in(text)).peer_bandwidth;
  };
  EXPECT_EQ(peers_with("EPYC 7742"), BytesPerSecond{0});
  EXPECT_EQ(peers_with("AMD"), BytesPerSecond{0});
  EXPECT_EQ(peers_with("Xeon Gold 6148"), BytesPerSecond{8.8e9});
  EXPECT_THROW(static_cast<void>(peers_with("toaster")), ScenarioError);
}

TEST(ClusterReader, ReplacesOneValueOfAClassAndSaysSo) {
  const CableSpec cable =
      gpu_cable(cluster_in(one_node("{class: pcie-3.0-x16, bandwidth: 10 GB/s}")));

  const LinkClass* const replaced = find_link_class("pcie-3.0-x16");
  ASSERT_NE(replaced, nullptr);
  EXPECT_EQ(cable.bandwidth, 10_GBps);
  EXPECT_EQ(cable.peer_bandwidth, BytesPerSecond{0});
  EXPECT_EQ(cable.latency, replaced->latency);
  EXPECT_NE(cable.source.find("bandwidth replaced by "), std::string::npos) << cable.source;
}

TEST(ClusterReader, NamesEveryReplacedValueInTheSource) {
  const auto source_of = [](const std::string& values) {
    const std::string source =
        gpu_cable(cluster_in(one_node("{class: pcie-3.0-x16" + values + "}"))).source;
    return source.substr(0, source.find(" replaced by "));
  };
  const std::string of_class = find_link_class("pcie-3.0-x16")->source;
  EXPECT_EQ(source_of(""), of_class);
  EXPECT_EQ(source_of(", peer_bandwidth: 3 GB/s"), "peer_bandwidth");
  EXPECT_EQ(source_of(", latency: 1 us, bandwidth: 9 GB/s"), "bandwidth and latency");
  EXPECT_EQ(source_of(", both_ways: 20 GB/s, kernel_bandwidth: 8 GB/s"),
            "kernel_bandwidth and both_ways");
  EXPECT_EQ(source_of(", both_ways: 20 GB/s, source: measured"), "measured");
}

TEST(ClusterReader, TakesOwnValues) {
  const CableSpec cable =
      gpu_cable(cluster_in(one_node("{bandwidth: 80 Gb/s, latency: 2 us, source: measured}")));

  EXPECT_EQ(cable.link_class, "custom");
  EXPECT_EQ(cable.bandwidth, 10_GBps);
  EXPECT_EQ(cable.latency, 2_us);
  EXPECT_EQ(cable.source, "measured");
}

TEST(ClusterReader, FindsNamedCablesUnderTheirName) {
  const CableSpec cable = gpu_cable(
      cluster_in(one_node("mine", "links: {mine: {class: pcie-3.0-x16, latency: 3 us}}\n")));

  EXPECT_EQ(cable.link_class, "mine");
  EXPECT_EQ(cable.latency, 3_us);
}

TEST(ClusterReader, CallsACableWhatTheFileCallsIt) {
  const std::string links = "links: {mine: pcie-3.0-x16}\n";
  const auto name_of = [&](const std::string& link) {
    return gpu_cable(cluster_in(one_node(link, links))).name;
  };

  EXPECT_EQ(name_of("mine"), "mine");
  EXPECT_EQ(name_of("pcie-3.0-x8"), "pcie-3.0-x8");
  EXPECT_EQ(name_of("{class: pcie-3.0-x8, bandwidth: 5 GB/s}"),
            "node_types.box.sockets[0].root_complexes[0].devices[0].link");
}

TEST(ClusterReader, OneNodeNeedsNoFabric) {
  const ClusterSpec spec = cluster_in(one_node("pcie-3.0-x16"));

  EXPECT_FALSE(spec.single_switch || spec.fat_tree || spec.explicit_fabric);
  EXPECT_EQ(spec.nodes[0].count, 1);
}

// 40 ports down and 24 up: 1.667 as a number.
TEST(ClusterReader, OversubscriptionIsANumberOrARatioOfPorts) {
  const auto ratio_of = [](const std::string& text) {
    const ClusterSpec spec = cluster_in(
        std::string{eight_gpus}.replace(std::string{eight_gpus}.find("kind: switch"), 12,
                                        "kind: fat-tree, radix: 64, oversubscription: " + text));
    return spec.fat_tree.value().oversubscription;
  };
  EXPECT_EQ(ratio_of("3"), 3);
  EXPECT_EQ(ratio_of("3:1"), 3);
  EXPECT_EQ(ratio_of("'40:24'"), 40.0 / 24);
}

TEST(ClusterReader, FatTreeHasDefaults) {
  const ClusterSpec spec = cluster_in(std::string{eight_gpus}.replace(
      std::string{eight_gpus}.find("kind: switch"), 12, "kind: fat-tree, radix: 36"));

  ASSERT_TRUE(spec.fat_tree);
  EXPECT_EQ(spec.fat_tree->levels, 2);
  EXPECT_EQ(spec.fat_tree->radix, 36);
  EXPECT_EQ(spec.fat_tree->oversubscription, 1);
  EXPECT_EQ(spec.fat_tree->rails, 1);
  EXPECT_FALSE(spec.fat_tree->uplink);
  EXPECT_FALSE(spec.fat_tree->adaptive_routing);
}

/// Two sockets, two root complexes each, two switches each, of which one has another below it:
/// roots 0..3, switches sw0 (sw1 below), sw2 | sw3 (sw4), sw5 | ... in the order of the tree.
const std::string nested = R"(name: test
node_types:
  box:
    socket_link: upi-16
    sockets:
      - count: 2
        root_complexes:
          - count: 2
            devices:
              - kind: pcie-switch
                link: pcie-4.0-x16
                devices:
                  - {kind: pcie-switch, link: pcie-4.0-x16, devices: [{kind: gpu, link: pcie-4.0-x16}]}
                  - {kind: gpu, link: pcie-4.0-x16}
              - {kind: pcie-switch, link: pcie-4.0-x16, devices: [{kind: gpu, link: pcie-4.0-x16}]}
    nics:
      - {at: PLACE, count: 2, link: pcie-4.0-x16}
      - {at: root3, link: pcie-4.0-x16}
      - {at: sw0, link: pcie-4.0-x16}
nodes: [{type: box}]
)";

/// The vertices to which NICs are cabled.
std::vector<std::string> owners_of_nics(const Cluster& cluster) {
  const auto at = [&](int index) { return cluster.vertices[static_cast<std::size_t>(index)]; };
  std::vector<std::string> owners;
  for (const Cable& cable : cluster.cables) {
    if (at(cable.a).kind == VertexKind::nic) owners.push_back(at(cable.b).name);
    if (at(cable.b).kind == VertexKind::nic) owners.push_back(at(cable.a).name);
  }
  return owners;
}

TEST(ClusterReader, AttachesNicsWhereTheFileSays) {
  for (const std::string place : {"root0", "root2", "sw0", "sw1", "sw4", "sw5", "sw11"}) {
    std::string text = nested;
    text.replace(text.find("PLACE"), 5, place);
    const ClusterSpec spec = cluster_in(text);

    const std::vector<std::string> owners = owners_of_nics(build_cluster(spec));
    const auto number_at = [&](const std::string& name) {
      return std::ranges::count(owners, "node0." + name);
    };
    EXPECT_EQ(owners.size(), 4U);
    EXPECT_EQ(number_at(place), place == "sw0" ? 3 : 2) << place;
    EXPECT_EQ(number_at("root3"), 1) << place;
    EXPECT_GE(number_at("sw0"), 1) << place;
  }
}

// Two sockets, and a NIC at the second: the root complex of the first is left out, with its
// number.
TEST(ClusterReader, TakesRootComplexesWithoutDevices) {
  const std::string text = R"(name: processes
node_types:
  box:
    socket_link: upi-16
    sockets:
      - {count: 2, processes: 1, process_link: {bandwidth: 9 GB/s, latency: 0, source: x},
         root_complexes: [{}]}
    nics: [{at: root1, link: pcie-4.0-x16}]
nodes: [{type: box, count: 2}]
fabric: {kind: switch, link: infiniband-hdr-4x}
)";
  const Cluster cluster = build_cluster(cluster_in(text));

  EXPECT_EQ(owners_of_nics(cluster),
            (std::vector<std::string>{"node0.root1", "node1.root1", "switch0", "switch0"}));
  EXPECT_EQ(std::ranges::count(cluster.vertices, VertexKind::root_complex, &Vertex::kind), 2);
}

TEST(ClusterReader, PlacedNicsMoveNoGpu) {
  std::string text = nested;
  text.replace(text.find("PLACE"), 5, "root0");
  const Cluster with_nics = build_cluster(cluster_in(text));
  text.erase(text.find("    nics:"), text.find("nodes: [") - text.find("    nics:"));
  const Cluster without_nics = build_cluster(cluster_in(text));

  const auto gpu_owners = [](const Cluster& cluster) {
    std::vector<std::string> owners;
    for (const Cable& cable : cluster.cables) {
      const Vertex& below = cluster.vertices[static_cast<std::size_t>(cable.b)];
      if (below.kind != VertexKind::gpu) continue;
      owners.push_back(cluster.vertices[static_cast<std::size_t>(cable.a)].name + below.name);
    }
    return owners;
  };
  EXPECT_EQ(gpu_owners(with_nics).size(), 12U);
  EXPECT_EQ(gpu_owners(with_nics), gpu_owners(without_nics));
}

TEST(ClusterReader, ReadsAnExplicitFabric) {
  const ClusterSpec spec = cluster_in(std::string{eight_gpus}.replace(
      std::string{eight_gpus}.find("fabric:"), std::string::npos,
      "fabric:\n  kind: explicit\n  switches: [a, b]\n  cables:\n"
      "    - {from: node0.nic0, to: a, link: infiniband-fdr-4x}\n"
      "    - {from: a, to: b, link: infiniband-hdr-4x}\n"
      "    - {from: b, to: node1.nic0, link: {class: infiniband-fdr-4x, latency: 1 us}}\n"));

  ASSERT_TRUE(spec.explicit_fabric);
  EXPECT_EQ(spec.explicit_fabric->switches, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(spec.explicit_fabric->cables.size(), 3U);
  EXPECT_EQ(spec.explicit_fabric->cables[1].to, "b");
  EXPECT_EQ(spec.explicit_fabric->cables[1].cable.link_class, "infiniband-hdr-4x");
  EXPECT_EQ(spec.explicit_fabric->cables[1].cable.name, "infiniband-hdr-4x");
  EXPECT_EQ(spec.explicit_fabric->cables[2].cable.name, "b - node1.nic0");
}

/// A node of `gpus` GPUs with these keys for their NVLinks.
NodeTypeSpec node_with(int gpus, const std::string& nvlinks) {
  std::string text = one_node("pcie-3.0-x16");
  text.replace(text.find("kind: gpu"), 9, fmt::format("kind: gpu, count: {}", gpus));
  text.insert(text.find("nodes:"), nvlinks);
  return cluster_in(text).node_types[0];
}

TEST(ClusterReader, ReadsNvlinksAndNvswitch) {
  const NodeTypeSpec type =
      node_with(4,
                "    nvlinks: [{between: [0, 3], links: 2, link: nvlink-2.0}]\n"
                "    nvswitch: {links_per_gpu: 6, link: nvlink-2.0}\n");

  ASSERT_EQ(type.nvlinks.size(), 1U);
  EXPECT_EQ(type.nvlinks[0].gpu_b, 3);
  EXPECT_EQ(type.nvlinks[0].links, 2);
  ASSERT_TRUE(type.nvswitch);
  EXPECT_EQ(type.nvswitch->links_per_gpu, 6);
}

// The bandwidth of the class would become that between GPUs, and would need links_per_gpu.
TEST(ClusterReader, KeepsAnNvlinksOwnBandwidth) {
  const NodeTypeSpec type =
      node_with(2,
                "    nvlinks: [{between: [0, 1], link: {class: nvlink-2.0, bandwidth: 15 GB/s}}]\n"
                "    nvswitch: {link: {class: nvlink-2.0, bandwidth: 120 GB/s}}\n");

  EXPECT_EQ(type.nvlinks.at(0).cable.bandwidth, 15_GBps);
  EXPECT_EQ(type.nvswitch->links_per_gpu, 1);
  EXPECT_EQ(type.nvswitch->cable.bandwidth, 120_GBps);
}

}  // namespace
}  // namespace ringcast
