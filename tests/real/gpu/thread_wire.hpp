#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

#include "engine/reference/stopped.hpp"
#include "real/gpu/wire.hpp"

namespace ringcast::testing {

/// Connects ranks that are threads of this process.
class ThreadHub {
 public:
  /// Each `ranks_per_host` consecutive ranks are on one host.
  ThreadHub(int ranks, int ranks_per_host, bool takes_device_memory);
  /// The exception of the first rank that failed in a run; null if none did.
  [[nodiscard]] std::exception_ptr failure(int run);

 private:
  friend class ThreadWire;
  class Half;
  class ThreadWatch;
  using BytesKey = std::tuple<Rank, Rank, std::int64_t>;
  struct Run {
    int ended = 0;
    std::exception_ptr failure;
  };

  int ranks_;
  int ranks_per_host_;
  bool takes_device_memory_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<ArrivedNote>> notes_;
  std::map<BytesKey, std::deque<Half*>> unmatched_;
  std::map<int, Run> runs_;
  std::vector<std::byte> gathered_;
  std::size_t arrivals_ = 0;
};

class ThreadWire final : public Wire {
 public:
  ThreadWire(ThreadHub& hub, Rank rank) : hub_{&hub}, rank_{rank} {}
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return hub_->ranks_; }
  [[nodiscard]] bool is_on_same_host(Rank peer) const override {
    return index_of(peer) / hub_->ranks_per_host_ == index_of(rank_) / hub_->ranks_per_host_;
  }
  [[nodiscard]] bool takes_device_memory() const override { return hub_->takes_device_memory_; }
  [[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> mine) override;
  [[nodiscard]] std::unique_ptr<Watch> begin_run(int run, Seconds timeout) override;
  void post(Rank to, const Note& note) override;
  [[nodiscard]] std::optional<ArrivedNote> poll() override;
  [[nodiscard]] std::unique_ptr<InFlight> send(Rank to, std::int64_t message,
                                               std::span<const std::byte> bytes) override;
  [[nodiscard]] std::unique_ptr<InFlight> receive(Rank from, std::int64_t message,
                                                  std::span<std::byte> bytes) override;

 private:
  ThreadHub* hub_;
  Rank rank_;
};

}  // namespace ringcast::testing
