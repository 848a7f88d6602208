#pragma once

#include <memory>
#include <span>
#include <utility>

namespace ringcast {

/// An operation in flight, like an MPI_Request or a CUDA event.
///
/// - Ownership: move-only; the owner waits for the operation or cancels it.
/// - Completion: call wait() exactly once. Several may be in flight, and may be waited for in any
/// order.
/// - Cancellation: destroying one that was not waited for cancels the operation; the contents of
///   its slices are then undefined.
class [[nodiscard]] Pending {
 public:
  /// The backend's part. Destroyed after wait() returns or throws, or after cancel().
  class Operation {
   public:
    virtual ~Operation() = default;
    virtual void wait() = 0;
    virtual void cancel() noexcept = 0;
    /// Whether wait() would return at once; also true if the backend cannot tell.
    [[nodiscard]] virtual bool is_done() const { return true; }
  };

  explicit Pending(std::unique_ptr<Operation> operation) : operation_{std::move(operation)} {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&& other) noexcept {
    cancel();
    operation_ = std::move(other.operation_);
    return *this;
  }
  ~Pending() { cancel(); }

  /// Blocks this rank (on the simulated or the wall clock) until the operation is complete.
  void wait() { std::exchange(operation_, nullptr)->wait(); }
  /// Operation::is_done().
  [[nodiscard]] bool is_done() const { return operation_->is_done(); }

 private:
  void cancel() noexcept {
    if (operation_) {
      operation_->cancel();
    }
  }

  std::unique_ptr<Operation> operation_;
};

/// Waits for each of them, in this order.
inline void wait_all(std::span<Pending> operations) {
  for (Pending& operation : operations) {
    operation.wait();
  }
}

}  // namespace ringcast
