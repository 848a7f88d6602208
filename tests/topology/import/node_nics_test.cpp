#include "topology/import/node_nics.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

TEST(NodeNics, FindTheMergedPortsOfANic) {
  IbNetwork network;
  network.nodes = {
      {"s", "switch", true}, {"h0", "n mlx5_0"}, {"h1", "n mlx5_1"}, {"h2", "n mlx5_10"}};
  network.cables = {{1, 0, ""}, {2, 0, ""}, {3, 0, ""}};
  const std::vector<detail::HostPort> adapters{{"mlx5_0", &network.cables[0], true},
                                               {"mlx5_1", &network.cables[1], true},
                                               {"mlx5_10", &network.cables[2], true}};
  for (const std::string name : {"mlx5_0, mlx5_1", "mlx5_0+mlx5_1"}) {
    SCOPED_TRACE(name);
    HostHardware host;
    host.sockets.emplace_back().root_complexes.push_back(
        {{{VertexKind::nic, "0000:04:00.0", name, "", BytesPerSecond{0}}}});

    const std::vector<detail::Nic> nics = detail::NodeNics{host, network}.among(adapters);

    ASSERT_EQ(nics.size(), 1U);
    EXPECT_EQ(nics[0], (detail::Nic{&adapters[0], &adapters[1]}));
  }
}

}  // namespace
}  // namespace ringcast
