#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"

namespace ringcast {
namespace {

TEST(EthernetNote, IsAboutPlainEthernetWithTheDefaultTransport) {
  const auto note_on = [](std::string_view name, std::string_view link,
                          const ScenarioOverrides& overrides = {}) {
    return read_scenario(
               yaml_of(
                   "box.yaml",
                   fmt::format("name: {}\nlinks: {{net: 100 GbE}}\nnode_types: {{box: "
                               "{{sockets: [{{root_complexes: [{{devices: [{{kind: gpu, link: "
                               "pcie-4.0-x16}}, {{kind: nic, link: pcie-4.0-x16}}]}}]}}]}}}}\n"
                               "nodes: [{{type: box, count: 2}}]\nfabric: {{kind: switch, link: "
                               "{}}}\n",
                               name, link)),
               overrides)
        .note;
  };
  EXPECT_EQ(note_on("box", "100GbE"),
            "note: 100GbE is taken as RoCE, which is RDMA; for TCP: --transport nccl-sockets");
  EXPECT_NE(note_on("box", "net").find("100 GbE is taken as RoCE"), std::string::npos);
  EXPECT_NE(note_on("box", "{class: ethernet-25g, latency: 2 us}").find("ethernet-25g is"),
            std::string::npos);
  EXPECT_EQ(note_on("box", "gVNIC 100G"),
            "note: gVNIC 100G is taken as RoCE, but has no RDMA; for its TCP: --transport "
            "nccl-sockets-google");
  for (const std::string_view other :
       {"RoCE 100G", "10GbE", "EDR", "2.5GbE", "eRDMA 100G", "Pollara 400", "Spectrum-X 400G"})
    EXPECT_EQ(note_on("box", other), "") << other;
  EXPECT_EQ(note_on("box with RoCE", "100GbE"), "");
  EXPECT_EQ(note_on("box", "100GbE", {.transport = "nccl-sockets"}), "");
}

}  // namespace
}  // namespace ringcast
