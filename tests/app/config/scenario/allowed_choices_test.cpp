#include "app/config/scenario/allowed_choices.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

const std::string base =
    "name: all\nsource: s\nmessage_overhead: 0 us\ntuner: nccl\nprotocols:\n"
    "  - {algorithm: ring, name: LL, latencies: {p2p: 1 us}}\n"
    "  - {algorithm: ring, name: LL128, latencies: {p2p: 2 us}}\n"
    "  - {algorithm: ring, name: Simple, latencies: {p2p: 3 us}}\n"
    "  - {algorithm: tree, name: LL, latencies: {p2p: 1 us}}\n";

const std::string two_gpus = R"(
name: pair
node_types:
  box:
    sockets: [{root_complexes: [{devices: [{kind: gpu, count: 2, link: pcie-4.0-x16}]}]}]
nodes: [{type: box}]
)";

std::vector<std::string> names_of(const TransportProfile& profile) {
  std::vector<std::string> names;
  for (const Protocol& each : profile.protocols)
    names.push_back(each.full_name());
  return names;
}

class AllowedChoices : public ::testing::Test {
 protected:
  AllowedChoices() {
    folder_.write("base.yaml", base);
    folder_.write("cluster.yaml", two_gpus);
  }
  TransportProfile with(const std::string& keys) {
    folder_.write("own.yaml", "name: own\nsource: t\nbase: base.yaml\n" + keys);
    return read_transport(folder_ / "own.yaml");
  }
  Scenario pair_with(const std::string& keys, const ScenarioOverrides& overrides = {}) {
    static_cast<void>(with(keys));
    folder_.write("scenario.yaml", "cluster: cluster.yaml\ntransport: own.yaml\nsizes: 8 B\n");
    return read_scenario(folder_ / "scenario.yaml", overrides);
  }
  template <typename Action>
  std::string refusal(const Action& action) {
    return message_of(folder_, action);
  }

  TemporaryFolder folder_;
};

TEST_F(AllowedChoices, AreThoseOfTheBaseThatTheFileNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(with("only_protocols: LL\n")), (Names{"ring/LL", "tree/LL"}));
  EXPECT_EQ(names_of(with("only_protocols: [Simple, LL128]\n")),
            (Names{"ring/LL128", "ring/Simple"}));
  EXPECT_EQ(names_of(with("only_algorithms: [tree]\n")), Names{"tree/LL"});
  EXPECT_FALSE(with("").is_narrowed);
}

TEST_F(AllowedChoices, RefuseNamesOfNoChoice) {
  EXPECT_EQ(refusal([&] { return with("only_protocols: LL64\n"); }),
            "own.yaml:4:17: only_protocols: unknown protocol \"LL64\" (expected LL, LL128 or "
            "Simple)");
  EXPECT_EQ(refusal([&] { return with("only_algorithms: [in-switch]\n"); }),
            "own.yaml:4:19: only_algorithms[0]: unknown algorithm \"in-switch\" (expected ring or "
            "tree)");
  EXPECT_EQ(refusal([&] { return with("only_algorithms: tree\nonly_protocols: Simple\n"); }),
            "own.yaml:5:17: only_protocols: \"Simple\" is no protocol that own still allows "
            "(expected LL)");
  EXPECT_EQ(refusal([&] { return with("protocols: none\nonly_protocols: LL\n"); }),
            "own.yaml:5:17: only_protocols: own has no protocols to choose from (expected a "
            "transport with protocols, e.g. one with base: scenarios/transports/nccl.yaml)");
}

TEST_F(AllowedChoices, AreThoseOfTheOption) {
  EXPECT_EQ(names_of(pair_with("", {.protocol = "LL128,Simple"}).transport),
            (std::vector<std::string>{"ring/LL128", "ring/Simple"}));
  EXPECT_EQ(refusal([&] { return pair_with("", {.protocol = "ll"}); }),
            "--protocol: unknown protocol \"ll\" (expected LL, LL128 or Simple)");
}

}  // namespace
}  // namespace ringcast
