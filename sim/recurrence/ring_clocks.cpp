#include "sim/recurrence/ring_clocks.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

#include "engine/numbers/error.hpp"
#include "engine/reference/host_memory.hpp"
#include "engine/reference/stopped.hpp"
#include "sim/model/fibers.hpp"
#include "sim/model/simulated_reducer.hpp"

namespace ringcast {
namespace {

[[noreturn]] void refuse_message() {
  throw ContractViolation{"a message outside of the rings of a RingClocks"};
}

/// Knows the rank and its clock.
class ClockedEndpoint final : public Endpoint {
 public:
  ClockedEndpoint(Rank rank, int size, const double& clock)
      : rank_{rank}, size_{size}, clock_{&clock} {}
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] Seconds now() const override { return Seconds{*clock_}; }
  Pending send(Rank /*to*/, Slice /*source*/, Tag /*tag*/, Returns /*returns*/) override {
    refuse_message();
  }
  Pending recv(Rank /*from*/, Slice /*destination*/, Tag /*tag*/) override { refuse_message(); }
  Pending recv_accumulate(Rank /*from*/, Slice /*into*/, Tag /*tag*/) override { refuse_message(); }

 private:
  Rank rank_;
  int size_;
  const double* clock_;
};

}  // namespace

/// One run: a fiber for each position of the period.
class RingClocks::Run {
 public:
  Run(RingClocks& job, Bound bound)
      : job_{&job},
        bound_{bound},
        fibers_{static_cast<std::size_t>(job.period_)},
        clocks_(static_cast<std::size_t>(job.period_), 0.0),
        calls_(clocks_.size()) {}

  Times until_all_end(const Program& program, bool in_halves) {
    using enum RingPhases;
    const auto reduce = collective(in_halves ? reduce_scatter : both);
    const auto gather = in_halves ? collective(all_gather) : nullptr;
    for (std::size_t place = 0; place < clocks_.size(); ++place) {
      fibers_.start(place, [&, place] { run_rank(place, program, {reduce.get(), gather.get()}); });
    }
    for (fibers_.run_ready(); !fibers_.all_ended(); fibers_.run_ready()) {
      advance_clocks();
    }
    if (failure_) std::rethrow_exception(failure_);
    return {Seconds{std::ranges::max(clocks_)}, std::move(calls_)};
  }

 private:
  struct Call {
    std::uint64_t elements = 0;
    RingPhases phases = RingPhases::both;
    friend bool operator==(const Call&, const Call&) = default;
  };

  [[nodiscard]] std::unique_ptr<Collective> collective(RingPhases phases) {
    return make_collective("ring", [this, phases](const CollectiveRequest& request, RankContext&) {
      const std::size_t place = fibers_.current();
      calls_[place].begin += Seconds{clocks_[place]};
      clocks_[place] += job_->paths_->profile().call_overhead.count();
      const Call call{request.elements, phases};
      expect(entered_ == 0 || call == call_, "ranks in different calls");
      expect(job_->recurrences_.contains(call.elements), "a call of {} elements", call.elements);
      call_ = call;
      ++entered_;
      fibers_.block();
      if (failure_) throw Stopped{};
      calls_[place].end += Seconds{clocks_[place]};
    });
  }

  void run_rank(std::size_t place, const Program& program, const BucketCollectives& collectives) {
    double& clock = clocks_[place];
    PhantomMemory memory;
    SimProcessor processor{0,
                           {[&clock] { return Seconds{clock}; },
                            [&clock](Seconds duration) { clock += duration.count(); }}};
    SimulatedReducer reducer{
        {job_->reduction_, ReductionCost{job_->paths_->profile(), true}, nullptr, &processor},
        [](Seconds) -> Pending { refuse_message(); }};
    const RingOrder& order = job_->channels_.front();
    ClockedEndpoint endpoint{order.rank_at(static_cast<int>(place)), order.size(), clock};
    RankContext context{endpoint, memory, reducer, processor};
    try {
      program(collectives, context);
    } catch (const Stopped&) {
    } catch (...) {
      failure_ = failure_ ? failure_ : std::current_exception();
    }
  }

