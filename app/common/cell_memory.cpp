#include "app/common/cell_memory.hpp"

#include <utility>

namespace ringcast {

CellBook::CellBook(const CellMemory& memory, std::size_t cells) : memory_{&memory} {
  for (std::size_t cell = 0; memory.cache != nullptr && cell < cells; ++cell) {
    identities_.push_back(memory.identity(cell));
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

std::vector<std::size_t> CellBook::followers(std::size_t cell) {
  return identities_.empty() ? std::vector<std::size_t>{}
                             : std::exchange(followers_[identities_[cell]], {});
}

void CellBook::keep(std::size_t cell, const std::string& text, Seconds work) {
  if (memory_->kept != nullptr) memory_->kept->keep(memory_->key(cell), text);
  if (!identities_.empty()) memory_->cache->keep(identities_[cell], text, work);
}

}  // namespace ringcast
