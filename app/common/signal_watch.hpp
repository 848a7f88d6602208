#pragma once

#include <array>
#include <csignal>

namespace ringcast {

/// For as long as it lives, SIGINT and SIGTERM are noted instead of deadly, unless they were
/// ignored, and ended children can be waited for. One at a time.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() { restore(); }
  /// For a child process, which is to die of signals as usual.
  void restore() const;

  /// Throws Interrupted if a signal has come since the watch began.
  static void throw_if_noted();

 private:
  static constexpr std::array noted{SIGINT, SIGTERM};
  std::array<struct sigaction, noted.size()> old_noted_{};
  struct sigaction old_child_ {};
};

}  // namespace ringcast
