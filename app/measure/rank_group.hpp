#pragma once

#include <span>
#include <vector>

#include "engine/contracts/transport.hpp"

namespace ringcast {

/// Lets all ranks of a run meet, by small messages of their endpoints under a tag of their own.
/// Every rank makes the same calls in the same order.
class RankGroup {
 public:
  /// At most so many values at a time.
  RankGroup(RankContext& self, std::size_t most_values);

  /// Returns when all ranks have called it.
  void barrier();
  /// Of the values of all ranks the greatest, place by place. Needs a memory that holds data.
  [[nodiscard]] std::vector<double> max_of(std::vector<double> values);

 private:
  void exchange(int distance, Bytes length);

  RankContext& self_;
  Bytes room_;
  BufferId outgoing_;
  BufferId incoming_;
};

}  // namespace ringcast
