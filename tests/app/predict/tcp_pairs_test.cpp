#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/app/predict/published_row.hpp"

namespace ringcast {
namespace {

/// Two nodes with one GPU each on 100 Gb/s Ethernet, over TCP at 3.1 GB/s and 54 us more than RDMA.
double time_of(const std::string& algorithm, const std::string& transport,
               const std::string& size) {
  return published_row(fmt::format(R"(
name: two nodes
source: by hand
transport: {}
algorithm: {}
cluster:
  name: two nodes
  links: {{pcie: pcie-4.0-x16}}
  node_types:
    box: {{sockets: [{{root_complexes: [{{devices: [{{kind: gpu, link: pcie}}, {{kind: nic, link: pcie}}]}}]}}]}}
  nodes: [{{type: box, count: 2}}]
  fabric: {{kind: switch, link: ethernet-100g}}
rows:
  - {{ranks: 2, size: {}, time: 20 us}}
)",
                                   transport, algorithm, size))
      .predicted.count();
}

// Each rank sends and receives the buffer once, and its thread moves both: 2 x 4 GiB at 3.1 GB/s,
// whatever the number of channels and of connections.
TEST(TcpPairs, TakeAsLongInATreeAsInARing) {
  const double bytes = 4.0 * (1U << 30U);
  const double expected = 2 * bytes / 3.1e9;
  EXPECT_NEAR(time_of("ring", "nccl-sockets", "4 GiB"), expected, 1e-3 * expected);
  EXPECT_NEAR(time_of("tree", "nccl-sockets", "4 GiB"), expected, 1e-3 * expected);
}

// Two messages one after the other: to the other node and back.
TEST(TcpPairs, WaitForTheKernelTwice) {
  for (const std::string algorithm : {"ring", "tree"}) {
    EXPECT_NEAR(
        time_of(algorithm, "nccl-sockets", "8 B") - time_of(algorithm, "nccl-no-gdr", "8 B"),
        2 * 54e-6, 0.1e-6)
        << algorithm;
  }
}

}  // namespace
}  // namespace ringcast
