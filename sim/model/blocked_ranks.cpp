#include "sim/model/blocked_ranks.hpp"

#include <fmt/format.h>

namespace ringcast {

std::string BlockedRanks::text() const {
  constexpr int named = 4;
  std::string text;
  int blocked = 0;
  for (std::size_t rank = 0; rank < on_.size(); ++rank) {
    if (on_[rank] && ++blocked <= named) {
      const On& on = *on_[rank];
      text += fmt::format("{}rank {} waits to {} {} bytes {} rank {} under tag {}",
                          text.empty() ? "" : ", ", rank, on.sending ? "send" : "receive",
                          on.length.count(), on.sending ? "to" : "from", index_of(on.peer),
                          static_cast<int>(on.tag));
    }
  }
  return blocked > named ? fmt::format("{}, and {} more", text, blocked - named) : text;
}

}  // namespace ringcast
