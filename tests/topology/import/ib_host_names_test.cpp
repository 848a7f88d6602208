#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"
#include "topology/import/ib_network.hpp"
#include "topology/import/network_nodes.hpp"

namespace ringcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

DiscoveredNodes nodes_in(const std::string& listing) {
  return nodes_on_network("ib.txt", read_ib_network("ib.txt", lines_of_text(listing)), {});
}

// Two machines that call themselves localhost, the second with a NIC of two ports, and a third.
TEST(IbHostNames, AHostWithTwoAdaptersOfOneNameIsSeveralHosts) {
  const DiscoveredNodes nodes = nodes_in(
      "sysimgguid=0xa\nCa 1 \"H-1\" # \"localhost mlx5_0\"\n[1] \"S-1\"[1] # lid 1 4xNDR\n"
      "sysimgguid=0xb\nCa 1 \"H-2\" # \"localhost mlx5_0\"\n[1] \"S-1\"[2] # lid 2 4xNDR\n"
      "sysimgguid=0xb\nCa 1 \"H-3\" # \"localhost mlx5_1\"\n[1] \"S-1\"[3] # lid 3 4xNDR\n"
      "sysimgguid=0xc\nCa 1 \"H-4\" # \"red mlx5_0\"\n[1] \"S-1\"[4] # lid 4 4xNDR\n"
      "Switch 36 \"S-1\" # \"leaf\"\n");

  ASSERT_EQ(nodes.types.size(), 2U);
  EXPECT_THAT(nodes.types[0].hosts, ElementsAre("H-1", "red"));
  EXPECT_THAT(nodes.types[1].hosts, ElementsAre("H-2"));
  EXPECT_THAT(nodes.fabric.value().remarks,
              Contains(HasSubstr("3 adapters share the names of others, such as \"localhost "
                                 "mlx5_0\": each NIC is taken for a host of its own")));
}

// infiniband-diags prints the end of a line in a description as a blank.
TEST(IbHostNames, ABlankAtTheEndOfADescriptionIsNoPartOfIt) {
  const DiscoveredNodes nodes = nodes_in(
      "Ca 1 \"H-1\" # \"red mlx5_0 \"\n[1] \"S-1\"[1] # lid 1 4xNDR\n"
      "Ca 1 \"H-2\" # \"red mlx5_1 \"\n[1] \"S-1\"[2] # lid 2 4xNDR\n"
      "Switch 36 \"S-1\" # \"leaf\"\n");
  ASSERT_EQ(nodes.types.size(), 1U);
  EXPECT_THAT(nodes.types[0].hosts, ElementsAre("red"));
}

// One machine with two NICs, or two with one each: their names do not tell.
TEST(IbHostNames, AdaptersNamedLocalhostAreOneHostWithARemark) {
  const auto nodes_with = [](const std::string& host, const std::string& second_adapter) {
    return nodes_in("sysimgguid=0xa\nCa 1 \"H-1\" # \"" + host +
                    " mlx5_0\"\n[1] \"S-1\"[1] # lid 1 4xNDR\nsysimgguid=" + second_adapter +
                    "\nCa 1 \"H-2\" # \"" + host +
                    " mlx5_1\"\n[1] \"S-1\"[2] # lid 2 4xNDR\n"
                    "sysimgguid=0xc\nCa 1 \"H-4\" # \"red mlx5_0\"\n[1] \"S-1\"[4] # lid 4 4xNDR\n"
                    "Switch 36 \"S-1\" # \"leaf\"\n");
  };
  const DiscoveredNodes nodes = nodes_with("localhost", "0xb");

  ASSERT_EQ(nodes.types.size(), 2U);
  EXPECT_THAT(nodes.types[0].hosts, ElementsAre("localhost"));
  EXPECT_THAT(nodes.fabric.value().remarks,
              Contains("2 adapters are named localhost: they are taken for those of one host "
                       "(expected node descriptions with the names of hosts)"));
  EXPECT_THAT(nodes_with("blue", "0xb").fabric.value().remarks,
              Not(Contains(HasSubstr("localhost"))));
  EXPECT_THAT(nodes_with("localhost", "0xa").fabric.value().remarks,
              Not(Contains(HasSubstr("localhost"))));
}

}  // namespace
}  // namespace ringcast
