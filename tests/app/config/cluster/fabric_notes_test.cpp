#include "app/config/cluster/fabric_notes.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// Two nodes of a GPU with four NICs.
ClusterSpec with_four_nics(int rails) {
  return on_one_switch(
      {"node", {socket({switches(1, {gpus(1), nics(4)})})}, std::nullopt, {}, std::nullopt}, 2,
      rails);
}

TEST(FabricNotes, SayThatTheNicsOfAGpuAreApart) {
  for (const int rails : {1, 2, 4})
    EXPECT_TRUE(notes_on_fabric(with_four_nics(rails)).empty());
  EXPECT_EQ(notes_on_fabric(with_four_nics(3)),
            std::vector<std::string>{
                "note: on 3 rails the 4 NICs of each GPU do not count as one, and a ring "
                "uses one of them (expected rails: a divisor or a multiple of 4)"});
}

TEST(FabricNotes, SayThatAFatTreeKeepsTheNicsOfAGpuApart) {
  ClusterSpec spec = with_four_nics(1);
  spec.single_switch.reset();
  EXPECT_TRUE(notes_on_fabric(spec).empty());
  const std::string rest =
      " the 4 NICs of each GPU do not count as one, and a ring uses one of them (expected one NIC "
      "with 4 times the rate, or kind: switch)";
  spec.explicit_fabric.emplace();
  EXPECT_EQ(notes_on_fabric(spec), std::vector{"note: in an explicit fabric" + rest});
  spec.explicit_fabric.reset();
  spec.fat_tree.emplace();
  EXPECT_EQ(notes_on_fabric(spec), std::vector{"note: in a fat tree" + rest});
}

TEST(FabricNotes, SayThatSomeNicsAreLeftOver) {
  const NodeTypeSpec type{
      "node", {socket({switches(4, {gpus(2), nics(3)})})}, std::nullopt, {}, std::nullopt};
  EXPECT_EQ(notes_on_fabric(on_one_switch(type, 2)),
            std::vector<std::string>{
                "note: 3 NICs below one PCIe switch or root complex with 2 GPUs do not count as 2, "
                "and a ring uses 2 of them (expected a multiple of 2)"});
}

TEST(FabricNotes, NameTheNicsOfTwoPlanes) {
  ClusterSpec spec = cluster_of(least(), 2);
  ExplicitFabricSpec& fabric = spec.explicit_fabric.emplace();
  fabric.switches = {"left", "right"};
  for (const char* const nic : {"node0.nic0", "node1.nic0"})
    fabric.cables.push_back({nic, "left", cable("plane", 6)});
  EXPECT_TRUE(notes_on_fabric(spec).empty());

  for (const char* const nic : {"node0.nic0", "node1.nic0"})
    fabric.cables.push_back({nic, "right", cable("plane", 6)});
  EXPECT_EQ(notes_on_fabric(spec),
            std::vector<std::string>{
                "note: NICs with several cables: 2, the first is node0.nic0 with 2; the messages "
                "from one rank to another use one of them"});
}

}  // namespace
}  // namespace ringcast
