#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "real/gpu/device.hpp"

namespace ringcast {

/// The path of a message's bytes.
enum class MessagePath : std::int32_t { ipc, cuda_aware, staged };

/// A control message between two ranks. Copied as bytes.
struct Note {
  enum class Kind : std::int32_t {
    offer,      ///< a message: its tag, length, path, and the location of its bytes
    withdrawn,  ///< its sender cancelled it
    ready,      ///< its receiver has begun to receive from the wire
    taken,      ///< its receiver has copied all bytes
    mismatch,   ///< its receiver expects `length` bytes
  };
  Kind kind{};
  std::int32_t run = 0;      ///< of the transport: notes of a failed run are ignored
  std::int64_t message = 0;  ///< its number among the messages of its sender
  std::int32_t tag = 0;
  MessagePath path{};
  std::uint64_t length = 0;
  std::uint64_t block = 0;  ///< the sender's number for the allocation that `handle` opens
  std::uint64_t offset = 0;
  SharedHandle handle;
};
static_assert(std::is_trivially_copyable_v<Note>);

struct ArrivedNote {
  Rank from{};
  Note note;
};

/// Watches the ranks of one run for failures.
class Watch {
 public:
  virtual ~Watch() = default;
  /// Runs this rank's program and ends the run.
  void run(const std::function<void()>& program) {
    std::exception_ptr failure;
    try {
      program();
    } catch (...) {
      failure = std::current_exception();
    }
    end(failure);
  }
  /// Throws Stopped if another rank has failed.
  virtual void check() = 0;
  /// Throws TransportError: `what` waits for `peer`, without progress for the timeout.
  [[noreturn]] virtual void give_up(Rank peer, const std::string& what) = 0;
  /// Called when the program has returned, or thrown `failure`. Waits for the other ranks, only a
  /// few seconds if one has failed, and throws the exception of the run, if any.
  virtual void end(const std::exception_ptr& failure) = 0;
};

/// The connection between the ranks of a device job: notes, and bytes if device memory cannot be
/// shared.
///
/// - Notes: those from one rank to another arrive in order. post() and poll() never block.
/// - Bytes: the k-th send() to a rank with a message's id matches the k-th receive() there with
///   that id; both have the same length. The memory must not be accessed until the operation is
///   done or destroyed.
/// - Failure: TransportError.
class Wire {
 public:
  virtual ~Wire() = default;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Whether `peer` is on this host, so that its device memory may be opened.
  [[nodiscard]] virtual bool is_on_same_host(Rank peer) const = 0;
  /// Whether send() and receive() accept device memory.
  [[nodiscard]] virtual bool takes_device_memory() const = 0;
  /// Collective. Concatenates the bytes of all ranks, the same number from each.
  [[nodiscard]] virtual std::vector<std::byte> gather(std::span<const std::byte> mine) = 0;
  /// Every rank begins the same runs.
  [[nodiscard]] virtual std::unique_ptr<Watch> begin_run(int run, Seconds timeout) = 0;
  virtual void post(Rank to, const Note& note) = 0;
  [[nodiscard]] virtual std::optional<ArrivedNote> poll() = 0;
  [[nodiscard]] virtual std::unique_ptr<InFlight> send(Rank to, std::int64_t message,
                                                       std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<InFlight> receive(Rank from, std::int64_t message,
                                                          std::span<std::byte> bytes) = 0;
};

}  // namespace ringcast
