#include "real/run_watch.hpp"

#include <algorithm>
#include <list>

#include <fmt/format.h>
#include <sched.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "real/mpi_native.hpp"

namespace ringcast {
namespace {

using Ending = RunReport::Ending;

/// How long the others may take to end once a failure is known; and how much longer than the
/// timeout a rank that has ended waits, so that those that wait in vain say so first. Long for a
/// process on a busy machine, too: who says nothing in that time is given up.
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
    return error.what();
  } catch (...) {
    return "an exception without a text";
  }
}

bool is_stop(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Stopped&) {
    return true;
  } catch (...) {
    return false;
  }
}

bool is_failure(Ending ending) {
  return ending == Ending::failed || ending == Ending::waited_in_vain;
}

bool test(MPI_Request& request) {
  int is_done = 0;
  check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test of a report");
  return is_done != 0;
}

}  // namespace

/// Another rank: what it says, and what it is told.
struct RunWatch::Correspondent {
  RunReport report{};
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Request receiving = MPI_REQUEST_NULL;
  bool has_reported = false;
};

RunWatch::RunWatch(const Communicator& control, MpiSession& session, int run, Seconds timeout)
    : control_{&control},
      session_{&session},
      rank_{control.rank()},
      run_{run},
      timeout_{timeout},
      others_(static_cast<std::size_t>(control.size())) {
  for (std::size_t i = 0; i < others_.size(); ++i) {
    Correspondent& other = others_[i];
    if (static_cast<int>(i) == rank_) {
      other.has_reported = true;
      continue;
    }
    check_mpi(MPI_Irecv(&other.report, sizeof(RunReport), MPI_BYTE, static_cast<int>(i), run_,
                        control_->handle(), &other.receiving),
              "MPI_Irecv of a report");
  }
}

/// MPI may still write into a report that did not come: it then stays for as long as the process.
RunWatch::~RunWatch() {
  if (!is_complete()) {
    static std::list<std::vector<Correspondent>> never_to_come;
    never_to_come.push_back(std::move(others_));
  }
}

void RunWatch::look() {
  listen();
  if (knows_of_failure_) {
    throw Stopped{};
  }
}

void RunWatch::look(int peer, const std::function<std::string()>& what, Seconds waited) {
  listen();
  if (knows_of_failure_) {
    note_wait(peer, what(), waited);
    throw Stopped{};
  }
}

void RunWatch::look_for_dead(const std::string& what) {
  if (const std::vector<int> dead = dead_and_silent(); !dead.empty()) {
    throw TransportError{fmt::format("{}: rank {} has died", what, dead.front())};
  }
}

/// A rank that has reported may well have ended.
std::vector<int> RunWatch::dead_and_silent() const {
  std::vector<int> ranks;
  if (life_lines_ != nullptr) {
    ranks = life_lines_->find_dead();
    std::erase_if(ranks, [this](int rank) { return !is_silent(rank); });
  }
  return ranks;
}

void RunWatch::note_wait(int peer, const std::string& what, Seconds waited) {
  own_.peer = peer;
  set_text(own_, fmt::format("{}: nothing moved for {}", what, to_text(waited)));
}

void RunWatch::give_up(int peer, const std::string& what) {
  own_.ending = Ending::waited_in_vain;
  note_wait(peer, what, timeout_);
  throw TransportError{own_.text.data()};
}

void RunWatch::end(const std::exception_ptr& failure, bool has_strays) {
  own_.has_strays = has_strays;
  report(failure);
  await_reports();
  if (own_.ending == Ending::failed) {
    std::rethrow_exception(failure);
  }
  if (const std::optional<int> rank = culprit()) {
    throw TransportError{explain(*rank)};
  }
  look_for_dead(fmt::format("rank {} has ended", rank_));
  if (!is_complete()) {
    throw TransportError{fmt::format("rank {} has ended, but not {}, {} later", rank_,
                                     name_silent_ranks(), to_text(timeout_))};
  }
}

