#include "topology/import/network_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringcast {
namespace {

using testing::Contains;
using testing::Not;

/// Two hosts at a switch; the rate of the second host's cable is `rate`.
IbNetwork pair_at_a_switch(const std::string& rate) {
  IbNetwork network;
  network.nodes = {{"S-1", "leaf", true}, {"H-1", "a mlx5_0"}, {"H-2", "b mlx5_0"}};
  network.cables = {{1, 0, "4xNDR"}, {2, 0, rate}};
  return network;
}

std::vector<std::string> remarks_with_hint(const IbNetwork& network,
                                           const std::vector<HostHardware>& described) {
  return nodes_on_network("ib.txt", network, described, {.network = "infiniband-hdr-4x"})
      .fabric.value()
      .remarks;
}

TEST(NetworkNodes, SayThatTheOptionForRatesIsNotUsed) {
  HostHardware box;
  box.sockets.push_back({"", "", 0, 0, Bytes{}, {{{}}}});
  box.sockets[0].root_complexes[0].devices.push_back(
      {VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}});
  const auto unused =
      Contains("each cable has its rate here: --network infiniband-hdr-4x is not used");

  EXPECT_THAT(remarks_with_hint(pair_at_a_switch("4xNDR"), {}), unused);
  EXPECT_THAT(remarks_with_hint(pair_at_a_switch("4xNDR"), {box}), unused);
  EXPECT_THAT(remarks_with_hint(pair_at_a_switch(""), {box}), Not(unused));
}

}  // namespace
}  // namespace ringcast
