#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "app/common/text_store.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// The outcomes of cells, keyed by everything that determines them: those of this run in memory,
/// those of earlier runs in a SQLite file that several runs use and that may be deleted at any
/// time. A file that cannot be used is a warning on standard error, never a failure.
class CellCache {
 public:
  /// A find() takes microseconds and a keep() a tenth of a millisecond: quicker cells stay out of
  /// the file.
  static constexpr Seconds least_work{0.05};
  /// Ten thousand rows or more, of the 2 to 6 KiB that most take. Beyond it, the older half goes.
  static constexpr Bytes most = 64_MiB;

  /// In memory only.
  CellCache() = default;
  /// `program` identifies the program that finds the outcomes. With `fresh`, the outcomes of
  /// earlier runs are replaced.
  CellCache(std::filesystem::path file, const std::string& program, bool fresh);

  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  /// `work`: the time it took to find the outcome.
  void keep(const std::string& key, const std::string& text, Seconds work);
  /// Before a fork whose child opens the file itself. It is opened again when needed.
  void close() { store_.close(); }

 private:
  std::map<std::string, std::string> texts_;  // of this run
  std::string group_;
  bool fresh_ = false;
  bool has_put_ = false;
  DispensableStore store_;
};

/// `$XDG_CACHE_HOME/ringcast/cells.sqlite`, in `~/.cache` without that variable, or nothing without
/// both; see the XDG Base Directory Specification, which ignores relative paths.
[[nodiscard]] std::optional<std::filesystem::path> cell_cache_file();

}  // namespace ringcast
