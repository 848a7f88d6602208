#pragma once

namespace ringcast {

/// While an object lives, SIGINT, SIGTERM and SIGHUP are recorded instead of ending the process,
/// unless they were ignored, and ended children can be waited for. Nested objects add nothing.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();
  /// Restores the default handling, for a child process.
  static void restore();

  /// Whether a signal has come since the outermost watch began.
  [[nodiscard]] static bool has_noted();
  /// Throws Interrupted if so.
  static void throw_if_noted();
};

}  // namespace ringcast
