// What NCCL's channels carry, and which reductions NVSwitches combine, on nodes of eight H100.
#include <gtest/gtest.h>

#include "tests/app/predict/published_row.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

// At 8 GiB NCCL has 16 channels between eight H100 of each node, for eight rings. They are what
// limits a ring, not the NICs of 49 GB/s: 30/16 of the buffer through two channels per ring.
TEST(TunedChannels, AreSharedByRings) {
  const auto seconds = [](const std::string& transport) {
    return published_row("name: H100\nsource: by hand\ncluster: " RINGCAST_SOURCE_DIR
                         "/scenarios/clusters/dgx-h100-2-nodes.yaml\n" +
                         transport +
                         "algorithm: ring\nrows:\n  - {ranks: 16, size: 8 GiB, time: 50 ms}\n")
        .predicted.count();
  };
  const double bytes = 30.0 / 16 * (8ULL << 30U);
  EXPECT_NEAR(seconds("transport: nccl\n"), bytes / (16e9 * measured_constant(ring_channel)), 4e-4);
  EXPECT_LT(seconds("transport: {name: t, source: test, base: " RINGCAST_SOURCE_DIR
                    "/scenarios/transports/nccl.yaml, least_channels: 24}\n"),
            bytes / 380e9);
  EXPECT_NEAR(seconds("transport: {name: t, source: test, base: " RINGCAST_SOURCE_DIR
                      "/scenarios/transports/nccl.yaml, most_channels: 4}\n"),
              bytes / (4e9 * measured_constant(ring_channel)), 2e-3);
}

TEST(TunedSwitches, SumWhatTheyCombine) {
  const auto row = [](const std::string& keys) {
    return published_row("name: H100\nsource: by hand\ncluster: " RINGCAST_SOURCE_DIR
                         "/scenarios/clusters/hgx-h100.yaml\ntransport: nccl\n" +
                         keys + "rows:\n  - {ranks: 8, size: 1 GiB, time: 4 ms}\n");
  };
  EXPECT_EQ(row("").algorithm, "in-switch/Simple");
  EXPECT_EQ(row("operation: avg\n").algorithm, "ring/Simple");
  EXPECT_EQ(row("operation: max\ndata_type: bfloat16\n").algorithm, "in-switch/Simple");
  EXPECT_THROW(row("operation: avg\nalgorithm: in-switch\n"), std::out_of_range);  // no row
}

}  // namespace
}  // namespace ringcast