bool RunWatch::any_strays() const {
  return own_.has_strays || std::ranges::any_of(others_, [](const Correspondent& other) {
           return other.report.has_strays;
         });
}

void RunWatch::report(const std::exception_ptr& failure) {
  const bool waited_in_vain = own_.ending == Ending::waited_in_vain;
  if (knows_of_failure_ || (failure && is_stop(failure))) {
    own_.ending = Ending::stopped;
  } else if (failure && !waited_in_vain) {
    own_.ending = Ending::failed;
    set_text(own_, text_of(failure));
  }
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (static_cast<int>(i) != rank_) {
      check_mpi(MPI_Isend(&own_, sizeof(RunReport), MPI_BYTE, static_cast<int>(i), run_,
                          control_->handle(), &others_[i].sending),
                "MPI_Isend of a report");
    }
  }
}

void RunWatch::listen() {
  for (Correspondent& other : others_) {
    if (!other.has_reported && test(other.receiving)) {
      other.has_reported = true;
      knows_of_failure_ |= is_failure(other.report.ending);
    }
  }
}

bool RunWatch::is_complete() const {
  return std::ranges::all_of(others_, [](const Correspondent& other) {
    return other.has_reported && other.sending == MPI_REQUEST_NULL;
  });
}

bool RunWatch::only_the_dead_are_silent() const {
  const std::vector<int> dead = dead_and_silent();
  const auto reported = std::ranges::count_if(others_, &Correspondent::has_reported);
  return !dead.empty() && dead.size() + static_cast<std::size_t>(reported) == others_.size();
}

void RunWatch::await_reports() {
  bool knew = is_failure(own_.ending) || knows_of_failure_;
  Clock::time_point deadline = in(knew ? grace : timeout_ + grace);
  while (true) {
    listen();
    for (Correspondent& other : others_) {
      test(other.sending);
    }
    if (is_complete()) {
      return;
    }
    if (knows_of_failure_ && !knew) {
      deadline = in(grace);
      knew = true;
    }
    if (Clock::now() > deadline || only_the_dead_are_silent()) {
      session_->give_up();
      return;
    }
    sched_yield();
  }
}

const RunReport& RunWatch::report_of(int rank) const {
  return rank == rank_ ? own_ : others_[static_cast<std::size_t>(rank)].report;
}

bool RunWatch::is_silent(int rank) const {
  return !others_[static_cast<std::size_t>(rank)].has_reported;
}

bool RunWatch::waited_for_the_silent(const RunReport& report) const {
  const bool waited = report.ending == Ending::waited_in_vain || report.ending == Ending::stopped;
  return waited && report.peer >= 0 && is_silent(report.peer);
}

/// The rank whose failure explains the others': one that threw; else one that waited for a rank
/// that does not answer, even if another, which waits for this one, lost patience first; else any
/// that waited in vain.
std::optional<int> RunWatch::culprit() const {
  std::optional<int> impatient;
  std::optional<int> neighbour;
  for (int rank = 0; rank < static_cast<int>(others_.size()); ++rank) {
    const RunReport& report = report_of(rank);
    if (is_silent(rank)) {
      continue;
    }
    if (report.ending == Ending::failed) {
      return rank;
    }
    if (report.ending == Ending::waited_in_vain && !impatient) {
      impatient = rank;
    }
    if (waited_for_the_silent(report) && !neighbour) {
      neighbour = rank;
    }
  }
  return neighbour ? neighbour : impatient;
}

std::string RunWatch::explain(int culprit) const {
  const std::string text = report_of(culprit).text.data();
  return text.starts_with(fmt::format("rank {}: ", culprit))
             ? text
             : fmt::format("rank {} failed: {}", culprit, text);
}

std::string RunWatch::name_silent_ranks() const {
  std::string names;
  for (int rank = 0; rank < static_cast<int>(others_.size()); ++rank) {
    if (is_silent(rank)) {
      names += fmt::format("{}rank {}", names.empty() ? "" : ", ", rank);
    }
  }
  return names;
}

}  // namespace ringcast
