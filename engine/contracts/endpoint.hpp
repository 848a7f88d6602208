#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/contracts/memory.hpp"
#include "engine/contracts/pending.hpp"
#include "engine/contracts/rank.hpp"

namespace ringcast {

/// Identifies a stream of messages between two ranks; an algorithm uses one tag per channel.
enum class Tag : int {};

/// The tag under which the receiver of a slice sends it back; empty: it is not sent back.
using Returns = std::optional<Tag>;

/// Numbers of rounds of a program: the `next` ones will repeat the `last` ones, which it has run
/// since its previous call of Endpoint::repeats().
struct AlikeRounds {
  std::int64_t next;
  std::int64_t last = 1;
};

/// Records the communication of a part of a program without running it. Parts that add the same
/// numbers and declare as many streams, in the same sequence, post and wait in the same way, each
/// on its own streams.
class Outline {
 public:
  virtual ~Outline() = default;
  virtual void add(std::uint64_t number) = 0;
  /// Declare a stream and its first message, once per stream.
  virtual void sends(Rank to, Slice first, Tag tag) = 0;
  virtual void receives(Rank from, Slice first, Tag tag) = 0;
};

/// One rank's view of the network.
///
/// - Matching: the k-th send from a to b with a tag matches the k-th recv that b posts from a with
///   that tag. recv() and recv_accumulate() count as one sequence.
/// - Order: messages with the same tag cross the network one after the other; those with different
///   tags share the bandwidth of their path.
/// - Peers: a peer is another rank of the job; otherwise the call throws ContractViolation.
/// - Sizes: both sides give the same length; a mismatch throws TransportError from wait(). For a
///   length of 0, or a fraction of an element to accumulate, the call throws ContractViolation.
/// - Completion: after wait() a sent slice may be overwritten, a received slice may be read.
/// - Accumulation: recv_accumulate() ends with into[i] = into[i] (+) received[i], as
///   Reducer::accumulate() computes it, bit for bit.
/// - Returns: send(to, slice, tag, Returns{back}) also promises that the slice comes back. After
///   the send is complete, the slice's next use is recv(to, slice, back); these recvs are posted in
///   the order of their sends, and `to` sends each answer after it has received the slice. Until
///   the last answer, `back` carries answers only, all to sends under the same tag. After such a
///   send or recv is cancelled, the two ranks use these tags no more. A backend may exploit the
///   promise or ignore it.
/// - Repetition: repeats(rounds) announces that the program's next rounds post and wait as its last
///   ones did: the same operations, peers, tags and lengths. A backend without data may return how
///   many of them it accounts for itself, the same number on all ranks; the program skips these.
///   Others return 0.
/// - Outline: a backend that analyses programs without running them returns an outline(); a part of
///   a program may describe itself there instead of communicating. Others return nullptr.
/// - Choice: first_done(operations) blocks until one of these sends and receives is complete, and
///   returns the first that is; or nothing, at once, on a backend that cannot tell.
/// - Progress: a send may block until its recv is posted, so post the recv first.
/// - Ownership: from the call to the end of wait() the slice belongs to the endpoint.
/// - Failure: TransportError. The endpoint is then unusable; let the run end.
/// - Threads: one endpoint, one strand (a thread, or a simulated actor).
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual Pending send(Rank to, Slice source, Tag tag, Returns returns = {}) = 0;
  virtual Pending recv(Rank from, Slice destination, Tag tag) = 0;
  virtual Pending recv_accumulate(Rank from, Slice into, Tag tag) = 0;
  [[nodiscard]] virtual std::int64_t repeats(AlikeRounds /*rounds*/) { return 0; }
  [[nodiscard]] virtual Outline* outline() { return nullptr; }
  /// An index into `operations`. Entries may be nullptr, which are ignored, but not all of them.
  [[nodiscard]] virtual std::optional<std::size_t> first_done(
      std::span<const Pending* const> /*operations*/) {
    return std::nullopt;
  }
  /// Time since the run began, on this backend's clock. Never goes back.
  [[nodiscard]] virtual Seconds now() const = 0;
};

}  // namespace ringcast
