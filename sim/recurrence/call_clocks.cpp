#include "sim/recurrence/call_clocks.hpp"

#include <algorithm>
#include <exception>
#include <memory>

#include "engine/numbers/error.hpp"
#include "engine/reference/host_memory.hpp"
#include "engine/reference/stopped.hpp"
#include "sim/model/fibers.hpp"
#include "sim/model/simulated_reducer.hpp"

namespace ringcast {
namespace {

[[noreturn]] void refuse_message() {
  throw ContractViolation{"a message outside of the calls of a job"};
}

/// Provides the rank and its clock; refuses messages.
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

/// One run: a fiber for each rank.
class ClockedRun {
 public:
  explicit ClockedRun(const ClockedJob& job)
      : job_{&job},
        fibers_{job.ranks.size()},
        clocks_(job.ranks.size(), 0.0),
        calls_(clocks_.size()) {}

  CallTimes until_all_end(const ClockedProgram& program, bool in_halves) {
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
  [[nodiscard]] std::unique_ptr<Collective> collective(RingPhases phases) {
    return make_collective("ring", [this, phases](const CollectiveRequest& request, RankContext&) {
      const std::size_t place = fibers_.current();
      calls_[place].begin += Seconds{clocks_[place]};
      const CollectiveCall call{request.elements, phases};
      expect(entered_ == 0 || call == call_, "ranks in different calls");
      call_ = call;
      ++entered_;
      fibers_.block();
      if (failure_) throw Stopped{};
      calls_[place].end += Seconds{clocks_[place]};
    });
  }

  void run_rank(std::size_t place, const ClockedProgram& program,
                const BucketCollectives& collectives) {
    double& clock = clocks_[place];
    PhantomMemory memory;
    SimProcessor processor{0,
                           {[&clock] { return Seconds{clock}; },
                            [&clock](Seconds duration) { clock += duration.count(); }}};
    SimulatedReducer reducer{
        {job_->reduction, ReductionCost{job_->transport, true}, nullptr, &processor},
        [](Seconds) -> Pending { refuse_message(); }};
    ClockedEndpoint endpoint{job_->ranks[place], job_->size, clock};
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
    if (!failure_) {
      try {
        expect(entered_ == clocks_.size(), "ranks that end while others are in a call");
        job_->advance(call_, clocks_);
      } catch (...) {
        failure_ = std::current_exception();  // thrown once all fibers have ended
      }
    }
    entered_ = 0;
    for (std::size_t place = 0; place < clocks_.size(); ++place) {
      fibers_.wake(place);
    }
  }

  const ClockedJob* job_;
  Fibers fibers_;
  std::vector<double> clocks_;  // seconds
  std::vector<Interval> calls_;
  CollectiveCall call_;
  std::size_t entered_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

CallTimes run_between_calls(const ClockedJob& job, const ClockedProgram& program, bool in_halves) {
  return ClockedRun{job}.until_all_end(program, in_halves);
}

}  // namespace ringcast
