#include <gtest/gtest.h>

#include "app/report/show.hpp"
#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

using namespace machines;

std::string matrix_of(const ClusterSpec& spec) {
  const Topology topology{build_cluster(spec)};
  return path_matrix({topology, {}, places_of_ranks(topology, topology.ranks(), {})});
}

// The table has the ranks of one of three nodes, and the first of another.
TEST(PathMatrix, CountsOneGpuMore) {
  EXPECT_NE(matrix_of(on_one_switch(least(), 3)).find("\nand 1 more GPU\n"), std::string::npos);
  EXPECT_NE(matrix_of(on_one_switch(least(), 4)).find("\nand 2 more GPUs\n"), std::string::npos);
}

TEST(PathMatrix, WritesRatesOfATerabyteWithoutExponents) {
  const DeviceSpec gpus{VertexKind::gpu, 2, cable("wide", 1000), {}};
  const NodeTypeSpec pair{"pair",
                          {socket({{VertexKind::pcie_switch, 1, cable("wide", 1000), {gpus}}})},
                          std::nullopt,
                          {},
                          std::nullopt};
  EXPECT_NE(matrix_of(cluster_of(pair, 1)).find(" 1000"), std::string::npos);
}

}  // namespace
}  // namespace ringcast
