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
  int node = 0;
  int rank = 0;
  pid_t process = 0;
  int descriptor = 0;
  std::uint64_t mark = 0;
  int neighbours = 0;
};

HostPeers::HostPeers(const Communicator& ranks, const std::vector<int>& node_of) {
  const int rank = ranks.rank();
  const int size = ranks.size();
  const int node = node_of[static_cast<std::size_t>(rank)];
  const auto neighbours =
      static_cast<int>(std::count(node_of.begin(), node_of.begin() + size, node));
  std::random_device entropy;
  const std::uint64_t mark = (std::uint64_t{entropy()} << 32U) | entropy();
  window_ = std::make_unique<SharedWindow>(neighbours, mark);

  const Contact mine{node, rank, getpid(), window_->descriptor(), mark, neighbours};
  std::vector<Contact> contacts(static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(&mine, sizeof(Contact), MPI_BYTE, contacts.data(), sizeof(Contact),
                          MPI_BYTE, ranks.handle()),
            "MPI_Allgather");
  std::erase_if(contacts, [node](const Contact& contact) { return contact.node != node; });

  int all_seen = open_windows(contacts, mine) ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all_seen, 1, MPI_INT, MPI_LAND, ranks.handle()),
            "MPI_Allreduce");
  if (all_seen == 0) {
    peers_.clear();
  }
}

/// `contacts`: of this host, in the order of their ranks, which are their indices in all windows.
bool HostPeers::open_windows(const std::vector<Contact>& contacts, const Contact& mine) {
  const auto is_mine = [&](const Contact& contact) { return contact.rank == mine.rank; };
  const auto our_place =
      static_cast<int>(std::ranges::find_if(contacts, is_mine) - contacts.begin());
  peers_.reserve(contacts.size());
  for (std::size_t place = 0; place < contacts.size(); ++place) {
    const Contact& contact = contacts[place];
    if (is_mine(contact)) {
      continue;
    }
    try {
      auto window =
          std::make_unique<SharedWindow>(contact.neighbours, contact.process, contact.descriptor);
      if (window->mark() != contact.mark) {
        return false;  // another process has this id here
      }
      Descriptor pidfd{static_cast<int>(syscall(SYS_pidfd_open, contact.process, 0))};
      peers_.push_back({contact.rank, our_place, static_cast<int>(place), contact.process,
                        std::move(pidfd), std::move(window)});
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
