#include "app/common/signal_watch.hpp"

#include <array>
#include <csignal>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr std::array noted{SIGINT, SIGTERM, SIGHUP};

// Signal handlers belong to the process, hence no members.
volatile std::sig_atomic_t interrupted = 0;
int watches = 0;
std::array<struct sigaction, noted.size()> old_noted{};

}  // namespace

SignalWatch::SignalWatch() {
  if (watches++ > 0) {
    return;
  }
  interrupted = 0;
  struct sigaction note {};
  note.sa_handler = [](int /*signal*/) { interrupted = 1; };
  for (std::size_t i = 0; i < noted.size(); ++i) {
    ::sigaction(noted.at(i), &note, &old_noted.at(i));
    if (old_noted.at(i).sa_handler == SIG_IGN) {
      ::sigaction(noted.at(i), &old_noted.at(i), nullptr);
    }
  }
}

SignalWatch::~SignalWatch() {
  if (--watches == 0) {
    restore();
  }
}

void SignalWatch::restore() {
  for (std::size_t i = 0; i < noted.size(); ++i) {
    ::sigaction(noted.at(i), &old_noted.at(i), nullptr);
  }
}

bool SignalWatch::has_noted() {
  return interrupted != 0;
}

void SignalWatch::throw_if_noted() {
  if (has_noted()) {
    throw Interrupted{};
  }
}

}  // namespace ringcast
