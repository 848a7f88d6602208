#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "real/gpu/device.hpp"

namespace ringcast {

/// How the bytes of a message travel.
enum class MessagePath : std::int32_t { ipc, cuda_aware, staged };

/// A control message between two ranks. Copied as bytes.
struct Note {
  enum class Kind : std::int32_t {
    offer,      ///< a message: its tag, length, path, and where its bytes lie
    withdrawn,  ///< its sender dropped it
    ready,      ///< its receiver takes the bytes from the wire now
    taken,      ///< its receiver has copied all bytes
    mismatch,   ///< its receiver expects `length` bytes
  };
  Kind kind{};
  std::int32_t run = 0;      ///< of the transport: what a failed run left is ignored
  std::int64_t message = 0;  ///< counts what its sender has sent
  std::int32_t tag = 0;
  MessagePath path{};
  std::uint64_t length = 0;
  std::uint64_t block = 0;  ///< the sender's name for the allocation that `handle` opens
  std::uint64_t offset = 0;
  SharedHandle handle;
};
static_assert(std::is_trivially_copyable_v<Note>);

struct ArrivedNote {
  Rank from{};
  Note note;
};

/// Whether the ranks of one run are well.
class Watch {
 public:
  virtual ~Watch() = default;
  /// Throws what ends this rank if another one has failed.
  virtual void look() = 0;
  /// `what` waits for `peer` and has not moved for the timeout. Throws TransportError.
  [[noreturn]] virtual void give_up(Rank peer, const std::string& what) = 0;
  /// The program has returned, or thrown `failure`. Waits for the other ranks, some seconds only
  /// where one has failed, and throws what the run has to throw.
  virtual void end(const std::exception_ptr& failure) = 0;
};

/// The connection between the ranks of a device job: notes, and bytes where device memory can not
/// be shared.
///
/// - Notes: those from one rank to another arrive in order. post() and poll() never block.
/// - Bytes: the k-th send() to a rank under a message's id meets the k-th receive() from there
///   under it; both name one length. The memory stays untouched until done, or destroyed.
/// - Failure: TransportError.
class Wire {
 public:
  virtual ~Wire() = default;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Whether that rank is on this host, so that its device memory may be opened.
  [[nodiscard]] virtual bool is_beside(Rank peer) const = 0;
  /// Whether send() and receive() take device memory.
  [[nodiscard]] virtual bool takes_device_memory() const = 0;
  /// Collective. The bytes of all ranks, equally many of each, one after the other.
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
