#include "app/config/cluster/amd_peer_limits.hpp"

#include <string>

#include <gtest/gtest.h>

#include "app/config/cluster/cluster_writer.hpp"
#include "tests/app/config/cluster/right_cluster.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

/// At a root complex a GPU, a NIC and a switch with a NIC.
ClusterSpec hosts_of(const std::string& cpu, const std::string& gpu, const std::string& nic) {
  return cluster_in(
      "name: two hosts\nlinks: {pcie: pcie-4.0-x16}\nnode_types:\n  host:\n    cpu: " + cpu +
      "\n    sockets:\n      - root_complexes:\n          - devices:\n"
      "              - {kind: gpu, link: " +
      gpu + "}\n              - {kind: nic, link: " + nic +
      "}\n              - kind: pcie-switch\n                link: pcie\n"
      "                devices: [{kind: nic, link: " +
      nic + "}]\nnodes: [{type: host, count: 2}]\nfabric: {kind: switch, link: slingshot-11}\n");
}

const std::vector<DeviceSpec>& devices_of(const ClusterSpec& cluster) {
  return cluster.node_types[0].sockets[0].root_complexes[0].devices;
}

TEST(AmdPeerLimits, AreThoseOfNicsAtRootPorts) {
  const ClusterSpec cluster = hosts_of("EPYC 7763", "pcie-4.0-x16", "pcie-4.0-x16");
  const auto& devices = devices_of(cluster);
  EXPECT_EQ(devices[0].cable.peer_bandwidth, BytesPerSecond{0});
  EXPECT_EQ(devices[1].cable.peer_bandwidth,
            BytesPerSecond{1e9 * measured_constant(amd_nic_peers)});
  EXPECT_EQ(devices[2].cable.peer_bandwidth, BytesPerSecond{0});
  EXPECT_EQ(devices[2].devices[0].cable.peer_bandwidth, BytesPerSecond{0});
}

// Cables of PCIe 5.0 keep their class's 5/6 of 55 GB/s.
TEST(AmdPeerLimits, AreIntelsOverPcie5) {
  const auto devices = devices_of(hosts_of("amd", "pcie-5.0-x16", "pcie-5.0-x16"));
  EXPECT_NEAR(devices[0].cable.peer_bandwidth.value(), 55e9 * 5 / 6, 1);
  EXPECT_EQ(devices[1].cable.peer_bandwidth, devices[0].cable.peer_bandwidth);
  EXPECT_EQ(devices[2].cable.peer_bandwidth, BytesPerSecond{0});
}

// PCIe 5.0 is that of Genoa and Turin.
TEST(AmdPeerLimits, AreThoseOfHostsOfPcie4) {
  const ClusterSpec genoa = hosts_of("amd", "pcie-5.0-x16", "pcie-4.0-x16");
  EXPECT_EQ(devices_of(genoa)[1].cable.peer_bandwidth, BytesPerSecond{0});
  const ClusterSpec xeon = hosts_of("intel", "pcie-4.0-x16", "pcie-4.0-x16");
  EXPECT_EQ(devices_of(xeon)[1].cable.peer_bandwidth, BytesPerSecond{20e9});
}

BytesPerSecond staging_of(const std::string& cpu, const std::string& key = "") {
  const ClusterSpec cluster = cluster_in(
      "name: one host\nlinks: {pcie: pcie-4.0-x16}\nnode_types:\n  host:\n    cpu: " + cpu +
      "\n    sockets:\n      - " + key +
      "root_complexes: [{devices: [{kind: gpu, count: 2, link: pcie}]}]\n"
      "nodes: [{type: host}]\n");
  EXPECT_TRUE(cluster_in(to_yaml(cluster)) == cluster) << to_yaml(cluster);
  return cluster.node_types[0].sockets[0].staging_bandwidth;
}

TEST(StagingBandwidth, IsKnownOfRomeAndMilan) {
  const BytesPerSecond known{1e9 * measured_constant(epyc_staging)};
  for (const char* const cpu :
       {"EPYC 7542", "AMD EPYC 7543 32-Core", "AMD EPYC-Rome Processor", "7763", "EPYC 7R13",
        "AMD EPYC 7B12", "AMD EPYC 7J13 64-Core Processor", "EPYC 7K62", "EPYC 7T83", "EPYC 7Y43",
        "EPYC 7C13", "EPYC 7D12", "EPYC 75F3", "EPYC 7A53", "EPYC 7773X", "Milan"})
    EXPECT_EQ(staging_of(cpu), known) << cpu;
  for (const char* const cpu :
       {"EPYC 7601", "EPYC 9654", "EPYC 9B14", "9654", "amd", "Xeon Gold 6342"})
    EXPECT_EQ(staging_of(cpu), BytesPerSecond{0}) << cpu;
  EXPECT_EQ(staging_of("EPYC 7542", "staging_bandwidth: 24 GB/s\n        "), BytesPerSecond{24e9});
}

TEST(AmdPeerLimits, SurviveWriting) {
  const ClusterSpec cluster = hosts_of("amd", "pcie", "pcie");
  const std::string yaml = to_yaml(cluster);
  EXPECT_TRUE(cluster_in(yaml) == cluster) << yaml;
}

// The limited link of a NIC is renamed; a link of the file has that name and other values.
TEST(AmdPeerLimits, TakeNoNameOfTheFile) {
  const ClusterSpec cluster = cluster_in(
      "name: host\nlinks:\n  pcie: pcie-4.0-x16\n"
      "  pcie of NICs: {bandwidth: 3 GB/s, latency: 1 us, source: measured}\n"
      "node_types:\n  host:\n    cpu: amd\n    sockets:\n      - root_complexes:\n"
      "          - devices: [{kind: gpu, link: pcie of NICs}, {kind: nic, link: pcie}]\n"
      "nodes: [{type: host, count: 2}]\nfabric: {kind: switch, link: slingshot-11}\n");
  EXPECT_EQ(devices_of(cluster)[0].cable.name, "pcie of NICs");
  EXPECT_EQ(devices_of(cluster)[1].cable.name, "pcie of NICs (2)");
  const std::string yaml = to_yaml(cluster);
  EXPECT_TRUE(cluster_in(yaml) == cluster) << yaml;
}

TEST(AmdPeerLimits, LeaveThoseOfTheFile) {
  const ClusterSpec cluster =
      hosts_of("amd", "pcie-4.0-x16", "{class: pcie-4.0-x16, peer_bandwidth: 10 GB/s}");
  EXPECT_EQ(devices_of(cluster)[1].cable.peer_bandwidth, BytesPerSecond{10e9});
}

}  // namespace
}  // namespace ringcast
