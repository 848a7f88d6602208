#include "app/predict/bands.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

Topology two_nodes_of_two(const std::string& network_class = "infiniband-edr-4x") {
  ClusterSpec spec = on_one_switch(dual_root(), 2);
  spec.single_switch->cable.base_class = network_class;
  spec.single_switch->cable.link_class = "ib";
  return Topology{build_cluster(spec)};
}

Row row_on(const std::string& link, double utilisation) {
  Row row;
  row.time = Seconds{1e-3};
  row.busiest = {{link, "ib", BytesPerSecond{12e9}, Bytes{1}, utilisation}};
  return row;
}

// The whole time is transfer over a network link, whose class has a spread of 12 %.
TEST(Bands, AreThoseOfTheBottlenecksClass) {
  const Band band = band_of(row_on("node0.nic0 -> switch0", 1), two_nodes_of_two());

  EXPECT_NEAR(band.low.count(), 0.88e-3, 1e-12);
  EXPECT_NEAR(band.high.count(), 1.12e-3, 1e-12);
  EXPECT_EQ(band.widest, "100 % of the time is ib, -12 to +12 %");
}

// 12 % of a network, 8 % within a node.
TEST(Bands, OfALinkWithoutAClassAreThoseOfItsKind) {
  const Topology topology = two_nodes_of_two("");

  EXPECT_NEAR(band_of(row_on("switch0 -> node0.nic0", 1), topology).high.count(), 1.12e-3, 1e-12);
  EXPECT_NEAR(band_of(row_on("node0.nic0 -> switch0, kernel copies", 1), topology).high.count(),
              1.35e-3, 1e-12);
  EXPECT_NEAR(band_of(row_on("node0.root0 -> node0.nic0", 1), topology).high.count(), 1.08e-3,
              1e-12);
  EXPECT_NEAR(band_of(row_on("node0.socket0, memory", 1), topology).high.count(), 1.08e-3, 1e-12);
}

// 35 % for what kernels stage.
TEST(Bands, AreWiderForWhatKernelsStage) {
  const Band band = band_of(row_on("node0.nic0 -> switch0, kernel copies", 1), two_nodes_of_two());

  EXPECT_NEAR(band.high.count(), 1.35e-3, 1e-12);
  EXPECT_EQ(band.widest, "100 % of the time is ib, kernel copies, -35 to +35 %");
}

TEST(Bands, OfStagedReadsAreThoseOfTheirHosts) {
  Row row = row_on("node0.gpu0, staged reads", 1);
  row.busiest.front().link_class = "staged reads";
  const Band band = band_of(row, two_nodes_of_two());

  EXPECT_NEAR(band.low.count(), 0.67e-3, 1e-12);
  EXPECT_NEAR(band.high.count(), 1.23e-3, 1e-12);
}

// 12 % for both directions together as well.
TEST(Bands, OfBothDirectionsTogetherAreThoseOfTheCablesClass) {
  const Band band = band_of(row_on("node0.nic0 - switch0, both ways", 1), two_nodes_of_two());

  EXPECT_NEAR(band.high.count(), 1.12e-3, 1e-12);
}

// Half is transfer: 0.5 x 12 % + 0.5 x 25 % less, 0.5 x 12 % + 0.5 x 100 % more.
TEST(Bands, ContainTheSpreadOfOverheads) {
  const Band band = band_of(row_on("node0.nic0 -> switch0", 0.5), two_nodes_of_two());

  EXPECT_NEAR(band.low.count(), 0.815e-3, 1e-12);
  EXPECT_NEAR(band.high.count(), 1.56e-3, 1e-12);
  EXPECT_EQ(band.widest, "50 % of the time is latencies, overheads and waiting, -25 to +100 %");
}

TEST(Bands, OfRowsWithoutLinksAreThoseOfOverheads) {
  Row row;
  row.time = Seconds{1e-3};

  EXPECT_NEAR(band_of(row, two_nodes_of_two()).high.count(), 2e-3, 1e-12);
}

TEST(Bands, OfNothingToExchangeAreNone) {
  Result result;
  result.rows = {Row{}, row_on("node0.nic0 -> switch0", 1)};

  add_bands(result, two_nodes_of_two());

  EXPECT_TRUE(result.rows[0].band.empty());
  EXPECT_EQ(result.rows[1].band.size(), 1U);
}

}  // namespace
}  // namespace ringcast
