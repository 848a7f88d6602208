#include <string>

#include <gtest/gtest.h>

#include "tests/app/config/cluster/right_cluster.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const Slip cluster_slips[] = {
    {"NoName", "name: two nodes\n", "", "cluster.yaml:1:1: name: missing (expected a text)"},
    {"MisspeltKey", "node_types:", "node_type:",
     "cluster.yaml:5:1: node_type: unknown key, did you mean \"node_types\"? (expected "
     "name, source, links, node_types, nodes or fabric)"},
    {"UnknownKeyNearOne", "bandwidth: 6", "bandwith: 6",
     "cluster.yaml:3:34: links.ib.bandwith: unknown key, did you mean \"bandwidth\"? "
     "(expected class, bandwidth, latency, peer_bandwidth, kernel_bandwidth, both_ways or "
     "source)"},
    {"UnknownKeyNearNone", "name: two nodes", "name: two nodes\nfriends: 3",
     "cluster.yaml:2:1: friends: unknown key (expected name, source, links, node_types, "
     "nodes or fabric)"},
    {"RepeatedKey", "nodes:\n", "name: again\nnodes:\n",
     "cluster.yaml:17:1: name: repeated key (expected each key once)"},
    {"RepeatedKeyDeepInside", "count: 2, link: pcie", "count: 2, count: 3, link: pcie",
     "cluster.yaml:13:80: "
     "node_types.box.sockets[0].root_complexes[0].devices[0].devices[0].count: repeated "
     "key (expected each key once)"},
    {"NullName", "name: two nodes", "name:", "cluster.yaml:1:1: name: no value (expected a text)"},
    {"NameIsAMap", "name: two nodes", "name: {a: b}",
     "cluster.yaml:1:7: name: is a map (expected a text)"},
    {"NameIsEmpty", "name: two nodes", "name: \"\"",
     "cluster.yaml:1:7: name: an empty text (expected a text)"},
    {"ListForAMap", "{class: infiniband-fdr-4x, bandwidth: 6 GB/s}", "[infiniband-fdr-4x]",
     "cluster.yaml:3:7: links.ib: is a list (expected a link class, e.g. pcie-3.0-x16)"},
    {"LinksIsAList",
     "links:\n  ib: {class: infiniband-fdr-4x, bandwidth: 6 GB/s}\n  own: {bandwidth: "
     "10 GB/s, latency: 1 us, source: measured}",
     "links: [a]",
     "cluster.yaml:2:8: links: is not a map (expected a line \"name: value\" for each)"},
    {"LinksIsEmpty",
     "links:\n  ib: {class: infiniband-fdr-4x, bandwidth: 6 GB/s}\n  own: {bandwidth: "
     "10 GB/s, latency: 1 us, source: measured}",
     "links: {}", "cluster.yaml:2:8: links: an empty map (expected at least one entry)"},
    {"NodeTypesIsAList", "node_types:\n  box:\n", "node_types:\n  - box:\n",
     "cluster.yaml:6:3: node_types: is not a map (expected a line \"name: value\" for "
     "each)"},
    {"UnknownLinkClass", "class: infiniband-fdr-4x", "class: infiniband-fdx-4x",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"infiniband-fdx-4x\", did "
     "you mean \"infiniband-fdr-4x\"? (expected infiniband-xdr-4x, infiniband-ndr-4x, "
     "infiniband-hdr-4x, infiniband-edr-4x or infiniband-fdr-4x; for any other link {bandwidth: "
     ".., latency: .., source: ..})"},
    {"UnknownLinkClassOfAFamily", "class: infiniband-fdr-4x", "class: Slingshot 12 300G",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"Slingshot 12 300G\" (expected "
     "slingshot-11 or slingshot-10; for any other link {bandwidth: .., latency: .., source: ..})"},
    {"NameUnderLinksAsALinkClass", "class: infiniband-fdr-4x", "class: own",
     "cluster.yaml:3:15: links.ib.class: \"own\" is a name under links (expected a link "
     "class, e.g. pcie-3.0-x16)"},
    {"NameUnderLinksThatSpellsALinkClass", "ib: {class: infiniband-fdr-4x, bandwidth: 6 GB/s}\n",
     "NDR: {class: NDR, bandwidth: 6 GB/s}\n  ib: {class: NDR}\n",
     "cluster.yaml:4:15: links.ib.class: \"NDR\" is a name under links (expected a link class, "
     "e.g. pcie-3.0-x16)"},
    {"NameUnderLinksAsAClassInPlace", "link: ib\n", "link: {class: ib, latency: 1 us}\n",
     "cluster.yaml:21:17: fabric.link.class: \"ib\" is a name under links (expected a link class, "
     "e.g. pcie-3.0-x16)"},
    {"GpuAsALinkClass", "class: infiniband-fdr-4x", "class: H100 SXM5",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"H100 SXM5\", which is a GPU "
     "(expected nvlink-4.0 or pcie-5.0-x16; for any other link {bandwidth: .., latency: .., "
     "source: ..})"},
    {"CardAsALink", "link: own, devices", "link: ConnectX-7, devices",
     "cluster.yaml:13:43: node_types.box.sockets[0].root_complexes[0].devices[0].link: unknown "
     "link \"ConnectX-7\", which is a NIC (expected a name under links, "
     "infiniband-ndr-4x, infiniband-ndr-2x or ethernet-400g; for any other link {bandwidth: .., "
     "latency: .., source: ..})"},
    {"SeveralCardsAsALinkClass", "class: infiniband-fdr-4x", "class: 2x HDR",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"2x HDR\", which is 2 NICs or 2 "
     "lanes (expected infiniband-hdr-4x or infiniband-hdr-2x; 2 NICs in a node: {kind: nic, "
     "count: "
     "2, link: ..}; for any other link {bandwidth: .., latency: .., source: ..})"},
    {"LinkClassOfAnotherRate", "class: infiniband-fdr-4x", "class: Omni-Path 200",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"Omni-Path 200\", which is of another "
     "rate (expected omni-path-100 or omni-path-400; for any other link {bandwidth: .., latency: "
     ".., source: ..})"},
    {"MisspelledLinkClass", "class: infiniband-fdr-4x", "class: Ethernt 100G",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"Ethernt 100G\", did you mean "
     "\"ethernet-100g\"? (expected ethernet-100g, ethernet-800g, ethernet-400g, ethernet-200g, "
     "ethernet-10g or 4 more; for any other link {bandwidth: .., latency: .., source: ..})"},
    {"LinkClassOfAGeneration", "class: infiniband-fdr-4x", "class: UPI 2.0",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"UPI 2.0\" (expected upi-16, upi-20 "
     "or "
     "upi-24; for any other link {bandwidth: .., latency: .., source: ..})"},
    {"LinkClassWithoutGeneration", "class: infiniband-fdr-4x", "class: PCIe x16",
     "cluster.yaml:3:15: links.ib.class: unknown link class \"PCIe x16\" (expected pcie-6.0-x16, "
     "pcie-5.0-x16, pcie-4.0-x16, pcie-3.0-x16, pcie-2.0-x16 or 13 more; for any other link "
     "{bandwidth: .., latency: .., source: ..})"},
    {"UnknownLinkName", "link: own, devices", "link: owm, devices",
     "cluster.yaml:13:43: node_types.box.sockets[0].root_complexes[0].devices[0].link: "
     "unknown link \"owm\", did you mean \"own\"? (expected a name under links, a class, e.g. "
     "pcie-5.0-x16, nvlink-4.0, upi-16, infiniband-ndr-4x or ethernet-100g; for any other "
     "link {bandwidth: .., latency: .., source: ..})"},
    {"UnknownLinkFarFromAll", "link: own, devices", "link: chewing gum, devices",
     "cluster.yaml:13:43: node_types.box.sockets[0].root_complexes[0].devices[0].link: "
     "unknown link \"chewing gum\" (expected a name under links, a class, e.g. "
     "pcie-5.0-x16, nvlink-4.0, upi-16, infiniband-ndr-4x or ethernet-100g; for any other "
     "link {bandwidth: .., latency: .., source: ..})"},
    {"NamedCableTakesAClassName", "  ib: {", "  pcie-3.0-x16: {class: pcie-3.0-x16}\n  ib: {",
     "cluster.yaml:3:17: links.pcie-3.0-x16: is the name of a link class (expected a "
     "name of its own)"},
    {"OwnLinkWithoutBandwidth", "{bandwidth: 10 GB/s, latency: 1 us, source: measured}",
     "{latency: 1 us, source: measured}",
     "cluster.yaml:4:8: links.own.bandwidth: missing (expected a rate, or a class)"},
    {"OwnLinkWithoutLatency", "latency: 1 us, source", "source",
     "cluster.yaml:4:8: links.own.latency: missing (expected a time, or a class)"},
    {"OwnLinkWithoutSource", ", source: measured", "",
     "cluster.yaml:4:8: links.own.source: missing (expected where the two values come "
     "from)"},
    {"PeersFasterThanTheCable", "bandwidth: 6 GB/s", "bandwidth: 6 GB/s, peer_bandwidth: 7 GB/s",
     "cluster.yaml:3:69: links.ib.peer_bandwidth: 7 GB/s is more than the cable carries (expected "
     "at most 6 GB/s)"},
    {"BothWaysMoreThanTwice", "bandwidth: 6 GB/s", "bandwidth: 6 GB/s, both_ways: 13 GB/s",
     "cluster.yaml:3:64: links.ib.both_ways: 13 GB/s is out of range (expected between 6 GB/s one "
     "way and twice that)"},
    {"BothWaysLessThanOne", "bandwidth: 6 GB/s", "bandwidth: 6 GB/s, both_ways: 5 GB/s",
     "cluster.yaml:3:64: links.ib.both_ways: 5 GB/s is out of range (expected between 6 GB/s one "
     "way and twice that)"},
    {"ProcessesWithoutTheirLink", "- count: 2\n", "- count: 2\n        processes: 2\n",
     "cluster.yaml:10:20: node_types.box.sockets[0].processes: processes without process_link "
     "(expected what one core copies, e.g. process_link: {bandwidth: 9 GB/s, latency: 0, source: "
     "...})"},
    {"LinkOfNoProcesses", "- count: 2\n", "- count: 2\n        process_link: own\n",
     "cluster.yaml:10:23: node_types.box.sockets[0].process_link: process_link without processes "
     "(expected processes beside it, e.g. processes: 16)"},
    {"CachesOfNoProcesses", "- count: 2\n",
     "- count: 2\n        caches: [{touched: 1 MiB, bandwidth: 9 GB/s}]\n",
     "cluster.yaml:10:17: node_types.box.sockets[0].caches: caches without processes (expected "
     "processes beside it, e.g. processes: 16)"},
    {"CachesOfEquallyManyBytes", "- count: 2\n",
     "- count: 2\n        processes: 2\n        process_link: own\n"
     "        caches: [{touched: 1 MiB, bandwidth: 9 GB/s}, {touched: 1 MiB, bandwidth: 9 GB/s}]\n",
     "cluster.yaml:12:65: node_types.box.sockets[0].caches[1].touched: 1 MiB (expected more in "
     "each "
     "entry than in the one before)"},
    {"ProcessesBesideGpus", "- count: 2\n",
     "- count: 2\n        processes: 2\n        process_link: own\n",
     "cluster.yaml:6:3: node_types: cluster two nodes: both node0.process0 and node0.gpu0 "
     "(expected "
     "GPUs or processes, as ranks are alike)"},
    {"BandwidthWithoutUnit", "bandwidth: 6 GB/s", "bandwidth: 6",
     "cluster.yaml:3:45: links.ib.bandwidth: no unit in \"6\" (expected a rate such as "
     "25 GB/s or 200 Gb/s)"},
    {"BandwidthZero", "bandwidth: 6 GB/s", "bandwidth: 0",
     "cluster.yaml:3:45: links.ib.bandwidth: 0 is out of range (expected 1 kB/s to 100 "
     "TB/s)"},
    {"BandwidthNegative", "bandwidth: 6 GB/s", "bandwidth: -6 GB/s",
     "cluster.yaml:3:45: links.ib.bandwidth: negative rate \"-6 GB/s\" (expected a rate "
     "such as 25 GB/s or 200 Gb/s)"},
    {"BandwidthTooLarge", "bandwidth: 6 GB/s", "bandwidth: 101 TB/s",
     "cluster.yaml:3:45: links.ib.bandwidth: 101 TB/s is out of range (expected 1 kB/s "
     "to 100 TB/s)"},
    {"BandwidthTooSmall", "bandwidth: 6 GB/s", "bandwidth: 999 B/s",
     "cluster.yaml:3:45: links.ib.bandwidth: 999 B/s is out of range (expected 1 kB/s "
     "to 100 TB/s)"},
    {"BandwidthIsATime", "bandwidth: 6 GB/s", "bandwidth: 6 us",
     "cluster.yaml:3:45: links.ib.bandwidth: \"6 us\" is no rate (expected a rate such "
     "as 25 GB/s or 200 Gb/s)"},
    {"LatencyNegative", "latency: 1 us", "latency: -1 us",
     "cluster.yaml:4:38: links.own.latency: negative time \"-1 us\" (expected a time "
     "such as 5 us or 1.5 ms)"},
    {"LatencyAboveOneSecond", "latency: 1 us", "latency: 2 s",
     "cluster.yaml:4:38: links.own.latency: 2 s is out of range (expected 0 to 1 s)"},
    {"CountZero", "- count: 2\n", "- count: 0\n",
     "cluster.yaml:9:16: node_types.box.sockets[0].count: 0 is out of range (expected a "
     "whole number from 1 to 1000000)"},
    {"CountTooLarge", "- count: 2\n", "- count: 1000001\n",
     "cluster.yaml:9:16: node_types.box.sockets[0].count: 1000001 is out of range "
     "(expected a whole number from 1 to 1000000)"},
    {"CountNotWhole", "- count: 2\n", "- count: 2.5\n",
     "cluster.yaml:9:16: node_types.box.sockets[0].count: \"2.5\" is not a whole number "
     "(expected a whole number from 1 to 1000000)"},
    {"CountBeyondEveryInteger", "- count: 2\n", "- count: 99999999999999999999\n",
     "cluster.yaml:9:16: node_types.box.sockets[0].count: 99999999999999999999 is out "
     "of range (expected a whole number from 1 to 1000000)"},
    {"LinkIsAList", "link: own, devices", "link: [own], devices",
     "cluster.yaml:13:43: node_types.box.sockets[0].root_complexes[0].devices[0].link: "
     "is a list (expected a link class, e.g. pcie-3.0-x16, a name under links, or a map)"},
    {"SocketsEmpty",
     "sockets:\n      - count: 2\n        root_complexes:\n          - count: 1\n       "
     "     devices:\n              - {kind: pcie-switch, link: own, devices: [{kind: "
     "gpu, count: 2, link: pcie-3.0-x16}]}",
     "sockets: []",
     "cluster.yaml:8:14: node_types.box.sockets: an empty list (expected at least one "
     "value)"},
    {"SocketsMissing",
     "sockets:\n      - count: 2\n        root_complexes:\n          - count: 1\n       "
     "     devices:\n              - {kind: pcie-switch, link: own, devices: [{kind: "
     "gpu, count: 2, link: pcie-3.0-x16}]}",
     "nvswitch: {link: own}",
     "cluster.yaml:7:5: node_types.box.sockets: missing (expected a list)"},
    {"TwoSocketsWithoutALink", "    socket_link: qpi-9.6\n", "",
     "cluster.yaml:7:5: node_types.box: 2 sockets without a cable between them "
     "(expected socket_link, e.g. qpi-9.6)"},
    {"UnknownDeviceKind", "kind: gpu", "kind: gpus",
     "cluster.yaml:13:65: "
     "node_types.box.sockets[0].root_complexes[0].devices[0].devices[0].kind: unknown "
     "kind \"gpus\", did you mean \"gpu\"? (expected gpu, pcie-switch or nic)"},
    {"DeviceWithoutKind", "kind: gpu, ", "",
     "cluster.yaml:13:58: "
     "node_types.box.sockets[0].root_complexes[0].devices[0].devices[0].kind: missing "
     "(expected gpu, pcie-switch or nic)"},
    {"DeviceWithoutLink", ", link: pcie-3.0-x16", "",
     "cluster.yaml:13:58: "
     "node_types.box.sockets[0].root_complexes[0].devices[0].devices[0].link: missing "
     "(expected the cable to what is above, e.g. pcie-3.0-x16)"},
    {"DevicesBelowAGpu", "{kind: gpu, count: 2, link: pcie-3.0-x16}",
     "{kind: gpu, link: own, devices: [{kind: gpu, link: own}]}",
     "cluster.yaml:13:90: "
     "node_types.box.sockets[0].root_complexes[0].devices[0].devices[0].devices: "
     "devices below a gpu (expected them below a pcie-switch)"},
    {"TooManyPartsInANode", "count: 2, link: pcie", "count: 100000, link: pcie",
     "cluster.yaml:7:5: node_types.box: too many parts in one node (expected at most "
     "10000)"},
    {"TooManyGpusInANode", "count: 2, link: pcie", "count: 1025, link: pcie",
     "cluster.yaml:7:5: node_types.box: too many GPUs or processes in one node (expected at most "
     "1024)"},
    {"TooManyPartsInACluster", "{type: box, count: 2}",
     "{type: box, count: 100000}\n  - {type: box, count: 100000}\n  - {type: box, "
     "count: 100000}",
     "cluster.yaml:19:5: nodes[1]: too many parts in one cluster (expected at most "
     "2000000 in all)"},
    {"NicAtNoPlace", "at: root0", "at: root2",
     "cluster.yaml:15:14: node_types.box.nics[0].at: no place \"root2\" in the node "
     "(expected root0 to root1, sw0 to sw1)"},
    {"NicAtNoSwitch", "at: root0", "at: sw2",
     "cluster.yaml:15:14: node_types.box.nics[0].at: no place \"sw2\" in the node "
     "(expected root0 to root1, sw0 to sw1)"},
    {"NicAtAnUnknownKindOfPlace", "at: root0", "at: socket0",
     "cluster.yaml:15:14: node_types.box.nics[0].at: no place \"socket0\" in the node "
     "(expected root0 to root1, sw0 to sw1)"},
    {"NvlinkToAMissingGpu", "between: [0, 1]", "between: [0, 4]",
     "cluster.yaml:16:29: node_types.box.nvlinks[0].between[1]: no GPU 4 (expected a "
     "GPU of the node, 0 to 3)"},
    {"NvlinkToItself", "between: [0, 1]", "between: [1, 1]",
     "cluster.yaml:16:25: node_types.box.nvlinks[0].between: a GPU linked to itself "
     "(expected two GPUs)"},
    {"NvlinksOfOnePairInTwoEntries", "nvlinks: [",
     "nvlinks: [{between: [1, 0], link: nvlink-2.0}, ",
     "cluster.yaml:16:62: node_types.box.nvlinks[1].between: GPUs 0 and 1 are repeated (expected "
     "one entry for each two GPUs, with their number of links: e.g. links: 4)"},
    {"NvlinkWithThreeEnds", "between: [0, 1]", "between: [0, 1, 2]",
     "cluster.yaml:16:25: node_types.box.nvlinks[0].between: 3 ends (expected two GPUs, "
     "e.g. [0, 1])"},
    {"NvswitchWithoutLink", "    nvlinks:", "    nvswitch: {links_per_gpu: 6}\n    nvlinks:",
     "cluster.yaml:16:15: node_types.box.nvswitch.link: missing (expected the cable to "
     "what is above, e.g. pcie-3.0-x16)"},
    {"NvswitchWithoutCount", "    nvlinks:", "    nvswitch: {link: nvlink-4.0}\n    nvlinks:",
     "cluster.yaml:16:15: node_types.box.nvswitch.links_per_gpu: missing (expected the NVLinks of "
     "each GPU: 18 of H100 to B300, 12 of A100, 6 of V100)"},
};

class ClusterSlip : public ::testing::TestWithParam<Slip> {};

TEST_P(ClusterSlip, IsRefusedWithItsPlace) {
  const std::string text = right_with(right_cluster, GetParam());

  EXPECT_EQ(refusal_of([&] { return cluster_in(text); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, ClusterSlip, ::testing::ValuesIn(cluster_slips), name_of_slip);

}  // namespace
}  // namespace ringcast
