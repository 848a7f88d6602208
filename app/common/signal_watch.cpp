#include "app/common/signal_watch.hpp"

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

SignalWatch::SignalWatch() {
  interrupted = 0;
  struct sigaction note {};
  note.sa_handler = [](int /*signal*/) { interrupted = 1; };
  for (std::size_t i = 0; i < noted.size(); ++i) {
    ::sigaction(noted.at(i), &note, &old_noted_.at(i));
    if (old_noted_.at(i).sa_handler == SIG_IGN) {
      ::sigaction(noted.at(i), &old_noted_.at(i), nullptr);
    }
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, &old_child_);
}

void SignalWatch::restore() const {
  for (std::size_t i = 0; i < noted.size(); ++i) {
    ::sigaction(noted.at(i), &old_noted_.at(i), nullptr);
  }
  ::sigaction(SIGCHLD, &old_child_, nullptr);
}

void SignalWatch::throw_if_noted() {
  if (interrupted != 0) {
    throw Interrupted{};
  }
}

}  // namespace ringcast
