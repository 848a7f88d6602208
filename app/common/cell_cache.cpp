#include "app/common/cell_cache.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "app/common/console.hpp"

namespace ringcast {

CellCache::CellCache(std::filesystem::path file, const std::string& program, bool fresh)
    : file_{std::move(file)}, group_{"cells of " + program}, fresh_{fresh} {}

std::optional<std::string> CellCache::find(const std::string& key) {
  if (const auto found = texts_.find(key); found != texts_.end()) {
    return found->second;
  }
  try {
    return !fresh_ && open(false) ? store_->find(group_, key) : std::nullopt;
  } catch (const UnusableStore& problem) {
    give_up(problem);
    return std::nullopt;
  }
}

void CellCache::keep(const std::string& key, const std::string& text, Seconds work) {
  texts_[key] = text;
  if (work < least_work) {
    return;
  }
  try {
    if (!open(true)) {
      return;
    }
    if (!has_put_) {
      store_->drop_oldest(most);
      has_put_ = true;
    }
    store_->put(group_, key, text);
  } catch (const UnusableStore& problem) {
    give_up(problem);
  }
}

bool CellCache::open(bool create) {
  std::error_code none;
  if (store_ || file_.empty() || (!create && !std::filesystem::exists(file_, none))) {
    return store_.has_value();
  }
  std::filesystem::create_directories(file_.parent_path(), none);  // else SQLite says that it fails
  TextStore::open(store_, file_, TextStore::Access::shared);
  return true;
}

void CellCache::give_up(const UnusableStore& problem) {
  print_message(fmt::format("ringcast: {}; nothing is taken from there\n", problem.what()));
  store_.reset();
  file_.clear();
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
