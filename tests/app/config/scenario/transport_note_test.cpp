#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"

namespace ringcast {
namespace {

/// The note on two nodes of two GPUs.
std::string note_on(std::string_view gpu_link, std::string_view network,
                    const std::string& transport, const std::string& gpu = "") {
  const std::string joined =
      gpu_link.empty()
          ? ""
          : fmt::format(", nvlinks: [{{between: [0, 1], links: 2, link: {}}}]", gpu_link);
  const std::string model = gpu.empty() ? "" : fmt::format(", gpu: {}", gpu);
  const std::string text = fmt::format(
      "name: box\nnode_types: {{box: {{sockets: [{{root_complexes: [{{devices: [{{kind: "
      "gpu, count: 2, link: pcie-4.0-x16}}, {{kind: nic, link: pcie-4.0-x16}}]}}]}}]"
      "{}{}}}}}\nnodes: [{{type: box, count: 2}}]\nfabric: {{kind: switch, link: {}}}\n",
      joined, model, network);
  return read_scenario(yaml_of("box.yaml", text), {.transport = transport}).note;
}

TEST(TransportNote, SaysThatALibraryIsOfAnotherVendorsGpus) {
  EXPECT_EQ(note_on("nvlink-3.0", "EDR", "rccl"),
            "note: RCCL runs on AMD's GPUs; this cluster's are NVIDIA's (expected transport nccl)");
  EXPECT_EQ(note_on("xgmi-mi100", "EDR", "nccl-no-gdr"),
            "note: NCCL runs on NVIDIA's GPUs; this cluster's are AMD's (expected "
            "transport rccl)");
  for (const char* const transport : {"rccl", "nccl", "ucx"}) {
    EXPECT_EQ(note_on("xgmi-mi100", "EDR", transport), "") << transport;
    EXPECT_EQ(note_on("", "EDR", transport), "") << transport;  // GPUs of either
  }
  EXPECT_EQ(note_on("", "EDR", "rccl", "L40S"),
            "note: RCCL runs on AMD's GPUs; this cluster's are NVIDIA's (expected transport nccl)");
  EXPECT_EQ(note_on("", "EDR", "nccl-no-gdr", "R9700"),
            "note: NCCL runs on NVIDIA's GPUs; this cluster's are AMD's (expected transport rccl)");
}

TEST(TransportNote, IsTheSameForATransportOfOnesOwn) {
  const std::string text = fmt::format(
      "cluster: {0}/clusters/mi300x.yaml\nranks: 8\nsizes: 1 MiB\n"
      "transport: {{name: own, source: own, base: {0}/transports/nccl.yaml}}\n",
      RINGCAST_SOURCE_DIR "/scenarios");
  EXPECT_EQ(read_scenario(yaml_of("own.yaml", text)).note,
            "note: NCCL runs on NVIDIA's GPUs; this cluster's are AMD's (expected transport rccl)");
}

TEST(TransportNote, SaysThatATransportIsOfAnotherNetwork) {
  EXPECT_EQ(note_on("nvlink-3.0", "infiniband-hdr-4x", "nccl-efa"),
            "note: nccl-efa is NCCL over EFA; this cluster's network is infiniband-hdr-4x "
            "(expected transport nccl)");
  EXPECT_EQ(note_on("nvlink-3.0", "infiniband-hdr-4x", "nccl-efa-without-rdma"),
            "note: nccl-efa-without-rdma is NCCL over EFA; this cluster's network is "
            "infiniband-hdr-4x (expected transport nccl)");
  EXPECT_EQ(note_on("nvlink-3.0", "efa-100g", "nccl-slingshot"),
            "note: nccl-slingshot is NCCL over Slingshot; this cluster's network is efa-100g "
            "(expected transport nccl-efa)");
  EXPECT_EQ(note_on("nvlink-3.0", "efa-100g", "nccl-efa"), "");
  EXPECT_EQ(note_on("nvlink-3.0", "efa-100g", "nccl-efa-without-rdma"), "");
  EXPECT_EQ(note_on("nvlink-3.0", "slingshot-11", "nccl-slingshot"), "");
  EXPECT_EQ(note_on("nvlink-3.0", "{bandwidth: 9 GB/s, latency: 1 us, source: x}", "nccl-efa"), "");
}

}  // namespace
}  // namespace ringcast
