#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace ringcast {

/// Cooperative fibers: functions that share one thread, each with its own stack. A fiber runs until
/// it blocks. They run the ranks of a FluidTransport, as SimGrid's actors do those of a
/// SimTransport.
class Fibers {
 public:
  /// Bytes of each stack; only pages that are touched take memory.
  static constexpr std::size_t stack_size = 128 << 10;

  explicit Fibers(std::size_t count);
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  /// All fibers must have ended.
  ~Fibers();

  /// Gives fiber `index` its function, which must not throw, and makes it ready.
  void start(std::size_t index, std::function<void()> body);
  /// Runs ready fibers, and those that they wake, until none is ready.
  void run_ready();
  [[nodiscard]] bool all_ended() const { return ended_ == fibers_.size(); }

  // From inside a fiber:
  [[nodiscard]] std::size_t current() const { return current_; }
  /// Returns after wake(current()).
  void block();
  // From anywhere:
  /// Makes a blocked fiber ready; no effect on one that is ready or has ended.
  void wake(std::size_t index) noexcept;

 private:
  struct Fiber;
  struct Stacks;

  std::unique_ptr<Stacks> stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  // A list through the fibers: when memory runs out, those that are blocked must still end.
  Fiber* first_ready_ = nullptr;
  Fiber* last_ready_ = nullptr;
  std::size_t current_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace ringcast
