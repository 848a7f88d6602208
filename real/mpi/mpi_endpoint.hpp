#pragma once

#include "engine/contracts/composed_accumulate.hpp"
#include "real/mpi/mpi_messages.hpp"
#include "real/mpi/shared_messages.hpp"

namespace ringcast {

/// The endpoint of a rank of an MPI job: through shared memory within a host, otherwise through
/// MPI.
class MpiEndpoint final : public Endpoint {
 public:
  /// `shared` may be null. All arguments must outlive the endpoint.
  MpiEndpoint(const Communicator& data, SharedMessages* shared, MpiMessages& messages,
              AddressableMemory& memory, Reducer& reducer);

  [[nodiscard]] Rank rank() const override { return Rank{rank_}; }
  [[nodiscard]] int size() const override { return size_; }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override;
  Pending recv(Rank from, Slice destination, Tag tag) override;
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override;
  [[nodiscard]] Seconds now() const override { return RunWatch::Clock::now() - begin_; }

  [[nodiscard]] const Communicator& communicator() const { return *data_; }

 private:
  [[nodiscard]] bool shares_memory_with(Rank peer) const {
    return shared_ != nullptr && shared_->reaches(peer);
  }

  int rank_;
  int size_;
  const Communicator* data_;
  Bytes element_size_;
  SharedMessages* shared_;
  MpiMessages* messages_;
  AddressableMemory* memory_;
  ComposedAccumulate accumulate_;
  RunWatch::Clock::time_point begin_ = RunWatch::Clock::now();
};

}  // namespace ringcast
