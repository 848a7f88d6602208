#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/common/text_store.hpp"

namespace ringcast {

/// The finished cells of a run whose output file is not complete yet, in OUTPUT.partial. A later
/// run of the same plan continues with them. A file that cannot be used is a warning on standard
/// error, never a failure.
class KeptCells {
 public:
  /// Stores nothing.
  KeptCells() = default;
  /// `plan` identifies all that determines a cell's outcome besides its key. With `fresh`, cells
  /// that are there are ignored.
  KeptCells(const std::filesystem::path& output, const std::string& plan, bool fresh);

  [[nodiscard]] std::optional<std::string> find(std::string_view key);
  void keep(std::string_view key, std::string_view text);
  /// A note about the run, stored beside its cells.
  [[nodiscard]] std::optional<std::string> find_note(std::string_view name);
  void keep_note(std::string_view name, std::string_view text);
  /// The file of the cells; empty where none can be stored.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// The output is complete.
  void remove();

 private:
  void take_up(bool fresh);
  [[nodiscard]] std::optional<std::string> find_in(const std::string& group, std::string_view key);
  void put_in(const std::string& group, std::string_view key, std::string_view text);
  void give_up(const UnusableStore& problem);

  std::filesystem::path file_;
  std::string cells_;  // groups of the store
  std::string notes_;
  std::optional<TextStore> store_;
};

}  // namespace ringcast
