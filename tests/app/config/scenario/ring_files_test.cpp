#include <gtest/gtest.h>

#include "app/common/mapped.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

constexpr const char* pair_of_gpus =
    "name: pair\nnode_types: {pair: {sockets: [{root_complexes: [{devices: [{kind: gpu, count: 2, "
    "link: pcie-4.0-x16}]}]}]}}\nnodes: [{type: pair}]\n";

// As ringcast rings --export ringcast writes them.
TEST(RingFiles, AreNamedAsTheirFiles) {
  const TemporaryFolder folder;
  folder.write("pair.yaml", pair_of_gpus);
  folder.write("a.yaml", "channels:\n  - [0, 1]\n");
  folder.write("b.yaml", "channels:\n  - [1, 0]\n");
  folder.write("c.yaml", "name: own\norder: [1, 0]\n");
  folder.write("scenario.yaml", "cluster: pair.yaml\ntransport: " RINGCAST_SOURCE_DIR
                                "/scenarios/transports/ideal.yaml\nsizes: 8 B\n"
                                "ring_order: [a.yaml, b.yaml, c.yaml]\n");

  const Scenario scenario = read_scenario(folder / "scenario.yaml", {});

  EXPECT_EQ(mapped(scenario.ring_orders, &RingChoice::name),
            (std::vector<std::string>{"a", "b", "own"}));
}

}  // namespace
}  // namespace ringcast
