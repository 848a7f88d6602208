#include "real/mpi/run_watch.hpp"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>
#include <sched.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "real/mpi/host_peers.hpp"
#include "real/mpi/mpi_native.hpp"

namespace ringcast {

/// How a rank's program ended.
struct RunReport {
  enum class Ending : int { fine, stopped, failed };
  Ending ending = Ending::fine;
  /// The rank that it waited for when it timed out or was stopped; -1 for none.
  int peer = -1;
  /// Whether it left unreceived messages.
  bool has_strays = false;
  /// Why it failed, or what it waited for. Short enough for MPI's eager protocol, so that a send
  /// completes without its receive.
  std::array<char, 500> text{};
};

namespace {

using Ending = RunReport::Ending;

/// How long other ranks may take to end after a failure, and how much longer than the timeout a
/// rank that has ended waits, so that ranks that time out report first. Ample even on a busy
/// machine; ranks that are silent for longer are given up.
constexpr Seconds grace{5};

RunWatch::Clock::time_point in(Seconds time) {
  return RunWatch::Clock::now() + std::chrono::ceil<RunWatch::Clock::duration>(time);
}

void set_text(RunReport& report, std::string_view text) {
  const std::size_t length = std::min(text.size(), report.text.size() - 1);
  std::copy_n(text.begin(), length, report.text.begin());
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return ringcast::text_of(error);
  } catch (...) {
    return "an exception without a text";
  }
}

/// Whether its program threw an exception of its own, not a timeout.
bool threw(const RunReport& report) {
  return report.ending == Ending::failed && report.peer < 0;
}

}  // namespace

/// A rank's report, and the request that sends this rank's report to it.
struct RunWatch::RankState {
  RunReport report{};
  MPI_Request sending = MPI_REQUEST_NULL;
  bool has_reported = false;
};

RunWatch::RunWatch(RunCommunicators& communicators, int run, Seconds timeout,
                   const HostPeers* host_peers)
    : communicators_{&communicators},
      control_{&communicators.control()},
      rank_{control_->rank()},
      tag_{run % mpi_tags},
      timeout_{timeout},
      host_peers_{host_peers},
      ranks_(static_cast<std::size_t>(control_->size())) {
  communicators_->begin_run();
  ranks_[static_cast<std::size_t>(rank_)].has_reported = true;
}

RunWatch::~RunWatch() {
  if (!is_complete()) keep_for_ever(std::move(ranks_));  // with the report that is being sent
}

RunReport& RunWatch::own_report() {
  return ranks_[static_cast<std::size_t>(rank_)].report;
}

void RunWatch::progress() {
  MPI_Status status;
  for (int is_there = 1; is_there != 0;) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, control_->handle(), &is_there, &status),
              "MPI_Iprobe for a report");
    if (is_there != 0) {
      RankState& state = ranks_[static_cast<std::size_t>(status.MPI_SOURCE)];
      check_mpi(MPI_Recv(&state.report, sizeof(RunReport), MPI_BYTE, status.MPI_SOURCE, tag_,
                         control_->handle(), MPI_STATUS_IGNORE),
                "MPI_Recv of a report");
      state.has_reported = true;
      knows_of_failure_ |= state.report.ending == Ending::failed;
    }
  }
}

void RunWatch::check() {
  progress();
  if (knows_of_failure_) {
    throw Stopped{};
  }
}

void RunWatch::check(const Awaited& awaited, Seconds waited) {
  progress();
  if (knows_of_failure_) {
    note_wait(awaited.peer(), awaited.describe(), waited);
    throw Stopped{};
  }
  if (waited > timeout_) {
    give_up(Rank{awaited.peer()}, awaited.describe());
  }
}

void RunWatch::check_liveness(const std::string& what) const {
  if (const std::vector<int> dead = dead_and_silent(); !dead.empty()) {
    throw TransportError{fmt::format("{}: rank {} has died", what, dead.front())};
  }
}

void RunWatch::note_wait(int peer, const std::string& what, Seconds waited) {
  own_report().peer = peer;
  set_text(own_report(), fmt::format("{}: nothing moved for {}", what, to_text(waited)));
}

