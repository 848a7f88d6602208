#include "real/mpi/host_peers.hpp"

#include <algorithm>
#include <random>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_native.hpp"

namespace ringcast {

/// What the ranks exchange to map each other's windows.
struct HostPeers::Contact {
  pid_t process = 0;
  int descriptor = 0;
  std::uint64_t mark = 0;
};

HostPeers::HostPeers(const Communicator& ranks, const std::vector<int>& node_of) {
  const int rank = ranks.rank();
  const int node = node_of[static_cast<std::size_t>(rank)];
  std::vector<int> here;
  for (int each = 0; each < ranks.size(); ++each) {
    if (node_of[static_cast<std::size_t>(each)] == node) here.push_back(each);
  }
  std::random_device entropy;
  const std::uint64_t mark = (std::uint64_t{entropy()} << 32U) | entropy();
  window_ = std::make_unique<SharedWindow>(static_cast<int>(here.size()), mark);

  const Contact mine{getpid(), window_->descriptor(), mark};
  std::vector<Contact> contacts(static_cast<std::size_t>(ranks.size()));
  check_mpi(MPI_Allgather(&mine, sizeof(Contact), MPI_BYTE, contacts.data(), sizeof(Contact),
                          MPI_BYTE, ranks.handle()),
            "MPI_Allgather");

  int all_seen = open_windows(contacts, here, rank) ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all_seen, 1, MPI_INT, MPI_LAND, ranks.handle()),
            "MPI_Allreduce");
  if (all_seen == 0) {
    peers_.clear();
  }
}

/// `contacts`: of all ranks. `here`: the ranks of this host, whose order is that of the receivers
/// in each window.
bool HostPeers::open_windows(const std::vector<Contact>& contacts, const std::vector<int>& here,
                             int own_rank) {
  const auto our_place = static_cast<int>(std::ranges::find(here, own_rank) - here.begin());
  const auto receivers = static_cast<int>(here.size());
  peers_.reserve(here.size());
  for (int place = 0; place < receivers; ++place) {
    if (place == our_place) {
      continue;
    }
    const int rank = here[static_cast<std::size_t>(place)];
    const Contact& contact = contacts[static_cast<std::size_t>(rank)];
    try {
      auto window = std::make_unique<SharedWindow>(receivers, contact.process, contact.descriptor);
      if (window->mark() != contact.mark) {
        return false;  // another process has this id here
      }
      Descriptor pidfd{static_cast<int>(syscall(SYS_pidfd_open, contact.process, 0))};
      peers_.push_back(
          {rank, our_place, place, contact.process, std::move(pidfd), std::move(window)});
    } catch (const TransportError&) {
      return false;
    }
  }
  return true;
}

HostPeers::Peer* HostPeers::find(Rank rank) {
  const auto found = std::ranges::find(peers_, index_of(rank), &Peer::rank);
  return found == peers_.end() ? nullptr : &*found;
}

bool HostPeers::is_dead(const Peer& peer) noexcept {
  pollfd state{peer.pidfd.value(), POLLIN, 0};  // poll() skips negative descriptors
  return poll(&state, 1, 0) > 0;
}

std::span<std::byte> HostPeers::bytes_of(Peer& peer, const Parcel& parcel) {
  std::unique_ptr<Segment>& segment = peer.mapped[parcel.segment];
  if (!segment) {
    segment = std::make_unique<Segment>(Bytes{parcel.segment_size}, peer.process, parcel.segment);
  }
  return segment->bytes().subspan(parcel.offset, parcel.length);
}

}  // namespace ringcast
