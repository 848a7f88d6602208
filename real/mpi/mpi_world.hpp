#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/contracts/rank.hpp"

namespace ringcast {

/// MPI in this process, from construction to destruction: one object per process. Every failure of
/// MPI is a TransportError that says which call failed and why. Collective calls are marked; all
/// processes of the job make them in the same order.
class MpiWorld {
 public:
  /// Collective. Throws BackendUnavailable where the program was built without MPI.
  MpiWorld(int& argc, char**& argv);
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;
  ~MpiWorld();

  [[nodiscard]] Rank rank() const;
  [[nodiscard]] int size() const;
  /// The name of the host of each rank.
  [[nodiscard]] const std::vector<std::string>& hosts() const;
  /// The host of each rank as a number, in the order of their first ranks.
  [[nodiscard]] const std::vector<int>& node_of() const;

  /// Collective. The texts of all ranks, in their order, on every rank.
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine);
  /// Ends the whole job at once; for a process that cannot go on. Other ranks do not see why.
  [[noreturn]] void abort(int exit_code) noexcept;

  /// For `real/` only.
  struct Native;
  [[nodiscard]] Native& native() { return *native_; }

 private:
  std::unique_ptr<Native> native_;
};

}  // namespace ringcast
