#include "app/common/cell_cache.hpp"

#include <cstdlib>
#include <utility>

namespace ringcast {

CellCache::CellCache(std::filesystem::path file, const std::string& program, bool fresh)
    : group_{"cells of " + program},
      fresh_{fresh},
      store_{std::move(file), TextStore::Access::shared, "nothing is taken from there"} {}

std::optional<std::string> CellCache::find(const std::string& key) {
  if (const auto found = texts_.find(key); found != texts_.end()) {
    return found->second;
  }
  return fresh_ ? std::nullopt : store_.find(group_, key);
}

void CellCache::keep(const std::string& key, const std::string& text, Seconds work) {
  texts_[key] = text;
  if (work < least_work) {
    return;
  }
  store_.with(true, [&](TextStore& store) {
    if (!std::exchange(has_put_, true)) {
      store.drop_oldest(most);
    }
    store.put(group_, key, text);
  });
}

std::optional<std::filesystem::path> cell_cache_file() {
  const auto folder = [](const char* variable) -> std::filesystem::path {
    const char* const text = std::getenv(variable);
    const std::filesystem::path path{text != nullptr ? text : ""};
    return path.is_absolute() ? path : std::filesystem::path{};
  };
  std::filesystem::path caches = folder("XDG_CACHE_HOME");
  if (caches.empty() && !folder("HOME").empty()) {
    caches = folder("HOME") / ".cache";
  }
  return caches.empty() ? std::nullopt : std::optional{caches / "ringcast" / "cells.sqlite"};
}

}  // namespace ringcast
