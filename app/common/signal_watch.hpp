#pragma once

namespace ringcast {

/// While an object exists, SIGINT, SIGTERM and SIGHUP are recorded instead of ending the process,
/// unless they were ignored. Nested objects have no effect.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();
  /// Restores the signal handlers from before the outermost watch, for a child process.
  static void restore();

  /// Whether a signal has arrived since the outermost watch began.
  [[nodiscard]] static bool has_noted();
  /// Throws Interrupted if has_noted().
  static void throw_if_noted();
};

}  // namespace ringcast
