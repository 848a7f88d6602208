#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/contracts/rank.hpp"
#include "engine/system/descriptor.hpp"
#include "real/mpi/shared_window.hpp"

namespace ringcast {

class Communicator;

/// The ranks of this process's host and their shared windows. Kept between runs, with the mapped
/// memory of the peers.
class HostPeers {
 public:
  /// Collective over `ranks`; `node_of` has the host of each. If any ranks of a host cannot map
  /// each other's memory (containers with the same host name), there are no peers.
  HostPeers(const Communicator& ranks, const std::vector<int>& node_of);

  struct Peer {
    int rank;
    /// This rank's index among the receivers of the peer's window, and the peer's in this rank's.
    int our_place;
    int its_place;
    pid_t process;
    Descriptor pidfd;
    std::unique_ptr<SharedWindow> window;
    /// The number of messages to the peer and from it.
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    /// The number of our messages that it had taken at our last read, which costs as much as a
    /// message.
    std::uint64_t seen_taken = 0;
    std::map<int, std::unique_ptr<Segment>> mapped = {};
  };

  /// Null for a rank that is reachable only through MPI.
  [[nodiscard]] Peer* find(Rank rank);
  [[nodiscard]] std::vector<Peer>& all() { return peers_; }
  [[nodiscard]] const std::vector<Peer>& all() const { return peers_; }
  [[nodiscard]] SharedWindow& own_window() { return *window_; }
  /// Whether its process has ended, even if it is a zombie. Always false on kernels without
  /// pidfd_open (before 5.3), where the timeout detects dead ranks.
  [[nodiscard]] static bool is_dead(const Peer& peer) noexcept;
  /// The bytes of a parcel, in a segment of their sender.
  [[nodiscard]] static std::span<std::byte> bytes_of(Peer& peer, const Parcel& parcel);

 private:
  struct Contact;
  [[nodiscard]] bool open_windows(const std::vector<Contact>& contacts,
                                  const std::vector<int>& here, int own_rank);

  std::unique_ptr<SharedWindow> window_;
  std::vector<Peer> peers_;
};

}  // namespace ringcast
