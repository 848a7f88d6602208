#include "app/common/cell_memory.hpp"

#include <algorithm>
#include <utility>

#include "engine/numbers/error.hpp"

namespace ringcast {

CellBook::CellBook(const CellMemory& memory, std::size_t cells)
    : outcomes(cells, {Interrupted::code, "not simulated: interrupted"}),
      fractions(cells, 0.0),
      memory_{&memory} {
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (memory.cache != nullptr) identities_.push_back(memory.identity(cell));
    if (auto text = find(cell)) {
      set(cell, {0, std::move(*text)});
    } else if (!follows(cell)) {
      queue.push_back(cell);
    }
  }
}

void CellBook::end(std::size_t cell, const CellOutcome& outcome, Seconds work) {
  set(cell, outcome);
  const std::vector<std::size_t> followers = identities_.empty()
                                                 ? std::vector<std::size_t>{}
                                                 : std::exchange(followers_[identities_[cell]], {});
  if (!outcome.succeeded()) {  // the message of a failure may name the cell: run each
    queue.insert(queue.end(), followers.begin(), followers.end());
    return;
  }
  keep(cell, outcome.text, work);
  for (const std::size_t follower : followers) {
    set(follower, outcome);
    keep(follower, outcome.text, Seconds{0});
  }
}

std::optional<std::string> CellBook::find(std::size_t cell) {
  std::optional<std::string> text;
  if (memory_->kept != nullptr) text = memory_->kept->find(memory_->key(cell));
  if (!text && !identities_.empty()) text = memory_->cache->find(identities_[cell]);
  return text;
}

bool CellBook::follows(std::size_t cell) {
  if (identities_.empty()) {
    return false;
  }
  const auto [place, is_first] = followers_.try_emplace(identities_[cell]);
  if (!is_first) {
    place->second.push_back(cell);
  }
  return !is_first;
}

void CellBook::set(std::size_t cell, CellOutcome outcome) {
  outcomes[cell] = std::move(outcome);
  fractions[cell] = 1;
}

void CellBook::keep(std::size_t cell, const std::string& text, Seconds work) {
  if (memory_->kept != nullptr) memory_->kept->keep(memory_->key(cell), text);
  if (!identities_.empty()) memory_->cache->keep(identities_[cell], text, work);
}

}  // namespace ringcast
