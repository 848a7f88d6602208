#include "app/common/kept_cells.hpp"

#include <fmt/format.h>

#include "app/common/console.hpp"
#include "app/common/counted.hpp"
#include "app/common/file_output.hpp"

namespace ringcast {

KeptCells::KeptCells(const std::filesystem::path& output, const std::string& plan, bool fresh)
    : file_{target_of(output).string() + ".partial"},
      cells_{"cells of " + plan},
      notes_{"notes of " + plan} {
  std::error_code none;
  if (!std::filesystem::exists(file_, none)) {
    return;  // the first cell creates it
  }
  try {
    TextStore::open(store_, file_, TextStore::Access::exclusive);
    take_up(fresh);
  } catch (const UnusableStore& problem) {
    give_up(problem);
  }
}

void KeptCells::take_up(bool fresh) {
  if (fresh) {
    store_->clear(cells_);
  }
  if (const std::size_t found = store_->size(cells_); found > 0) {
    print_message(
        fmt::format("ringcast: {}: {} of an interrupted run taken up (--fresh ignores {})\n",
                    file_.string(), counted(found, "result"), found == 1 ? "it" : "them"));
  }
}

std::optional<std::string> KeptCells::find(std::string_view key) {
  return find_in(cells_, key);
}

void KeptCells::keep(std::string_view key, std::string_view text) {
  put_in(cells_, key, text);
}

std::optional<std::string> KeptCells::find_note(std::string_view name) {
  return find_in(notes_, name);
}

void KeptCells::keep_note(std::string_view name, std::string_view text) {
  put_in(notes_, name, text);
}

void KeptCells::remove() {
  if (store_) {
    TextStore::remove(file_);
    store_.reset();
  }
}

std::optional<std::string> KeptCells::find_in(const std::string& group, std::string_view key) {
  try {
    return store_ ? store_->find(group, key) : std::nullopt;
  } catch (const UnusableStore& problem) {
    give_up(problem);
    return std::nullopt;
  }
}

void KeptCells::put_in(const std::string& group, std::string_view key, std::string_view text) {
  if (file_.empty()) {
    return;
  }
  try {
    if (!store_) {
      TextStore::open(store_, file_, TextStore::Access::exclusive);
    }
    store_->put(group, key, text);
  } catch (const UnusableStore& problem) {
    give_up(problem);
  }
}

void KeptCells::give_up(const UnusableStore& problem) {
  print_message(fmt::format("ringcast: {}; finished cells are not kept\n", problem.what()));
  store_.reset();
  file_.clear();
}

}  // namespace ringcast
