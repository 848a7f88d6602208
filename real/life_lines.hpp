#pragma once

#include <memory>
#include <vector>

#include "real/segment.hpp"

namespace ringcast {

/// Tells at once when a process of this host has ended, even one that nobody has waited for yet.
class LifeLines {
 public:
  void add(int rank, pid_t process);
  /// The ranks whose processes have ended.
  [[nodiscard]] std::vector<int> find_dead() const;

 private:
  struct Line {
    int rank;
    std::unique_ptr<FileDescriptor> process;
  };
  std::vector<Line> lines_;
};

}  // namespace ringcast
