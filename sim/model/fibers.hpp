#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace ringcast {

/// Functions that run in turn in one thread, each with a stack of its own, until they block: the
/// ranks of a FluidTransport. A SimGrid actor is the same with a scheduler that knows the platform.
class Fibers {
 public:
  /// Bytes of each stack; only what is touched takes memory.
  static constexpr std::size_t stack_size = 128 << 10;

  explicit Fibers(std::size_t count);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  /// All have ended.
  ~Fibers();

  /// Gives fiber `index` its function, which must not throw, and makes it ready.
  void start(std::size_t index, std::function<void()> body);
  /// Runs the fibers that are ready, and those that they wake, until none is.
  void run_ready();
  [[nodiscard]] bool all_ended() const { return ended_ == fibers_.size(); }

  // From inside a fiber:
  [[nodiscard]] std::size_t current() const { return current_; }
  /// Returns after wake(current()).
  void block();
  // From anywhere:
  /// Makes a blocked fiber ready; no effect on one that is ready or has ended.
  void wake(std::size_t index);

 private:
  struct Fiber;
  struct Stacks;

  std::unique_ptr<Stacks> stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::deque<std::size_t> ready_;
  std::size_t current_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace ringcast
