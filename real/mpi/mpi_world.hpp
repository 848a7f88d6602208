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

  [[nodiscard]] Rank rank() const;
  [[nodiscard]] int size() const;
  /// The host name of each rank.
  [[nodiscard]] const std::vector<std::string>& hosts() const;
  /// The number of each rank's host; hosts are numbered in the order of their first ranks.
  [[nodiscard]] const std::vector<int>& node_of() const;

  /// Collective. Returns the texts of all ranks, by rank.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine);
  /// Ends the whole job at once, without a report to the other ranks.
  [[noreturn]] void abort(int exit_code) noexcept;

  /// For `real/` only.
  struct Native;
  [[nodiscard]] Native& native() { return *native_; }

 private:
  std::unique_ptr<Native> native_;
};

}  // namespace ringcast
