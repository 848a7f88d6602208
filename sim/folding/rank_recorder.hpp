#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/contracts/pending.hpp"
#include "engine/contracts/processor.hpp"
#include "engine/contracts/reducer.hpp"
#include "sim/folding/dry_run.hpp"
#include "sim/model/pooled.hpp"

// The record of one rank in a dry run, and the operations that the rank's program gets there.
namespace ringcast::detail {

/// The kind of an operation, the first number of its record.
enum class Recorded : std::uint64_t {
  send,
  recv,
  recv_accumulate,
  wait,
  accumulate,
  finish,
  compute,
  repeat,
  outline_number,
  outline_send,
  outline_recv,
};

/// One rank's record.
class Recorder {
 public:
  explicit Recorder(DryRun::OneRank& rank) : rank_{&rank} {}

  /// `what` determines how many numbers follow.
  template <typename... Numbers>
  void add(Recorded what, Numbers... numbers) {
    rank_->shape.add(static_cast<std::uint64_t>(what));
    (rank_->shape.add(numbers), ...);
    ++operations_;
  }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

  enum class Side { sends, recvs };
  /// open() at the start of an operation, close() once it has been waited for. `place`: that of its
  /// stream in OneRank::streams.
  void open(Side side, std::size_t place) {
    Sides& own = sides_[static_cast<std::size_t>(side)];
    own.open.resize(std::max(own.open.size(), place + 1));
    own.streams += own.open[place]++ == 0 ? 1 : 0;
    int& most = side == Side::sends ? rank_->most_sends : rank_->most_recvs;
    most = std::max(most, own.streams);
  }
  void close(Side side, std::size_t place) {
    Sides& own = sides_[static_cast<std::size_t>(side)];
    own.streams -= --own.open[place] == 0 ? 1 : 0;
  }

 private:
  struct Sides {
    std::vector<int> open;  // the number of open operations, by place
    int streams = 0;        // with open operations
  };
  DryRun::OneRank* rank_;
  std::uint64_t operations_ = 0;
  std::array<Sides, 2> sides_;
};

/// An operation that is complete from the start.
class Done : public Pending::Operation {
 public:
  explicit Done(Recorder& recorder) : recorder_{&recorder}, number_{recorder.operations()} {}
  void wait() override {
    // Identifies the operation by its distance from here.
    recorder_->add(Recorded::wait, recorder_->operations() - number_);
  }
  void cancel() noexcept override {}

 protected:
  Recorder* recorder_;

 private:
  std::uint64_t number_;
};

/// A send or a receive.
class DoneMessage final : public Done, public Pooled<DoneMessage> {
 public:
  DoneMessage(Recorder& recorder, Recorder::Side side, std::size_t place)
      : Done{recorder}, side_{side}, place_{place} {
    recorder.open(side, place);
  }
  void wait() override {
    Done::wait();
    recorder_->close(side_, place_);
  }

 private:
  Recorder::Side side_;
  std::size_t place_;
};

class DoneStep final : public Done, public Pooled<DoneStep> {
 public:
  using Done::Done;
};

inline Pending done(Recorder& recorder) {
  return Pending{std::make_unique<DoneStep>(recorder)};
}

class RecordingReducer final : public Reducer {
 public:
  RecordingReducer(Reduction reduction, Recorder& recorder)
      : reduction_{reduction}, recorder_{&recorder} {}
  [[nodiscard]] Reduction reduction() const override { return reduction_; }
  Pending accumulate(Slice into, Slice /*from*/) override {
    recorder_->add(Recorded::accumulate, into.length.count());
    return done(*recorder_);
  }
  Pending finish(Slice into, int /*ranks*/) override {
    recorder_->add(Recorded::finish, into.length.count());
    return done(*recorder_);
  }

 private:
  Reduction reduction_;
  Recorder* recorder_;
};

class RecordingProcessor final : public Processor {
 public:
  explicit RecordingProcessor(Recorder& recorder) : recorder_{&recorder} {}
  Pending compute(Seconds work) override {
    recorder_->add(Recorded::compute, std::bit_cast<std::uint64_t>(work.count()));
    return done(*recorder_);
  }

 private:
  Recorder* recorder_;
};

}  // namespace ringcast::detail
