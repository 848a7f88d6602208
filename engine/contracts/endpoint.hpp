#pragma once

#include "engine/contracts/memory.hpp"
#include "engine/contracts/pending.hpp"
#include "engine/contracts/rank.hpp"

namespace ringcast {

/// Names one stream of messages between two ranks; an algorithm uses one tag per channel.
enum class Tag : int {};

/// One rank's view of the network.
///
/// - Matching: the k-th send from a to b under a tag meets the k-th recv posted at b from a under
///   it. recv() and recv_accumulate() count as one sequence.
/// - Order: messages under one tag cross the network one after the other; tags share the path.
/// - Peers: another rank of the job; else ContractViolation from the call.
/// - Sizes: both sides name the same length; a mismatch throws TransportError from wait(). No
///   length, or part of an element to accumulate, is a ContractViolation from the call.
/// - Completion: a sent slice may be overwritten, a received slice may be read.
/// - Accumulation: recv_accumulate() ends with into[i] = into[i] (+) received[i], as
///   Reducer::accumulate() would have it, bit for bit.
/// - Lending: lend() is a send whose slice comes back. Once it is complete, the next thing done
///   with that slice is recv(to, slice, back), in the order of the lends; `to` sends each answer
///   once it has received what was lent. While anything is lent, `back` carries answers only, and
///   those of one tag. To drop a lend or an answer ends their use. Where ranks share memory, large
///   answers are written to where the slice was read: the cache holds it.
/// - Progress: a send may block until its recv is posted, so post the recv first.
/// - Ownership: from the call to the end of wait() the slice belongs to the endpoint.
/// - Failure: TransportError. The endpoint is then useless; let the run end.
/// - Threads: one endpoint, one strand (a thread, or a simulated actor).
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  [[nodiscard]] virtual Rank rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual Pending send(Rank to, Slice source, Tag tag) = 0;
  virtual Pending lend(Rank to, Slice slice, Tag tag, Tag /*back*/) { return send(to, slice, tag); }
  virtual Pending recv(Rank from, Slice destination, Tag tag) = 0;
  virtual Pending recv_accumulate(Rank from, Slice into, Tag tag) = 0;
  /// Time since the run began, on this backend's clock. Never goes back.
  [[nodiscard]] virtual Seconds now() const = 0;
};

}  // namespace ringcast
