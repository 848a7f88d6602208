#pragma once

namespace ringcast {

/// For as long as it lives, SIGINT, SIGTERM and SIGHUP are noted instead of deadly, unless they
/// were ignored, and ended children can be waited for. One within another adds nothing.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();
  /// For a child process, which is to die of signals as usual.
  static void restore();

  /// Whether a signal has come since the outermost watch began.
  [[nodiscard]] static bool has_noted();
  /// Throws Interrupted if so.
  static void throw_if_noted();
};

}  // namespace ringcast
