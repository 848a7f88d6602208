#include <gtest/gtest.h>

#include "tests/app/report/exported_job.hpp"

namespace ringcast {
namespace {

using namespace machines;
using ring_files::Job;
using ring_files::ring;

TEST(RingExport, SaysThatHostsOfSeveralRingsAreInSeveralOrders) {
  const Job job{on_one_switch(least(), 4)};
  const std::vector<RingOrder> alike(2, RingOrder::identity(4));
  const std::vector<RingOrder> two{alike[0], ring({0, 2, 1, 3})};
  EXPECT_EQ(job.note("slurm", two).find("the order of the first of 2 rings, which others do not"),
            std::string{"--export slurm: the hosts are in "}.size());
  EXPECT_EQ(job.note("ringcast", two) + job.note("hostfile", alike), "");
}

TEST(RingExport, SaysThatSeveralRingsDifferWithinHosts) {
  const Job job{on_one_switch(dual_root(), 1)};
  const std::vector<RingOrder> two{RingOrder::identity(8), ring({0, 2, 1, 3, 4, 5, 6, 7})};
  for (const std::string format : {"hostfile", "rankfile", "slurm", "torchrun"}) {
    EXPECT_EQ(job.note(format, two),
              "--export " + format +
                  ": the rings differ within hosts, which this format does not express (expected "
                  "--channels 1 for the best single ring, or --export ringcast, which has all)");
  }
  EXPECT_EQ(job.note("nccl-graph", two), "");
}

TEST(RingExport, SaysThatSlurmsFileHasNoGpus) {
  const Job job{on_one_switch(dual_root(), 1)};
  const std::vector<RingOrder> own{ring({0, 2, 1, 3, 4, 5, 6, 7})};
  EXPECT_EQ(job.note("slurm", own),
            "--export slurm: the GPUs of each host and their order are left out (expected "
            "--export rankfile or torchrun, which have them)");
  EXPECT_EQ(job.note("rankfile", own) + job.note("slurm", {RingOrder::identity(8)}), "");
}

}  // namespace
}  // namespace ringcast
