#include "real/mpi/mpi_wire.hpp"

#include <algorithm>
#include <limits>
#include <list>

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>  // Open MPI's extensions, such as MPIX_Query_cuda_support
#endif

#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_native.hpp"
#include "real/mpi/run_watch.hpp"

namespace ringcast {
namespace {

constexpr int note_tag = 0;  // the others are for pieces of messages

/// The messages in flight of a rank have consecutive ids.
int tag_of(std::int64_t message) {
  return static_cast<int>(1 + message % (mpi_tags - 1));
}

bool is_cuda_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

int count_of(std::size_t bytes) {
  expect(bytes <= std::numeric_limits<int>::max(), "a piece of {} bytes", bytes);
  return static_cast<int>(bytes);
}

/// Bytes in flight. If destroyed before completion, MPI may still access their memory when it is
/// called again; the run has then failed, and ends before that memory is freed.
class PieceInFlight final : public InFlight {
 public:
  PieceInFlight(MPI_Request request, RunCommunicators& communicators)
      : request_{request}, communicators_{&communicators} {}
  PieceInFlight(const PieceInFlight&) = delete;
  PieceInFlight& operator=(const PieceInFlight&) = delete;
  ~PieceInFlight() override {
    if (request_ != MPI_REQUEST_NULL) {
      MPI_Cancel(&request_);
      MPI_Request_free(&request_);
      communicators_->note_stray();
    }
  }
  [[nodiscard]] bool done() override { return test_mpi(request_, "MPI_Test of a piece"); }

 private:
  MPI_Request request_;
  RunCommunicators* communicators_;
};

class MpiWire final : public Wire {
 public:
  MpiWire(MpiWorld& world, int ranks)
      : node_of_{world.node_of()}, communicators_{world.native(), ranks} {}
  MpiWire(const MpiWire&) = delete;
  MpiWire& operator=(const MpiWire&) = delete;
  ~MpiWire() override {
    if (!communicators_.session().is_intact()) keep_for_ever(std::move(outgoing_));
  }
  [[nodiscard]] bool is_member() const { return communicators_.is_member(); }

  [[nodiscard]] Rank rank() const override { return Rank{communicators_.control().rank()}; }
  [[nodiscard]] int size() const override { return communicators_.control().size(); }
  [[nodiscard]] bool is_on_same_host(Rank peer) const override {
    return host_of(peer) == host_of(rank());
  }
  [[nodiscard]] bool takes_device_memory() const override { return is_cuda_aware(); }
  [[nodiscard]] std::vector<std::byte> gather(std::span<const std::byte> mine) override;
  [[nodiscard]] std::unique_ptr<Watch> begin_run(int run, Seconds timeout) override {
    return std::make_unique<RunWatch>(communicators_, run, timeout);
  }
  void post(Rank to, const Note& note) override;
  [[nodiscard]] std::optional<ArrivedNote> poll() override;
  [[nodiscard]] std::unique_ptr<InFlight> send(Rank to, std::int64_t message,
                                               std::span<const std::byte> bytes) override;
  [[nodiscard]] std::unique_ptr<InFlight> receive(Rank from, std::int64_t message,
                                                  std::span<std::byte> bytes) override;

 private:
  struct Outgoing {
    Note note;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  [[nodiscard]] int host_of(Rank rank) const {
    return node_of_[static_cast<std::size_t>(index_of(rank))];
  }
  void forget_sent_notes();

  std::vector<int> node_of_;
  RunCommunicators communicators_;
  std::list<Outgoing> outgoing_;
};

std::vector<std::byte> MpiWire::gather(std::span<const std::byte> mine) {
  const int count = count_of(mine.size());
  std::vector<std::byte> all(mine.size() * static_cast<std::size_t>(size()));
  check_mpi(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE,
                          communicators_.control().handle()),
            "MPI_Allgather");
  return all;
}

void MpiWire::forget_sent_notes() {
  while (!outgoing_.empty() && test_mpi(outgoing_.front().request, "MPI_Test of a note")) {
    outgoing_.pop_front();
  }
}

void MpiWire::post(Rank to, const Note& note) {
  forget_sent_notes();
  Outgoing& outgoing = outgoing_.emplace_back(Outgoing{note});
  const int code = MPI_Isend(&outgoing.note, sizeof(Note), MPI_BYTE, index_of(to), note_tag,
                             communicators_.data().handle(), &outgoing.request);
  check_mpi(code, "MPI_Isend of a note");
}

std::optional<ArrivedNote> MpiWire::poll() {
  int is_there = 0;
  MPI_Status status;
  check_mpi(
      MPI_Iprobe(MPI_ANY_SOURCE, note_tag, communicators_.data().handle(), &is_there, &status),
      "MPI_Iprobe for a note");
  if (is_there == 0) {
    return std::nullopt;
  }
  ArrivedNote arrived{Rank{status.MPI_SOURCE}, {}};
  check_mpi(MPI_Recv(&arrived.note, sizeof(Note), MPI_BYTE, status.MPI_SOURCE, note_tag,
                     communicators_.data().handle(), MPI_STATUS_IGNORE),
            "MPI_Recv of a note");
  return arrived;
}

std::unique_ptr<InFlight> MpiWire::send(Rank to, std::int64_t message,
                                        std::span<const std::byte> bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, index_of(to), tag_of(message),
                      communicators_.data().handle(), &request),
            "MPI_Isend of a piece");
  return std::make_unique<PieceInFlight>(request, communicators_);
}

std::unique_ptr<InFlight> MpiWire::receive(Rank from, std::int64_t message,
                                           std::span<std::byte> bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(bytes.data(), count_of(bytes.size()), MPI_BYTE, index_of(from),
                      tag_of(message), communicators_.data().handle(), &request),
            "MPI_Irecv of a piece");
  return std::make_unique<PieceInFlight>(request, communicators_);
}

}  // namespace

std::unique_ptr<Wire> make_mpi_wire(MpiWorld& world, int ranks) {
  expect(ranks >= 1 && ranks <= world.size(), "{} ranks of {}", ranks, world.size());
  auto wire = std::make_unique<MpiWire>(world, ranks);
  if (!wire->is_member()) {
    return nullptr;
  }
  return wire;
}

}  // namespace ringcast
