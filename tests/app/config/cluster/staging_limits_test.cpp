#include "app/config/cluster/staging_limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_writer.hpp"
#include "tests/app/config/cluster/right_cluster.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

/// Two nodes of a GPU and a NIC of 25 Gb/s.
std::string nodes_on(const std::string& pcie, const std::string& network = "ethernet-25g") {
  return fmt::format(
      "name: c\nlinks:\n  pcie: {}\n  net: {}\nnode_types:\n  node:\n    sockets:\n"
      "      - root_complexes:\n          - devices:\n"
      "              - {{kind: gpu, link: pcie}}\n              - {{kind: nic, link: pcie}}\n"
      "nodes: [{{type: node, count: 2}}]\nfabric: {{kind: switch, link: net}}\n",
      pcie, network);
}

double limit_of(const ClusterSpec& cluster) {
  const CableSpec& cable = cluster.single_switch->cable;
  return cable.kernel_bandwidth.value() / cable.bandwidth.value();
}

// 25 Gb/s are below what two channels move.
TEST(StagingLimits, AreThoseOfThePcie) {
  EXPECT_NEAR(limit_of(cluster_in(nodes_on("pcie-3.0-x16"))), 0.55, 1e-9);
  EXPECT_NEAR(limit_of(cluster_in(nodes_on("pcie-4.0-x16"))), 1, 1e-9);
  EXPECT_NEAR(limit_of(cluster_in(nodes_on("pcie-5.0-x16"))), 1, 1e-9);
}

TEST(StagingLimits, AreTakenFromTheOldestPcie) {
  EXPECT_EQ(generation_of_pcie(cluster_in(nodes_on("pcie-4.0-x16"))), 4);
  std::string mixed = nodes_on("pcie-5.0-x16");
  mixed.replace(mixed.find("nic, link: pcie"), 15, "nic, link: pcie-3.0-x16");
  EXPECT_EQ(generation_of_pcie(cluster_in(mixed)), 3);
  EXPECT_NEAR(limit_of(cluster_in(mixed)), 0.55, 1e-9);
  const std::string custom = "{bandwidth: 10 GB/s, latency: 1 us, source: made up}";
  EXPECT_FALSE(generation_of_pcie(cluster_in(nodes_on(custom))));
  EXPECT_NEAR(limit_of(cluster_in(nodes_on(custom))), 0.55, 1e-9);
}

TEST(StagingLimits, KeepTheFilesOwn) {
  const std::string own = "{class: ethernet-25g, bandwidth: 2 GB/s, kernel_bandwidth: 1 GB/s}";
  EXPECT_NEAR(limit_of(cluster_in(nodes_on("pcie-4.0-x16", own))), 0.5, 1e-9);
  const std::string rate = "{class: ethernet-25g, bandwidth: 2 GB/s}";
  EXPECT_NEAR(limit_of(cluster_in(nodes_on("pcie-4.0-x16", rate))), 1, 1e-9);
}

TEST(StagingLimits, AreThoseOfTheClassWhenWritten) {
  const ClusterSpec cluster = cluster_in(nodes_on("pcie-4.0-x16"));
  EXPECT_EQ(with_limit_of_class(cluster.single_switch->cable, 4).kernel_bandwidth,
            find_link_class("ethernet-25g")->kernel_achievable);
  EXPECT_TRUE(cluster_in(to_yaml(cluster)) == cluster) << to_yaml(cluster);
}

}  // namespace
}  // namespace ringcast