  /// All ranks are in a call, or one has failed and the others end.
  void advance_clocks() {
    if (!failure_ && entered_ < clocks_.size()) {
      failure_ =
          std::make_exception_ptr(ContractViolation{"ranks that end while others are in a call"});
    }
    if (!failure_) {
      job_->recurrences_.at(call_.elements).advance(bound_, call_.phases, clocks_);
      job_->halves_[call_.elements] += call_.phases == RingPhases::both ? 2U : 1U;
    }
    entered_ = 0;
    for (std::size_t place = 0; place < clocks_.size(); ++place) {
      fibers_.wake(place);
    }
  }

  RingClocks* job_;
  Bound bound_;
  Fibers fibers_;
  std::vector<double> clocks_;  // seconds
  std::vector<Interval> calls_;
  Call call_;
  std::size_t entered_ = 0;
  std::exception_ptr failure_;
};

RingClocks::RingClocks(const TransferPaths& paths, const RingCalls& calls)
    : paths_{&paths},
      channels_{calls.channels},
      reduction_{calls.reduction},
      elements_{calls.elements},
      applicable_{!elements_.empty() && paths.profile().compute_competition == 0} {
  if (!calls.are_ranks_alike) period_ = channels_.front().size();
  const auto add = [&](std::uint64_t elements) {
    recurrences_.insert_or_assign(
        elements, ChannelRecurrence{paths, channels_, reduction_, elements, period_});
  };
  for (const std::uint64_t elements : elements_) {
    if (!applicable_ || recurrences_.contains(elements)) continue;
    add(elements);
    applicable_ = recurrences_.at(elements).is_applicable();
    if (applicable_) period_ = recurrences_.at(elements).period();
  }
  // Each period divides those that were found later.
  for (const auto& [elements, recurrence] : recurrences_) {
    if (applicable_ && recurrence.period() != period_) add(elements);
  }
}

bool RingClocks::is_exact() const {
  return std::ranges::all_of(recurrences_,
                             [](const auto& entry) { return entry.second.is_exact(); });
}

double RingClocks::most_messages() const {
  return std::accumulate(elements_.begin(), elements_.end(), 0.0,
                         [&](double sum, std::uint64_t elements) {
                           return sum + recurrences_.at(elements).most_messages();
                         });
}

Rank RingClocks::representative(Rank rank) const {
  const RingOrder& order = channels_.front();
  return order.rank_at(order.position_of(rank) % period_);
}

RingClocks::Times RingClocks::run(const Program& program, bool in_halves, Bound bound) {
  expect(applicable_, "a job that is no recurrence");
  halves_.clear();
  return Run{*this, bound}.until_all_end(program, in_halves);
}

double RingClocks::error(const Times& least, const Times& most) {
  double largest = (most.last_end - least.last_end) / most.last_end;
  for (std::size_t i = 0; i < most.calls.size(); ++i) {
    const Interval& calls = most.calls[i];
    const Seconds earlier = calls.begin - least.calls[i].begin + calls.end - least.calls[i].end;
    largest = std::max(largest, earlier / calls.length());
  }
  return largest;
}

std::vector<PairTraffic> RingClocks::traffic() const {
  std::vector<PairTraffic> all;
  for (const auto& [elements, halves] : halves_) {
    // Both halves have as many messages.
    std::vector<PairTraffic> of_both = recurrences_.at(elements).traffic();
    all.resize(of_both.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PairTraffic& both = of_both[i];
      all[i] = {both.from,
                both.to,
                all[i].messages + halves * both.messages / 2,
                all[i].bytes + Bytes{halves * both.bytes.count() / 2},
                all[i].on_cables + Bytes{halves * both.on_cables.count() / 2},
                both.streams};
    }
  }
  return all;
}

}  // namespace ringcast
