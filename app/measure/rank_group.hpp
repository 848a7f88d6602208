#pragma once

#include <span>
#include <vector>

#include "engine/contracts/transport.hpp"

namespace ringcast {

/// A barrier and a max-reduction over the ranks of a run, by small messages with a tag of their
/// own. Every rank makes the same calls in the same order.
class RankGroup {
 public:
  /// `most_values`: the longest vector of max_of().
  RankGroup(RankContext& self, std::size_t most_values);

  /// Returns when all ranks have called it.
  void barrier();
  /// The element-wise maximum over all ranks. Needs a memory that holds data.
  [[nodiscard]] std::vector<double> max_of(std::vector<double> values);

 private:
  void exchange(int distance, Bytes length);

  RankContext& self_;
  Bytes room_;
  BufferId outgoing_;
  BufferId incoming_;
};

}  // namespace ringcast
