#pragma once

#include "engine/numbers/units.hpp"

namespace simgrid::s4u {
class Comm;
class Mailbox;
}  // namespace simgrid::s4u

namespace ringcast {

/// One side of a simulated message. The two sides meet in a mailbox, in order; the flow starts when
/// both have started, and ends for both at once; the payload (not null) is handed over when one of
/// them waits for it. Empty until assigned.
class Comm {
 public:
  Comm() = default;
  [[nodiscard]] static Comm sender(simgrid::s4u::Mailbox& mailbox, Bytes size, void* payload);
  [[nodiscard]] static Comm receiver(simgrid::s4u::Mailbox& mailbox, void*& received);
  Comm(const Comm& other);
  Comm& operator=(const Comm& other);
  ~Comm();

  /// The flow will be no faster than this. SimGrid heeds only the side that starts last.
  void limit_rate(BytesPerSecond limit);
  void start();
  void wait();
  void cancel() noexcept;
  /// The kernel's identifier of this communication; known once it has started.
  [[nodiscard]] const void* id() const;

 private:
  explicit Comm(simgrid::s4u::Comm* comm);
  simgrid::s4u::Comm* comm_ = nullptr;
};

}  // namespace ringcast
