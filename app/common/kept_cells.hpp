#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/common/text_store.hpp"

namespace ringcast {

/// The finished cells of a run whose output file is not complete yet, in OUTPUT.partial. A later
/// run of the same plan continues with them.
class KeptCells {
 public:
  /// Stores nothing.
  KeptCells() = default;
  /// `plan` identifies all that determines a cell's outcome besides its key. With `fresh`, the
  /// cells stored for it are removed.
  KeptCells(const std::filesystem::path& output, const std::string& plan, bool fresh);

  [[nodiscard]] std::optional<std::string> find(std::string_view key) {
    return store_.find(cells_, key);
  }
  void keep(std::string_view key, std::string_view text) { store_.put(cells_, key, text); }
  /// A note about the run, stored beside its cells.
  [[nodiscard]] std::optional<std::string> find_note(std::string_view name) {
    return store_.find(notes_, name);
  }
  void keep_note(std::string_view name, std::string_view text) { store_.put(notes_, name, text); }
  /// The file of the cells; empty where none can be stored.
  [[nodiscard]] const std::filesystem::path& file() const { return store_.file(); }
  /// To be called when the output is complete.
  void remove() { store_.remove(); }

 private:
  std::string cells_;  // groups of the store
  std::string notes_;
  BestEffortStore store_;
};

}  // namespace ringcast