void RunWatch::give_up(Rank peer, const std::string& what) {
  own_report().ending = Ending::failed;
  note_wait(index_of(peer), what, timeout_);
  throw TransportError{own_report().text.data()};
}

void RunWatch::end(const std::exception_ptr& failure) {
  own_report().has_strays = communicators_->has_strays();
  send_report(failure);
  await_reports();
  if (threw(own_report())) {
    std::rethrow_exception(failure);
  }
  throw_root_cause();
  check_liveness(fmt::format("rank {} has ended", rank_));
  if (!is_complete()) {
    throw TransportError{fmt::format("rank {} has ended, but not rank {}, {} later", rank_,
                                     fmt::join(silent_ranks(), ", rank "), to_text(timeout_))};
  }
  communicators_->end_run(
      std::ranges::any_of(ranks_, [](const RankState& state) { return state.report.has_strays; }));
}

void RunWatch::send_report(const std::exception_ptr& failure) {
  RunReport& own = own_report();
  if (knows_of_failure_) {
    own.ending = Ending::stopped;
  } else if (failure && own.ending == Ending::fine) {
    own.ending = Ending::failed;
    set_text(own, text_of(failure));
  }
  for (int rank = 0; rank < control_->size(); ++rank) {
    if (rank != rank_) {
      check_mpi(MPI_Isend(&own, sizeof(RunReport), MPI_BYTE, rank, tag_, control_->handle(),
                          &ranks_[static_cast<std::size_t>(rank)].sending),
                "MPI_Isend of a report");
    }
  }
}

void RunWatch::await_reports() {
  bool knew = false;
  Clock::time_point deadline = in(timeout_ + grace);
  while (true) {
    progress();
    for (RankState& state : ranks_) {
      static_cast<void>(test_mpi(state.sending, "MPI_Test of a report"));
    }
    if (is_complete()) {
      return;
    }
    if (!knew && (knows_of_failure_ || own_report().ending == Ending::failed)) {
      deadline = in(grace);
      knew = true;
    }
    const std::size_t dead = dead_and_silent().size();
    if (Clock::now() > deadline || (dead > 0 && dead == silent_ranks().size())) {
      communicators_->session().mark_broken();
      return;
    }
    sched_yield();
  }
}

bool RunWatch::is_complete() const {
  return std::ranges::all_of(ranks_, [](const RankState& state) {
    return state.has_reported && state.sending == MPI_REQUEST_NULL;
  });
}

std::vector<int> RunWatch::silent_ranks() const {
  std::vector<int> silent;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].has_reported) {
      silent.push_back(static_cast<int>(rank));
    }
  }
  return silent;
}

/// Ranks that have reported may end.
std::vector<int> RunWatch::dead_and_silent() const {
  std::vector<int> dead;
  if (host_peers_ == nullptr) return dead;
  for (const HostPeers::Peer& peer : host_peers_->all()) {
    const bool has_reported = ranks_[static_cast<std::size_t>(peer.rank)].has_reported;
    if (!has_reported && HostPeers::is_dead(peer)) dead.push_back(peer.rank);
  }
  return dead;
}

/// How well a rank's report explains those of others: best if it threw an exception; then if it
/// waited for a silent rank, even if a rank that waits for this one timed out first; then if it
/// timed out.
int RunWatch::explanatory_power(const RankState& state) const {
  const int peer = state.report.peer;
  if (threw(state.report)) {
    return 3;
  }
  if (peer >= 0 && !ranks_[static_cast<std::size_t>(peer)].has_reported) {
    return 2;
  }
  return state.report.ending == Ending::failed ? 1 : 0;
}

void RunWatch::throw_root_cause() const {
  const auto cause = std::ranges::max_element(
      ranks_, {}, [this](const RankState& state) { return explanatory_power(state); });
  if (explanatory_power(*cause) == 0) {
    return;
  }
  const std::string text = cause->report.text.data();
  const auto rank = cause - ranks_.begin();
  throw TransportError{text.starts_with(fmt::format("rank {}: ", rank))
                           ? text
                           : fmt::format("rank {} failed: {}", rank, text)};
}

}  // namespace ringcast
