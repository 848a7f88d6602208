#include <string>

#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const Slip fabric_slips[] = {
    {"UnknownNodeType", "type: box", "type: bos",
     "cluster.yaml:18:12: nodes[0].type: unknown node type \"bos\", did you mean "
     "\"box\"? (expected box)"},
    {"NodesEmpty", "nodes:\n  - {type: box, count: 2}", "nodes: []",
     "cluster.yaml:17:8: nodes: an empty list (expected at least one value)"},
    {"FewerHostsThanNodes", "count: 2}", "count: 2, hosts: a}",
     "cluster.yaml:18:24: nodes[0].count: 2, but 1 name under hosts (expected no count, or as many "
     "names)"},
    {"HostRepeated", "{type: box, count: 2}", "{type: box, hosts: [a, b, a]}",
     "cluster.yaml:18:24: nodes[0].hosts: a is repeated (expected each host once)"},
    {"HostsOfSomeNodes", "{type: box, count: 2}", "{type: box, hosts: [a, b]}\n  - {type: box}",
     "cluster.yaml:19:5: nodes[1]: hosts for some of the nodes only (expected hosts in each entry, "
     "or in none)"},
    {"HostsInOpenBrackets", "count: 2}", "hosts: \"a[1-2\"}",
     "cluster.yaml:18:24: nodes[0].hosts: brackets of \"a[1-2\" do not match (expected names of "
     "hosts, e.g. gpu[01-08,12])"},
    {"NoHost", "count: 2}", "hosts: \",\"}",
     "cluster.yaml:18:24: nodes[0].hosts: no name (expected names of hosts, e.g. gpu[01-08,12])"},
    {"HostOfDigits", "count: 2}", "hosts: \"n[1-2],17\"}",
     "cluster.yaml:18:24: nodes[0].hosts: \"17\" (expected names of hosts, e.g. gpu[01-08,12])"},
    {"HostOfAnOddName", "count: 2}", "hosts: [a, b c]}",
     "cluster.yaml:18:28: nodes[0].hosts[1]: \"b c\" (expected names of hosts, e.g. "
     "gpu[01-08,12])"},
    {"SeveralNodesWithoutFabric", "fabric:\n  kind: switch\n  link: ib\n", "",
     "cluster.yaml:1:1: fabric: missing (expected one that joins the 2 nodes)"},
    {"FabricOfUnknownKind", "kind: switch", "kind: swich",
     "cluster.yaml:20:9: fabric.kind: unknown kind \"swich\", did you mean \"switch\"? "
     "(expected switch, fat-tree or explicit)"},
    {"FabricWithoutKind", "  kind: switch\n", "",
     "cluster.yaml:20:3: fabric.kind: missing (expected switch, fat-tree or explicit)"},
    {"FabricWithoutLink", "  link: ib\n", "",
     "cluster.yaml:20:3: fabric.link: missing (expected the cable, e.g. "
     "infiniband-fdr-4x)"},
    {"RailsZero", "  link: ib\n", "  link: ib\n  rails: 0\n",
     "cluster.yaml:22:10: fabric.rails: 0 is out of range (expected a whole number from "
     "1 to 1000000)"},
    {"KeyOfAnotherFabric", "  link: ib\n", "  link: ib\n  radix: 36\n",
     "cluster.yaml:22:3: fabric.radix: unknown key (expected kind, rails or link)"},
    {"NodeWithoutACard", "    nics:\n      - {at: root0, link: own}\n", "",
     "cluster.yaml:7:5: node_types.box: no NIC for the fabric "
     "(expected at least one, as node0 is on it)"},
    {"FatTreeWithoutRadix", "kind: switch", "kind: fat-tree",
     "cluster.yaml:20:3: fabric.radix: missing (expected the ports of a switch, e.g. 36)"},
    {"FatTreeOfFourLevels", "kind: switch", "kind: fat-tree\n  radix: 36\n  levels: 4",
     "cluster.yaml:22:11: fabric.levels: 4 is out of range (expected a whole number "
     "from 2 to 3)"},
    {"FatTreeUndersubscribed", "kind: switch",
     "kind: fat-tree\n  radix: 36\n  oversubscription: 0.5",
     "cluster.yaml:22:21: fabric.oversubscription: 0.5 is out of range (expected a "
     "number from 1 to 1000)"},
    {"FatTreeUndersubscribedByARatio", "kind: switch",
     "kind: fat-tree\n  radix: 36\n  oversubscription: 0.5:1",
     "cluster.yaml:22:21: fabric.oversubscription: 0.5:1 is out of range (expected a ratio from "
     "1:1 to 1000:1)"},
    {"FatTreeWithARatioToNothing", "kind: switch",
     "kind: fat-tree\n  radix: 36\n  oversubscription: '2:'",
     "cluster.yaml:22:21: fabric.oversubscription: \"2:\" is not a number (expected a "
     "number from 1 to 1000)"},
    {"FatTreeOversubscribedByNaN", "kind: switch",
     "kind: fat-tree\n  radix: 36\n  oversubscription: nan",
     "cluster.yaml:22:21: fabric.oversubscription: \"nan\" is not a number (expected a "
     "number from 1 to 1000)"},
    {"FatTreeOfUnknownRouting", "kind: switch", "kind: fat-tree\n  radix: 36\n  routing: adaptiv",
     "cluster.yaml:22:12: fabric.routing: unknown routing \"adaptiv\", did you mean \"adaptive\"? "
     "(expected by-destination or adaptive)"},
    {"RoutingOfASwitch", "  link: ib\n", "  link: ib\n  routing: adaptive\n",
     "cluster.yaml:22:3: fabric.routing: unknown key (expected kind, rails or link)"},
    {"FatTreeUneven", "kind: switch", "kind: fat-tree\n  radix: 36\n  oversubscription: 4",
     "cluster.yaml:20:3: fabric: fat tree: radix 36 at 4:1 gives a leaf 7.2 ports up "
     "(expected a whole number from 1 to 35, as with oversubscription 3.5 or 4.143, or radix 35 "
     "or 40)"},
    {"FatTreeTooSmall", "count: 2}\nfabric:\n  kind: switch",
     "count: 3}\nfabric:\n  kind: fat-tree\n  radix: 2",
     "cluster.yaml:20:3: fabric: fat tree: 2 levels of radix 2 at 1:1 with 1 rail are "
     "too small for 3 nodes (expected 2 at most, 3 levels, or a greater radix)"},
    {"NoMap", "fabric:\n  kind: switch\n  link: ib\n", "fabric: switch\n",
     "cluster.yaml:19:9: fabric: is not a map (expected kind: switch, fat-tree or explicit)"},
    {"CableToNowhere", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north, south]\n  cables:\n    - {from: "
     "node0.nic0, to: north, link: ib}\n    - {from: node1.nic0, to: nroth, link: ib}\n",
     "cluster.yaml:24:30: fabric.cables[1].to: a cable to nowhere: \"nroth\", did you "
     "mean \"north\"? (expected a name under switches, or a NIC, e.g. node0.nic0)"},
    {"CableToAMissingCard", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north]\n  cables:\n    - {from: "
     "node0.nic1, to: north, link: ib}\n",
     "cluster.yaml:23:14: fabric.cables[0].from: a cable to nowhere: \"node0.nic1\" "
     "(expected a name under switches, or a NIC, e.g. node0.nic0)"},
    {"CableToACardWithALeadingZero", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north]\n  cables:\n    - {from: "
     "node0.nic00, to: north, link: ib}\n",
     "cluster.yaml:23:14: fabric.cables[0].from: a cable to nowhere: \"node0.nic00\" "
     "(expected a name under switches, or a NIC, e.g. node0.nic0)"},
    {"CableToMoreThanACard", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north]\n  cables:\n    - {from: "
     "node0.nic0.port1, to: north, link: ib}\n",
     "cluster.yaml:23:14: fabric.cables[0].from: a cable to nowhere: \"node0.nic0.port1\" "
     "(expected a name under switches, or a NIC, e.g. node0.nic0)"},
    {"CableToItself", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north]\n  cables:\n    - {from: north, "
     "to: north, link: ib}\n",
     "cluster.yaml:23:7: fabric.cables[0]: a cable from north to itself (expected two "
     "ends)"},
    {"SwitchNamedAsACard", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [node0.nic0]\n  cables: []\n",
     "cluster.yaml:21:14: fabric.switches[0]: is the name of a NIC (expected a name of its own)"},
    {"RepeatedSwitch", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north, north]\n  cables: []\n",
     "cluster.yaml:21:21: fabric.switches[1]: \"north\" is repeated (expected each "
     "switch once)"},
    {"NoCables", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north]\n  cables: []\n",
     "cluster.yaml:22:11: fabric.cables: an empty list (expected at least one value)"},
    {"UnreachableGpu", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north, south]\n  cables:\n    - {from: "
     "node0.nic0, to: north, link: ib}\n    - {from: node1.nic0, to: south, link: ib}\n",
     "cluster.yaml:20:3: fabric: no cables connect node0.gpu0 and node1.gpu0 (expected "
     "a route through no other GPU and no other node)"},
    {"FabricOfNvlink", "  link: ib\n", "  link: nvlink-4.0\n",
     "cluster.yaml:21:9: fabric.link: link class nvlink-4.0 in a fabric (expected a network, e.g. "
     "infiniband-ndr-4x or ethernet-100g; for any other link {bandwidth: .., latency: .., source: "
     "..})"},
    {"FatTreeOfPcieUplinks", "kind: switch", "kind: fat-tree\n  radix: 36\n  uplink: PCIe Gen5 x16",
     "cluster.yaml:22:11: fabric.uplink: link class pcie-5.0-x16 in a fabric (expected a network, "
     "e.g. infiniband-ndr-4x or ethernet-100g; for any other link {bandwidth: .., latency: .., "
     "source: ..})"},
    {"CableOfANamedNvlink", "class: infiniband-fdr-4x, bandwidth: 6 GB/s",
     "class: nvlink-3.0, latency: 1 us",
     "cluster.yaml:21:9: fabric.link: link class nvlink-3.0 in a fabric (expected a network, e.g. "
     "infiniband-ndr-4x or ethernet-100g; for any other link {bandwidth: .., latency: .., source: "
     "..})"},
    {"ExplicitCableOfNvlink", "fabric:\n  kind: switch\n  link: ib\n",
     "fabric:\n  kind: explicit\n  switches: [north]\n  cables:\n    - {from: node0.nic0, to: "
     "north, link: nvlink-4.0}\n",
     "cluster.yaml:23:43: fabric.cables[0].link: link class nvlink-4.0 in a fabric (expected a "
     "network, e.g. infiniband-ndr-4x or ethernet-100g; for any other link {bandwidth: .., "
     "latency: .., source: ..})"},
    {"NvlinkOfANetwork", "link: nvlink-2.0", "link: infiniband-ndr-4x",
     "cluster.yaml:16:49: node_types.box.nvlinks[0].link: link class infiniband-ndr-4x between "
     "GPUs (expected a link of GPUs, e.g. nvlink-4.0 or xgmi-mi300x; for any other link "
     "{bandwidth: .., latency: .., source: ..})"},
    {"NvswitchOfPcie", "    nvlinks: [{between: [0, 1], links: 2, link: nvlink-2.0}]",
     "    nvswitch: {link: pcie-5.0-x16}",
     "cluster.yaml:16:22: node_types.box.nvswitch.link: link class pcie-5.0-x16 between GPUs "
     "(expected a link of GPUs, e.g. nvlink-4.0 or xgmi-mi300x; for any other link {bandwidth: .., "
     "latency: .., source: ..})"},
    {"SocketLinkOfANetwork", "socket_link: qpi-9.6", "socket_link: infiniband-ndr-4x",
     "cluster.yaml:7:18: node_types.box.socket_link: link class infiniband-ndr-4x between sockets "
     "(expected a link of sockets, e.g. upi-16 or xgmi-3; for any other link {bandwidth: .., "
     "latency: .., source: ..})"},
    {"SocketLinkOfNvlink", "socket_link: qpi-9.6", "socket_link: nvlink-4.0",
     "cluster.yaml:7:18: node_types.box.socket_link: link class nvlink-4.0 between sockets "
     "(expected a link of sockets, e.g. upi-16 or xgmi-3; for any other link {bandwidth: .., "
     "latency: .., source: ..})"},
    {"CardOfSockets", "at: root0, link: own", "at: root0, link: upi-16",
     "cluster.yaml:15:27: node_types.box.nics[0].link: link class upi-16 inside a node "
     "(expected a link of a node, e.g. pcie-5.0-x16; for any other link {bandwidth: .., latency: "
     ".., source: ..})"},
    {"CardOfOlderSockets", "at: root0, link: own", "at: root0, link: qpi-9.6",
     "cluster.yaml:15:27: node_types.box.nics[0].link: link class qpi-9.6 inside a node "
     "(expected a link of a node, e.g. pcie-5.0-x16; for any other link {bandwidth: .., latency: "
     ".., source: ..})"},
    {"CardOfANetwork", "at: root0, link: own", "at: root0, link: infiniband-ndr-4x",
     "cluster.yaml:15:27: node_types.box.nics[0].link: link class infiniband-ndr-4x inside a node "
     "(expected a link of a node, e.g. pcie-5.0-x16; for any other link {bandwidth: .., latency: "
     ".., source: ..})"},
};

class FabricSlip : public ::testing::TestWithParam<Slip> {};

TEST_P(FabricSlip, IsRefusedWithItsPlace) {
  const std::string text = right_with(right_cluster, GetParam());

  EXPECT_EQ(refusal_of([&] { return cluster_in(text); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, FabricSlip, ::testing::ValuesIn(fabric_slips), name_of_slip);

TEST(FabricTest, MayHaveAnyLinkWithABandwidthOfItsOwn) {
  const ClusterSpec cluster = cluster_in(
      right_with(right_cluster, {"", "class: infiniband-fdr-4x", "class: pcie-3.0-x16", ""}));

  EXPECT_EQ(cluster.single_switch->cable.bandwidth, BytesPerSecond{6e9});
}

}  // namespace
}  // namespace ringcast
