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

/// The ranks of this process's host and their shared windows. Kept from run to run, with the mapped
/// memory of the peers.
class HostPeers {
 public:
  /// Collective over `ranks`; `node_of` has the host of each. Where the ranks of a host can not see
  /// each other's memory (containers with the same host name), none are reached.
  HostPeers(const Communicator& ranks, const std::vector<int>& node_of);

  struct Peer {
    int rank;
    /// Our place among the receivers of its window, and its place in ours.
    int our_place;
    int its_place;
    pid_t process;
    Descriptor pidfd;
    std::unique_ptr<SharedWindow> window;
    /// Messages so far, both ways.
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    /// How many of ours it had taken when we last looked: a look costs as much as a message.
    std::uint64_t seen_taken = 0;
    std::map<int, std::unique_ptr<Segment>> mapped = {};
  };

  /// Null for a rank that is reached through MPI only.
  [[nodiscard]] Peer* find(Rank rank);
  [[nodiscard]] std::vector<Peer>& all() { return peers_; }
  [[nodiscard]] SharedWindow& own_window() { return *window_; }
  /// Whether its process has ended, even if nobody has reaped it yet. Unknown where the kernel has
  /// no pidfd_open (before 5.3): there a silent rank is noticed by the timeout.
  [[nodiscard]] static bool is_dead(const Peer& peer) noexcept;
  [[nodiscard]] std::vector<int> find_dead() const;
  /// The bytes of a parcel that lie with their sender.
  [[nodiscard]] static std::span<std::byte> bytes_of(Peer& peer, const Parcel& parcel);

 private:
  struct Card;
  [[nodiscard]] bool open_windows(const std::vector<Card>& cards, const Card& mine);

  std::unique_ptr<SharedWindow> window_;
  std::vector<Peer> peers_;
};

}  // namespace ringcast
