#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/contracts/rank.hpp"

namespace ringcast {

/// MPI in this process, from construction to destruction: one object per process. Every failure of
/// MPI is a TransportError with the failed call and MPI's message. Collective calls are marked as
/// such; all processes of the job make them in the same order.
class MpiWorld {
 public:
  /// Collective. Throws BackendUnavailable if the program was built without MPI.
  MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;
  ~MpiWorld();

  [[nodiscard]] Rank rank() const { return Rank{rank_}; }
  [[nodiscard]] int size() const { return size_; }
  /// The host name of each rank.
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
  /// The number of each rank's host; hosts are numbered in the order of their first ranks.
  [[nodiscard]] const std::vector<int>& node_of() const { return node_of_; }
  /// The host of this rank.
  [[nodiscard]] const std::string& host() const { return hosts_[static_cast<std::size_t>(rank_)]; }
  [[nodiscard]] int node() const { return node_of_[static_cast<std::size_t>(rank_)]; }

  /// Collective. Returns the texts of all ranks, by rank.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine);
  /// Ends the whole job at once, without a report to the other ranks.
  [[noreturn]] void abort(int exit_code) noexcept;

  /// For `real/` only.
  struct Native;
  [[nodiscard]] Native& native() { return *native_; }

 private:
  std::unique_ptr<Native> native_;
  int rank_ = 0;
  int size_ = 0;
  std::vector<std::string> hosts_;
  std::vector<int> node_of_;
};

}  // namespace ringcast
