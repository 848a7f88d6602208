#include "engine/numbers/available_memory.hpp"

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

/// A host of 1,000 MiB, whose root is a folder.
class AvailableMemory : public ::testing::Test {
 protected:
  AvailableMemory() {
    host.write("proc/meminfo", "MemTotal: 2048000 kB\nMemAvailable: 1024000 kB\n");
  }
  TemporaryFolder host;
};

TEST_F(AvailableMemory, IsTheHostsWithoutControlGroups) {
  EXPECT_EQ(available_memory(host.path()), 1000_MiB);

  host.write("proc/self/cgroup", "\n0::/\n");
  EXPECT_EQ(available_memory(host.path()), 1000_MiB);
}

TEST_F(AvailableMemory, IsWhatAGroupAboveStillAllows) {
  host.write("proc/self/cgroup", "0::/job/step\n");
  host.write("sys/fs/cgroup/job/step/memory.max", "max\n");
  host.write("sys/fs/cgroup/job/step/memory.current", "1048576\n");
  host.write("sys/fs/cgroup/job/memory.max", "419430400\n");      // 400 MiB
  host.write("sys/fs/cgroup/job/memory.current", "209715200\n");  // 200 MiB
  host.write("sys/fs/cgroup/job/memory.stat", "anon 52428800\ninactive_file 104857600\n");

  EXPECT_EQ(available_memory(host.path()), 300_MiB);  // 400 - (200 - 100)
}

TEST_F(AvailableMemory, IsTheLeastThatAnyGroupAllows) {
  host.write("proc/self/cgroup", "0::/job/step\n");
  host.write("sys/fs/cgroup/job/step/memory.max", "314572800\n");      // 300 MiB
  host.write("sys/fs/cgroup/job/step/memory.current", "209715200\n");  // 200 MiB
  host.write("sys/fs/cgroup/job/memory.max", "524288000\n");           // 500 MiB
  host.write("sys/fs/cgroup/job/memory.current", "209715200\n");

  EXPECT_EQ(available_memory(host.path()), 100_MiB);  // 300 - 200, not 500 - 200
}

// The two files are read one after the other.
TEST_F(AvailableMemory, IsNoMoreThanTheLimitIfCachedFilesExceedTheUsage) {
  host.write("proc/self/cgroup", "0::/\n");
  host.write("sys/fs/cgroup/memory.max", "100\n");
  host.write("sys/fs/cgroup/memory.current", "20\n");
  host.write("sys/fs/cgroup/memory.stat", "inactive_file 30\n");

  EXPECT_EQ(available_memory(host.path()), Bytes{100});
}

TEST_F(AvailableMemory, KnowsControlGroupsOfVersionOne) {
  host.write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/outside/of/the/container\n0::/\n");
  host.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "419430400\n");
  host.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "209715200\n");
  host.write("sys/fs/cgroup/memory/memory.stat",
             "inactive_file 0\nactive_file 9\ntotal_inactive_file 104857600\n");

  EXPECT_EQ(available_memory(host.path()), 300_MiB);
}

TEST_F(AvailableMemory, IsNothingInAGroupBeyondItsLimit) {
  host.write("proc/self/cgroup", "0::/\n");
  host.write("sys/fs/cgroup/memory.max", "100\n");
  host.write("sys/fs/cgroup/memory.current", "200\n");

  EXPECT_EQ(available_memory(host.path()), Bytes{0});
}

TEST(HasRoom, Leaves128MiBForOthers) {
  EXPECT_TRUE(has_room(300_MiB, 172.0 * (1U << 20U)));  // 300 - 128
  EXPECT_FALSE(has_room(300_MiB, 172.0 * (1U << 20U) + 1));
  EXPECT_FALSE(has_room(100_MiB, 0));
}

}  // namespace
}  // namespace ringcast
