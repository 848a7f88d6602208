// Properties of a job of devices beyond the conformance suites.
#include "real/gpu/device_job.hpp"

#include <atomic>

#include "tests/real/gpu/fake_job.hpp"
#include "tests/refusal.hpp"

namespace ringcast::testing {
namespace {

constexpr Reduction int_sum{ElementType::int32, Operation::sum};

std::unique_ptr<DeviceThreads> job(int ranks, const DeviceOptions& options,
                                   const DeviceThreads::Wiring& wiring = {}) {
  return fake_job(ranks, int_sum, options, wiring);
}

DeviceOptions by(DevicePath path) {
  DeviceOptions options;
  options.path = path;
  options.timeout = Seconds{1};
  return options;
}

/// A program in which rank 0 sends one int to rank 1.
void send_one(RankContext& self) {
  const Slice slice = contract::hold(self, 1);
  if (self.network.rank() == contract::first) {
    self.network.send(contract::second, slice, contract::tag).wait();
  } else {
    self.network.recv(contract::first, slice, contract::tag).wait();
  }
}

std::string refusal_to_send(DevicePath path, const DeviceThreads::Wiring& wiring = {}) {
  return refusal_of<BackendUnavailable>([&] { job(2, by(path), wiring)->run(send_one); });
}

TEST(DeviceJob, RefusesIpcToAnotherHost) {
  EXPECT_EQ(refusal_to_send(DevicePath::ipc, {1, false}),
            "path ipc: rank 1 is not on the host of rank 0 (expected path staged, or auto)");
}

TEST(DeviceJob, RefusesCudaAwareMpiWhereThereIsNone) {
  EXPECT_EQ(refusal_to_send(DevicePath::cuda_aware),
            "path cuda-aware: this MPI does not say that it takes device memory, as Open MPI can "
            "(expected path staged, or auto)");
}

// The second of three ranks opens no memory: both ways to it are staged.
TEST(DeviceJob, TellsWhichPairsOfAHostItStages) {
  std::vector<std::string> remarks;
  DeviceOptions options = by(DevicePath::automatic);
  options.remark = [&remarks](const std::string& text) { remarks.push_back(text); };
  const auto run_where = [&](bool opens) {
    DeviceThreads{3,
                  int_sum,
                  options,
                  {},
                  [opens](int rank) {
                    return std::make_unique<FakeDevice>(static_cast<unsigned>(rank) + 1,
                                                        opens || rank != 1);
                  }}
        .run([](RankContext& /*self*/) {});
  };

  run_where(true);
  EXPECT_TRUE(remarks.empty());
  run_where(false);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_TRUE(
      remarks[0].starts_with("2 of 6 ways between ranks of one host lead through its "
                             "memory: CUDA does not open the memory of"))
      << remarks[0];
}

TEST(DeviceJob, RunsAgainAfterARunAndAfterAFailure) {
  const auto jobs = job(2, by(DevicePath::automatic));
  std::atomic<int> runs = 0;
  const RankProgram program = [&runs](RankContext& self) {
    send_one(self);
    ++runs;
  };

  jobs->run(program);
  EXPECT_THROW(jobs->run([](RankContext& self) {
    // A note of this run remains undelivered.
    const Pending sent =
        self.network.send(Rank{1 - index_of(self.network.rank())}, contract::hold(self, 7), Tag{3});
    throw WrongResult{"no more"};
  }),
               WrongResult);
  jobs->run(program);

  EXPECT_EQ(runs, 4);
}

TEST(DeviceJob, AMismatchNamesBothSidesOnBothRanks) {
  contract::expect_both_sides_of_a_mismatch(*job(2, by(DevicePath::automatic)));
}

TEST(DeviceJob, ADroppedSendIsWithdrawn) {
  contract::expect_a_dropped_send_is_withdrawn(*job(2, by(DevicePath::staged)));
}

TEST(DeviceJob, AFailureEndsALongComputation) {
  const auto begin = std::chrono::steady_clock::now();

  EXPECT_THROW(job(2, by(DevicePath::automatic))->run([](RankContext& self) {
    const Pending computing = self.processor.compute(Seconds{100});
    send_one(self);
    throw WrongResult{"no more"};
  }),
               WrongResult);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, Seconds{50});
}

/// Rank 1 does not touch its endpoint while it computes, but its message arrives: waiting for a
/// computation makes progress on messages.
TEST(DeviceJob, MessagesGoOnWhileTheirRankWaitsForAComputation) {
  job(2, by(DevicePath::staged))->run([](RankContext& self) {
    constexpr Seconds work{0.5};
    const Slice slice = contract::hold(self, 0);
    if (self.network.rank() == contract::first) {
      const Seconds begin = self.network.now();
      self.network.send(contract::second, slice, contract::tag).wait();
      contract::require(self.network.now() - begin < work, "sent after {} s",
                        (self.network.now() - begin).count());
      return;
    }
    Pending received = self.network.recv(contract::first, slice, contract::tag);
    self.processor.compute(work).wait();
    received.wait();
  });
}

TEST(DeviceJob, TinySegmentsGiveWholeMessages) {
  DeviceOptions options = by(DevicePath::staged);
  options.timeout = Seconds{60};
  options.segment = Bytes{8};
  for (const ReduceOn reduce_on : {ReduceOn::device, ReduceOn::host}) {
    options.reduce_on = reduce_on;
    job(2, options)->run([](RankContext& self) {
      constexpr std::size_t size = 8 * 1001 + 4;  // the last piece is shorter
      const std::vector<std::byte> ones(size, std::byte{1});
      const Slice slice = contract::allocate(self, size);
      self.memory.write(slice, ones);
      if (self.network.rank() == contract::first) {
        self.network.send(contract::second, slice, contract::tag).wait();
        return;
      }
      self.network.recv_accumulate(contract::first, slice, contract::tag).wait();
      contract::require(
          contract::bytes_of(self, slice) == std::vector<std::byte>(size, std::byte{2}),
          "some pieces are missing");
    });
  }
}

/// Buffers in further blocks of device memory are shared, too.
TEST(DeviceJob, SlicesOfEveryBlockReachTheOtherRank) {
  job(2, by(DevicePath::ipc))->run([](RankContext& self) {
    const Slice first_block = contract::hold(self, 1);
    const Slice large = contract::allocate(self, 9U << 20U);
    const Slice last{large.buffer, Bytes{(9U << 20U) - 4}, Bytes{4}};
    const Slice behind = contract::hold(self, 3);
    if (self.network.rank() == contract::first) {
      constexpr int two = 2;
      self.memory.write(last, std::as_bytes(std::span{&two, 1}));
      for (const Slice slice : {first_block, last, behind}) {
        self.network.send(contract::second, slice, contract::tag).wait();
      }
      return;
    }
    for (const int expected : {1, 2, 3}) {
      self.network.recv(contract::first, last, contract::tag).wait();
      contract::require_value(self, last, expected);
    }
  });
}

TEST(DeviceOptions, HaveNames) {
  const auto path = [](const char* name) {
    return enum_named<DevicePath>(device_path_names, name);
  };
  EXPECT_EQ(path("auto"), DevicePath::automatic);
  EXPECT_EQ(path("cuda-aware"), DevicePath::cuda_aware);
  EXPECT_EQ(path("cuda"), std::nullopt);
  EXPECT_EQ(enum_named<ReduceOn>(reduce_on_names, "host"), ReduceOn::host);
  EXPECT_EQ(enum_named<ReduceOn>(reduce_on_names, "gpu"), std::nullopt);
}

}  // namespace
}  // namespace ringcast::testing
