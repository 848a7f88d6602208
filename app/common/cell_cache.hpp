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
  /// Quicker cells are not written to the file: a find() takes microseconds, a keep() a tenth of a
  /// millisecond.
  static constexpr Seconds least_work{0.001};
  /// Limit on the outcomes in the file, of all programs: ten thousand or more, as most take 2 to
  /// 6 KiB. Beyond it, the older half is removed.
  static constexpr Bytes most = 64_MiB;

  /// In memory only.
  CellCache() = default;
  /// `program` identifies the program that computes the outcomes. With `fresh`, the outcomes of
  /// earlier runs are not used, but replaced.
  CellCache(std::filesystem::path file, const std::string& program, bool fresh);

  [[nodiscard]] std::optional<std::string> find(const std::string& key);
  /// `work`: the time that computing the outcome took.
  void keep(const std::string& key, const std::string& text, Seconds work);
  /// To be called before a fork whose child uses the file. The next use opens it again.
  void close() { store_.close(); }

 private:
  std::map<std::string, std::string> texts_;  // of this run
  std::string group_;
  bool fresh_ = false;
  bool has_put_ = false;
  BestEffortStore store_;
};

/// `$XDG_CACHE_HOME/ringcast/cells.sqlite`, in `~/.cache` without that variable, or nothing without
/// both; see the XDG Base Directory Specification, which ignores relative paths.
[[nodiscard]] std::optional<std::filesystem::path> cell_cache_file();

}  // namespace ringcast
