#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/numbers/units.hpp"

struct sqlite3;  // SQLite's header is included in text_store.cpp only
struct sqlite3_stmt;

namespace ringcast {

/// Why a store cannot be used.
class UnusableStore final : public std::runtime_error {
 public:
  UnusableStore(const std::string& problem, bool replaceable)
      : std::runtime_error{problem}, replaceable_{replaceable} {}
  /// Whether it is a damaged or older store of ringcast that no process uses.
  [[nodiscard]] bool replaceable() const { return replaceable_; }

 private:
  bool replaceable_;
};

/// Texts by group and key in a SQLite file. What put() has taken survives the end of this process,
/// however it ends, and in a file of one process, after a second, that of the machine. A group is
/// for one meaning of keys and texts: where the meaning changes with a version, that is in the
/// group's name. A forked child must not use its parent's store.
class TextStore {
 public:
  /// A file of one process at a time, or a cache that several use, which may be lost with the
  /// machine.
  enum class Access { exclusive, shared };

  /// Opens or creates the file. All functions throw UnusableStore "FILE: cannot be used: REASON".
  TextStore(std::filesystem::path file, Access access);

  /// Nothing where the key is absent or the stored text fails its checksum.
  [[nodiscard]] std::optional<std::string> find(std::string_view group, std::string_view key);
  /// Replaces an earlier text.
  void put(std::string_view group, std::string_view key, std::string_view text);
  /// The number of keys in a group.
  [[nodiscard]] std::size_t size(std::string_view group);
  void clear(std::string_view group);
  /// Where the texts of all groups take more than `most`: removes the older half of them.
  void drop_oldest(Bytes most);

  /// Opens or creates `store`. A file that is replaceable() is replaced, with a line on standard
  /// error.
  static void open(std::optional<TextStore>& store, const std::filesystem::path& file,
                   Access access);
  /// Removes a store's file and SQLite's files beside it.
  static void remove(const std::filesystem::path& file);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  void create_or_check();
  [[nodiscard]] Statement prepared(const char* text) const;
  void run(const std::string& text) const;
  [[nodiscard]] long long number(const char* query) const;
  [[nodiscard]] const char* elsewhere() const;
  [[noreturn]] void fail() const;

  std::filesystem::path file_;
  Access access_;
  std::unique_ptr<sqlite3, Close> database_;
  Statement find_;
  Statement put_;
  Statement count_;
  Statement clear_;
  double synced_at_ = 0;  // seconds of a steady clock
};

}  // namespace ringcast
