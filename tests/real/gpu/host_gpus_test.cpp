#include "real/gpu/host_gpus.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

// As Slurm starts them with --gpus-per-task=1: each rank sees one GPU, its own.
TEST(HostGpus, AreCountedWhereEachRankSeesItsOwnOnly) {
  const std::vector<HostGpus> hosts =
      gpus_of_hosts({{"a", 0, "H100", "1"}, {"a", 0, "H100", "2"}, {"b", 1, "H100", "1"}});

  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].host, "a");
  EXPECT_EQ(hosts[0].ranks, 2);
  EXPECT_EQ(hosts[0].gpus, 2);
  EXPECT_EQ(hosts[1].model, "H100");
  EXPECT_EQ(hosts[1].gpus, 1);  // of another host, whatever its identity
}

TEST(HostGpus, AreCountedOnceForRanksThatShareThem) {
  const std::vector<HostGpus> hosts =
      gpus_of_hosts({{"a", 0, "T4", "1"}, {"a", 0, "T4", "1"}, {"a", 0, "T4", "2"}});

  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].ranks, 3);
  EXPECT_EQ(hosts[0].gpus, 2);
}

TEST(HostGpus, AreNoneWithoutAnIdentity) {
  EXPECT_EQ(gpus_of_hosts({{"a", 0, "", ""}}).at(0).gpus, 0);
}

}  // namespace
}  // namespace ringcast
