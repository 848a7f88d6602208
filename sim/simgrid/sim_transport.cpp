#include "sim/simgrid/sim_transport.hpp"

#include <exception>

#include <fmt/format.h>
#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>

#include "engine/numbers/error.hpp"
#include "sim/model/simulated_rank.hpp"
#include "sim/simgrid/sim_messages.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

namespace s4u = simgrid::s4u;

/// An operation that occupies a rank for this duration from now on. Waiting advances the rank's
/// clock only: no other rank depends on the operation.
class Execution final : public Pending::Operation {
 public:
  Execution(RankClocks& clocks, Seconds duration)
      : clocks_{&clocks}, end_{clocks.now() + duration} {}
  void wait() override { clocks_->advance_to(end_); }
  void cancel() noexcept override {}

 private:
  RankClocks* clocks_;
  Seconds end_;
};

/// Keeps the first exception that leaves an actor: SimGrid would end the process on it.
class FirstFailure {
 public:
  void run(const std::function<void()>& body, Streams& streams) {
    try {
      body();
    } catch (const simgrid::ForcefulKillException&) {
      throw;  // how SimGrid ends an actor
    } catch (...) {
      if (!failure_) {
        failure_ = std::current_exception();
      }
      streams.stop();
      s4u::Actor::kill_all();
    }
  }
  void rethrow() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace

SimTransport::SimTransport(const Topology& topology, int ranks, const TransportProfile& profile,
                           Reduction reduction, SimOptions options)
    : gpus_{ranks},
      paths_{topology, profile, places_of_job(topology, ranks, profile, options.hosts)},
      reduction_{reduction},
      options_{std::move(options)} {}

void SimTransport::close_report() {
  expect(close_report_ != nullptr, "a report is closed outside of the simulation");
  close_report_();
}

RankActions SimTransport::actions_of(Rank rank) {
  expect(running_ != nullptr, "the costs of a call outside of the simulation");
  const auto copy = [this, rank](CopyDirection direction, Bytes size) {
    clocks_.catch_up();
    running_->copy(rank, direction, size);
    if (rank == Rank{0} && !closed_) {
      report_.copied[direction] += size;
    }
  };
  return {index_of(rank) < gpus_, [this](Seconds duration) { clocks_.advance_by(duration); }, copy,
          [this, rank] { return streams_->overheads(rank); }};
}

std::unique_ptr<Collective> SimTransport::with_call_costs(const Collective& collective,
                                                          CallPart part) {
  return ringcast::with_call_costs(paths_.profile(), collective, part,
                                   [this](Rank rank) { return actions_of(rank); });
}

void SimTransport::run_rank(Rank rank, const RankProgram& program, const SimShared& shared) {
  const auto sleep = [this](Seconds duration) { clocks_.sleep(duration); };
  const auto reduce = [this](Seconds duration) {
    return Pending{std::make_unique<Execution>(clocks_, duration)};
  };
  run_simulated_rank(SimMessages{shared, rank}, reduction_,
                     {actions_of(rank), {[this] { return clocks_.now(); }, sleep}, reduce},
                     options_, program);
}

void SimTransport::run(const RankProgram& program) {
  Platform platform{paths_};
  if (options_.delay_seed) {
    platform.delay_messages(*options_.delay_seed);
  }
  Streams streams{platform, options_.traffic};
  BlockedRanks blocked{size()};
  const SimShared shared{platform, streams, blocked, clocks_};
  running_ = &platform;
  streams_ = &streams;
  FirstFailure failure;
  // The end of the last rank, not of the simulation: computations without a wait may end later.
  Seconds end{0};
  const auto report = [&] {
    report_.time = end;
    report_.traffic = streams.traffic();
    report_.messages = streams.messages();
  };
  const s4u::BarrierPtr all = s4u::Barrier::create(static_cast<unsigned>(size()));
  close_report_ = [&] {
    clocks_.catch_up();
    all->wait();
    if (!closed_) {
      closed_ = true;
      end = platform.now();
      report();
    }
  };
  for (int index = 0; index < size(); ++index) {
    const Rank rank{index};
    const auto body = [&, rank] {
      run_rank(rank, program, shared);
      clocks_.catch_up();
      end = std::max(end, platform.now());
    };
    platform.start_rank(rank, [&failure, &streams, body] { failure.run(body, streams); });
  }
  // SimGrid's run() returns after a deadlock, too; only this callback reports it.
  std::string deadlock;
  platform.run([&] {
    deadlock = blocked.text();
    streams.stop();
  });

  running_ = nullptr;
  streams_ = nullptr;
  close_report_ = nullptr;
  failure.rethrow();
  if (!deadlock.empty()) {
    throw TransportError{fmt::format("deadlock: {}", deadlock)};
  }
  if (!closed_) {
    report();
  }
  report_.copying_ranks = gpus_;
}

}  // namespace ringcast
