#pragma once

#include <thread>

#include "real/gpu/device_job.hpp"
#include "tests/backend_under_test.hpp"
#include "tests/real/gpu/thread_wire.hpp"

namespace ringcast::testing {

/// Devices for the ranks of a DeviceThreads.
using MakeDevice = std::function<std::unique_ptr<Device>(int rank)>;

/// A job of devices in this process: a thread for each rank.
class DeviceThreads final : public Transport {
 public:
  struct Wiring {
    int ranks_per_host = 1000;
    bool takes_device_memory = false;
  };

  DeviceThreads(int ranks, Reduction reduction, const DeviceOptions& options, const Wiring& wiring,
                MakeDevice make_device)
      : hub_{ranks, wiring.ranks_per_host, wiring.takes_device_memory},
        reduction_{reduction},
        options_{options},
        make_device_{std::move(make_device)},
        ranks_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] int size() const override { return static_cast<int>(ranks_.size()); }

  void run(const RankProgram& program) override {
    ++runs_;
    {
      std::vector<std::jthread> threads;
      threads.reserve(ranks_.size());
      for (int rank = 0; rank < size(); ++rank) {
        threads.emplace_back([this, rank, &program] { run_rank(rank, program); });
      }
    }
    if (const std::exception_ptr failure = hub_.failure(runs_)) {
      std::rethrow_exception(failure);
    }
  }

 private:
  struct OneRank {
    OneRank(DeviceThreads& job, int rank)
        : device{job.make_device_(rank)},
          wire{job.hub_, Rank{rank}},
          here{wire, *device, job.reduction_, job.options_} {}
    std::unique_ptr<Device> device;
    ThreadWire wire;
    DeviceJob here;
  };

  void run_rank(int rank, const RankProgram& program) {
    std::unique_ptr<OneRank>& one = ranks_[static_cast<std::size_t>(rank)];
    if (!one) {
      one = std::make_unique<OneRank>(*this, rank);
    }
    try {
      one->here.run(program);
    } catch (...) {
      return;  // the hub knows the first failure
    }
  }

  ThreadHub hub_;
  Reduction reduction_;
  DeviceOptions options_;
  MakeDevice make_device_;
  std::vector<std::unique_ptr<OneRank>> ranks_;
  int runs_ = 0;
};

}  // namespace ringcast::testing
