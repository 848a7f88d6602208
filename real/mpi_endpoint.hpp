#pragma once

#include "engine/composed_accumulate.hpp"
#include "real/mpi_messages.hpp"

namespace ringcast {

/// A rank of an MPI job on its network.
class MpiEndpoint final : public Endpoint {
 public:
  MpiEndpoint(const Communicator& data, RunWatch& watch, AddressableMemory& memory,
              Reducer& reducer, bool is_crowded);

  [[nodiscard]] Rank rank() const override { return Rank{rank_}; }
  [[nodiscard]] int size() const override { return size_; }
  Pending send(Rank to, Slice source, Tag tag) override;
  Pending recv(Rank from, Slice destination, Tag tag) override;
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override;
  [[nodiscard]] Seconds now() const override { return RunWatch::Clock::now() - begin_; }

  [[nodiscard]] const Communicator& communicator() const { return *data_; }
  [[nodiscard]] bool has_strays() const { return messages_.has_strays(); }

 private:
  int rank_;
  int size_;
  const Communicator* data_;
  Bytes element_size_;
  MpiMessages messages_;
  ComposedAccumulate accumulate_;
  RunWatch::Clock::time_point begin_ = RunWatch::Clock::now();
};

}  // namespace ringcast
