#include "real/mpi/mpi_messages.hpp"

#include <array>
#include <climits>

#include <fmt/format.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_native.hpp"

namespace ringcast {
namespace {

/// Counts are ints in MPI.
constexpr std::uint64_t largest_count = INT_MAX;

/// The longest time that cancel() waits for MPI to cancel a receive.
constexpr Seconds cancel_time{1};

}  // namespace

/// The datatype and count of a range of bytes: MPI_BYTE, or one element of a derived type if the
/// length exceeds an int.
class MpiBytes {
 public:
  explicit MpiBytes(std::uint64_t length);
  MpiBytes(const MpiBytes&) = delete;
  MpiBytes& operator=(const MpiBytes&) = delete;
  ~MpiBytes();
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int count() const { return count_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
};

MpiBytes::MpiBytes(std::uint64_t length) : count_{1} {
  if (length <= largest_count) {
    count_ = static_cast<int>(length);
    return;
  }
  // Two elements: blocks of half the largest count, and the rest.
  constexpr std::uint64_t block = largest_count / 2;
  const std::array<int, 2> counts{static_cast<int>(length / block),
                                  static_cast<int>(length % block)};
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &whole), "MPI_Type_contiguous");
  const std::array<MPI_Aint, 2> places{0, static_cast<MPI_Aint>(length - length % block)};
  const std::array<MPI_Datatype, 2> types{whole, MPI_BYTE};
  check_mpi(MPI_Type_create_struct(2, counts.data(), places.data(), types.data(), &type_),
            "MPI_Type_create_struct");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Type_free(&whole), "MPI_Type_free");
}

MpiBytes::~MpiBytes() {
  if (type_ != MPI_BYTE) {
    MPI_Type_free(&type_);
  }
}

class MpiMessages::Transfer final : public Pending::Operation, public Awaited {
 public:
  Transfer(MpiMessages& owner, Rank peer, Tag tag, std::span<std::byte> bytes, bool is_incoming)
      : owner_{&owner},
        peer_{index_of(peer)},
        tag_{static_cast<int>(tag)},
        bytes_{bytes},
        content_{bytes.size()},
        is_incoming_{is_incoming} {
    expect(tag_ >= 0, "tag {}", tag_);
    ++owner_->in_flight_;
    MPI_Comm data = owner_->communicators_->data().handle();
    check(is_incoming_ ? MPI_Irecv(bytes_.data(), content_.count(), content_.type(), peer_, tag_,
                                   data, &request_)
                       : MPI_Isend(bytes_.data(), content_.count(), content_.type(), peer_, tag_,
                                   data, &request_));
  }

  void wait() override {
    MPI_Status status{};
    try {
      wait_until_done(status);
    } catch (...) {
      cancel();
      throw;
    }
    --owner_->in_flight_;
    check_length(status);
    ++owner_->ended_[stream()];
  }
  void cancel() noexcept override {
    --owner_->in_flight_;
    // MPI cannot cancel sends.
    if (!is_incoming_ || !cancel_receive()) owner_->communicators_->note_stray();
  }
  [[nodiscard]] int peer() const override { return peer_; }
  [[nodiscard]] std::string describe() const override {
    const auto ended = owner_->ended_.find(stream());
    return fmt::format("{}, message {} of the stream", headline(),
                       ended == owner_->ended_.end() ? 1 : ended->second + 1);
  }

 private:
  [[nodiscard]] std::string headline() const {
    return fmt::format("rank {}: {} of {} bytes {} rank {} under tag {}", owner_->rank(),
                       is_incoming_ ? "recv" : "send", bytes_.size(), is_incoming_ ? "from" : "to",
                       peer_, tag_);
  }
  void check(int code) const {
    if (code != MPI_SUCCESS) {
      check_mpi(code, headline());
    }
  }
  void check_length(const MPI_Status& status) const {
    if (!is_incoming_) {
      return;
    }
    MPI_Count length = 0;
    check(MPI_Get_elements_x(&status, content_.type(), &length));
    if (static_cast<std::uint64_t>(length) != bytes_.size()) {
      throw TransportError{fmt::format("{}: rank {} sends {} bytes", headline(), peer_, length)};
    }
  }
  [[nodiscard]] std::tuple<int, int, bool> stream() const { return {peer_, tag_, is_incoming_}; }

  void wait_until_done(MPI_Status& status) {
    Backoff backoff{*owner_->watch_, *this, owner_->is_oversubscribed_};
    int is_done = 0;
    while (true) {
      check(MPI_Test(&request_, &is_done, &status));
      if (is_done != 0) {
        return;
      }
      if (owner_->meanwhile_) {
        owner_->meanwhile_();
      }
      backoff.pause();
    }
  }
  bool cancel_receive() noexcept {
    if (request_ == MPI_REQUEST_NULL) return true;  // MPI_Test has failed
    MPI_Cancel(&request_);
    const auto begin = RunWatch::Clock::now();
    int is_done = 0;
    while (is_done == 0 && RunWatch::Clock::now() - begin < cancel_time) {
      MPI_Test(&request_, &is_done, MPI_STATUS_IGNORE);
    }
    return is_done != 0;
  }

  MpiMessages* owner_;
  int peer_;
  int tag_;
  std::span<std::byte> bytes_;
  MpiBytes content_;
  bool is_incoming_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

MpiMessages::MpiMessages(RunCommunicators& communicators, RunWatch& watch,
                         AddressableMemory& memory, bool is_oversubscribed)
    : communicators_{&communicators},
      watch_{&watch},
      memory_{&memory},
      is_oversubscribed_{is_oversubscribed} {}

Pending MpiMessages::send(Rank to, Slice source, Tag tag) {
  return Pending{std::make_unique<Transfer>(*this, to, tag, memory_->find(source), false)};
}

Pending MpiMessages::recv(Rank from, Slice destination, Tag tag) {
  return Pending{std::make_unique<Transfer>(*this, from, tag, memory_->find(destination), true)};
}

void MpiMessages::drive() {
  if (in_flight_ > 0) {
    watch_->progress();
  }
}

}  // namespace ringcast
