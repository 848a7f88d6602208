#include "tests/engine/reference/reference_transport.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"
#include "engine/reference/host_memory.hpp"
#include "engine/reference/host_reducer.hpp"
#include "tests/engine/reference/rendezvous.hpp"

namespace ringcast {
namespace {

using Clock = detail::Rendezvous::Clock;
using Kind = detail::Posting::Kind;

/// One side of a message, posted during the lifetime of this object.
class Exchange final : public Pending::Operation {
 public:
  Exchange(detail::Rendezvous& rendezvous, detail::Posting posting)
      : rendezvous_{&rendezvous}, posting_{std::move(posting)} {
    rendezvous_->post(posting_);
  }
  void wait() override { rendezvous_->wait(posting_); }
  void cancel() noexcept override { rendezvous_->withdraw(posting_); }

 private:
  detail::Rendezvous* rendezvous_;
  detail::Posting posting_;
};

class ReferenceEndpoint final : public Endpoint {
 public:
  ReferenceEndpoint(Rank rank, int size, Bytes element_size, HostMemory& memory,
                    detail::Rendezvous& rendezvous, Clock::time_point begin)
      : rank_{rank},
        size_{size},
        element_size_{element_size},
        memory_{&memory},
        rendezvous_{&rendezvous},
        begin_{begin} {}

  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] Seconds now() const override { return Clock::now() - begin_; }

  Pending send(Rank to, Slice source, Tag tag, Returns /*returns*/) override {
    return post(Kind::send, to, source, tag);
  }
  Pending recv(Rank from, Slice destination, Tag tag) override {
    return post(Kind::recv, from, destination, tag);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    expect_whole_elements(into, element_size_);
    return post(Kind::recv_accumulate, from, into, tag);
  }

 private:
  Pending post(Kind kind, Rank peer, Slice slice, Tag tag) {
    expect_valid_message(*this, peer, slice);
    return Pending{std::make_unique<Exchange>(
        *rendezvous_, detail::Posting{kind, rank_, peer, tag, memory_->find(slice)})};
  }

  Rank rank_;
  int size_;
  Bytes element_size_;
  HostMemory* memory_;
  detail::Rendezvous* rendezvous_;
  Clock::time_point begin_;
};

class Computation final : public Pending::Operation {
 public:
  Computation(detail::Rendezvous& rendezvous, Rank rank, Clock::time_point end)
      : rendezvous_{&rendezvous}, rank_{rank}, end_{end} {}
  void wait() override { rendezvous_->sleep_until(rank_, end_); }
  void cancel() noexcept override {}

 private:
  detail::Rendezvous* rendezvous_;
  Rank rank_;
  Clock::time_point end_;
};

/// Computes by sleeping, one computation after the other.
class SleepingProcessor final : public Processor {
 public:
  SleepingProcessor(detail::Rendezvous& rendezvous, Rank rank)
      : rendezvous_{&rendezvous}, rank_{rank} {}

  Pending compute(Seconds work) override {
    constexpr Seconds longest{1e9};  // some thirty years, still representable by the clock
    expect(work >= Seconds{0} && work <= longest, "a computation of {} s", work.count());
    idle_from_ = std::max(idle_from_, Clock::now()) + std::chrono::ceil<Clock::duration>(work);
    return Pending{std::make_unique<Computation>(*rendezvous_, rank_, idle_from_)};
  }

 private:
  detail::Rendezvous* rendezvous_;
  Rank rank_;
  Clock::time_point idle_from_{};
};

}  // namespace

ReferenceTransport::ReferenceTransport(int ranks, Reduction reduction)
    : ranks_{ranks}, reduction_{reduction} {
  expect(ranks > 0, "a job of {} ranks", ranks);
}

void ReferenceTransport::run(const RankProgram& program) {
  detail::Rendezvous rendezvous{ranks_, reduction_};
  const Clock::time_point begin = Clock::now();
  const auto run_rank = [&](Rank rank) {
    try {
      HostMemory memory;
      ReferenceEndpoint network{rank, ranks_, size_of(reduction_.type), memory, rendezvous, begin};
      HostReducer reducer{reduction_, memory};
      SleepingProcessor processor{rendezvous, rank};
      RankContext context{network, memory, reducer, processor};
      program(context);
      rendezvous.leave(rank);
    } catch (const Stopped&) {
      return;  // the failure that stopped it is known
    } catch (...) {
      rendezvous.fail(std::current_exception());
    }
  };

  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(ranks_));
    try {
      for (int rank = 0; rank < ranks_; ++rank) {
        threads.emplace_back(run_rank, Rank{rank});
      }
    } catch (...) {
      rendezvous.fail(std::current_exception());  // no more threads: stop those that run
    }
  }
  rendezvous.rethrow_failure();
}

}  // namespace ringcast
