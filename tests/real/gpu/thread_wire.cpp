#include "tests/real/gpu/thread_wire.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "tests/real/gpu/fake_device.hpp"

namespace ringcast::testing {

ThreadHub::ThreadHub(int ranks, int ranks_per_host, bool takes_device_memory)
    : ranks_{ranks},
      ranks_per_host_{ranks_per_host},
      takes_device_memory_{takes_device_memory},
      notes_(static_cast<std::size_t>(ranks)) {}

std::exception_ptr ThreadHub::failure(int run) {
  const std::lock_guard lock{mutex_};
  return runs_[run].failure;
}

/// One side of a transfer. The second of the two sides copies the bytes.
class ThreadHub::Half final : public InFlight {
 public:
  Half(ThreadHub& hub, const BytesKey& key, bool is_sent, std::byte* bytes, std::size_t length)
      : hub_{&hub}, key_{key}, is_sent_{is_sent}, bytes_{bytes}, length_{length} {
    const std::lock_guard lock{hub_->mutex_};
    std::deque<Half*>& others = hub_->unmatched_[key_];
    if (others.empty() || others.front()->is_sent_ == is_sent_) {
      others.push_back(this);
      return;
    }
    Half& other = *others.front();
    others.pop_front();
    if (others.empty()) hub_->unmatched_.erase(key_);
    expect(length_ == other.length_, "{} bytes meet {}", length_, other.length_);
    std::copy_n(is_sent_ ? bytes_ : other.bytes_, length_, is_sent_ ? other.bytes_ : bytes_);
    is_done_ = true;
    other.is_done_ = true;
  }
  Half(const Half&) = delete;
  Half& operator=(const Half&) = delete;
  ~Half() override {
    const std::lock_guard lock{hub_->mutex_};
    const auto waiting = hub_->unmatched_.find(key_);
    if (waiting != hub_->unmatched_.end()) std::erase(waiting->second, this);
  }
  [[nodiscard]] bool done() override {
    const std::lock_guard lock{hub_->mutex_};
    return is_done_;
  }

 private:
  ThreadHub* hub_;
  BytesKey key_;
  bool is_sent_;
  std::byte* bytes_;
  std::size_t length_;
  bool is_done_ = false;
};

class ThreadHub::ThreadWatch final : public Watch {
 public:
  ThreadWatch(ThreadHub& hub, int run, Seconds timeout)
      : hub_{&hub}, run_{run}, timeout_{timeout} {}
  void check() override {
    const std::lock_guard lock{hub_->mutex_};
    if (hub_->runs_[run_].failure) {
      throw Stopped{};
    }
  }
  [[noreturn]] void give_up(Rank /*peer*/, const std::string& what) override {
    throw TransportError{fmt::format("{}: nothing moved for {}", what, to_text(timeout_))};
  }
  void end(const std::exception_ptr& failure) override {
    std::unique_lock lock{hub_->mutex_};
    Run& run = hub_->runs_[run_];
    if (!run.failure) {
      run.failure = failure;
    }
    ++run.ended;
    hub_->changed_.notify_all();
    hub_->changed_.wait(lock, [&] { return run.ended == hub_->ranks_; });
    if (run.failure) {
      std::rethrow_exception(run.failure);
    }
  }

 private:
  ThreadHub* hub_;
  int run_;
  Seconds timeout_;
};

std::vector<std::byte> ThreadWire::gather(std::span<const std::byte> mine) {
  const auto ranks = static_cast<std::size_t>(hub_->ranks_);
  std::unique_lock lock{hub_->mutex_};
  // A round counts each rank twice: all have written their bytes, then all have read those of all.
  hub_->changed_.wait(lock, [&] { return hub_->arrivals_ < ranks; });
  hub_->gathered_.resize(ranks * mine.size());
  const auto place = static_cast<std::size_t>(index_of(rank_)) * mine.size();
  std::ranges::copy(mine, hub_->gathered_.begin() + static_cast<std::ptrdiff_t>(place));
  ++hub_->arrivals_;
  hub_->changed_.notify_all();
  hub_->changed_.wait(lock, [&] { return hub_->arrivals_ >= ranks; });
  std::vector<std::byte> all = hub_->gathered_;
  if (++hub_->arrivals_ == 2 * ranks) {
    hub_->arrivals_ = 0;
    hub_->changed_.notify_all();
  }
  return all;
}

std::unique_ptr<Watch> ThreadWire::begin_run(int run, Seconds timeout) {
  return std::make_unique<ThreadHub::ThreadWatch>(*hub_, run, timeout);
}

void ThreadWire::post(Rank to, const Note& note) {
  const std::lock_guard lock{hub_->mutex_};
  hub_->notes_[static_cast<std::size_t>(index_of(to))].push_back({rank_, note});
}

std::optional<ArrivedNote> ThreadWire::poll() {
  const std::lock_guard lock{hub_->mutex_};
  std::deque<ArrivedNote>& box = hub_->notes_[static_cast<std::size_t>(index_of(rank_))];
  if (box.empty()) return std::nullopt;
  const ArrivedNote arrived = box.front();
  box.pop_front();
  return arrived;
}

std::unique_ptr<InFlight> ThreadWire::send(Rank to, std::int64_t message,
                                           std::span<const std::byte> bytes) {
  std::byte* const place =
      const_cast<std::byte*>(takes_device_memory() ? reach(bytes.data()) : bytes.data());
  return std::make_unique<ThreadHub::Half>(*hub_, ThreadHub::BytesKey{rank_, to, message}, true,
                                           place, bytes.size());
}

std::unique_ptr<InFlight> ThreadWire::receive(Rank from, std::int64_t message,
                                              std::span<std::byte> bytes) {
  std::byte* const place = takes_device_memory() ? reach(bytes.data()) : bytes.data();
  return std::make_unique<ThreadHub::Half>(*hub_, ThreadHub::BytesKey{from, rank_, message}, false,
                                           place, bytes.size());
}

}  // namespace ringcast::testing
