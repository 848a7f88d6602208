#include <string>

#include <gtest/gtest.h>

#include "app/report/show.hpp"
#include "tests/app/report/occurrences.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {
namespace {

using namespace machines;

TEST(ClusterJson, NamesRanksVerticesAndCablesForOtherPrograms) {
  ClusterSpec spec = on_one_switch(least(), 2);
  spec.name = "pair";
  spec.node_types[0].gpu = "H100 SXM";
  spec.node_types[0].sockets[0].staging_bandwidth = BytesPerSecond{4e9};
  const std::string json = cluster_json(Topology{build_cluster(spec)});
  EXPECT_NE(json.find(R"("name": "pair")"), std::string::npos);
  EXPECT_NE(json.find("\"ranks\": [\n    \"node0.gpu0\",\n    \"node1.gpu0\"\n  ]"),
            std::string::npos);
  EXPECT_NE(json.find("\"name\": \"switch0\",\n      \"kind\": \"network switch\",\n"
                      "      \"node\": null"),
            std::string::npos);
  EXPECT_EQ(occurrences(json, R"("kind": "NIC")"), 2U);
  EXPECT_EQ(occurrences(json, R"("gpu": "H100 SXM",)"), 2U);
  EXPECT_EQ(occurrences(json, R"("staging_bandwidth_bytes_per_s": 4000000000.0)"), 2U);
  EXPECT_EQ(occurrences(json, R"("compute_capability": 9.0)"), 2U);
  EXPECT_EQ(occurrences(json, "\"link_class\": \"infiniband-fdr-4x\""), 2U);
  EXPECT_EQ(occurrences(json, "\"bandwidth_bytes_per_s\": 6000000000.0"), 2U);
  EXPECT_EQ(occurrences(json, "\"both_ways_bytes_per_s\": null"), occurrences(json, "\"a\":"));
}

}  // namespace
}  // namespace ringcast
