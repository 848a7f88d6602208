#include "sim/model/blocked_ranks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ringcast {

namespace {

std::string text_of(const BlockedRanks::On& on) {
  const auto any_of = std::ranges::count_if(on.any_of, [](const auto* each) { return each; });
  if (any_of > 0) return fmt::format("for one of {} messages", any_of);
  return fmt::format("to {} {} bytes {} rank {} under tag {}", on.sending ? "send" : "receive",
                     on.length.count(), on.sending ? "to" : "from", index_of(on.peer),
                     static_cast<int>(on.tag));
}

}  // namespace

std::string BlockedRanks::text() const {
  constexpr int named = 4;
  std::string text;
  int blocked = 0;
  for (std::size_t rank = 0; rank < on_.size(); ++rank) {
    if (on_[rank] && ++blocked <= named) {
      text +=
          fmt::format("{}rank {} waits {}", text.empty() ? "" : ", ", rank, text_of(*on_[rank]));
    }
  }
  return blocked > named ? fmt::format("{}, and {} more", text, blocked - named) : text;
}

}  // namespace ringcast
