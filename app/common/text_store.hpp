#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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

/// Texts by group and key in a SQLite file. A put() that has returned survives any end of the
/// process. With Access::exclusive, a put() a second or more after the last sync also makes all
/// texts so far survive a crash of the machine. All keys and texts of a group have one meaning; if
/// that depends on a version, the group's name contains it. A forked child must not use its
/// parent's store.
class TextStore {
 public:
  enum class Access {
    exclusive,  // one process at a time
    shared      // a cache that several processes use; a crash of the machine may damage it
  };

  /// Opens or creates the file. All functions throw UnusableStore "FILE: cannot be used: REASON".
  TextStore(std::filesystem::path file, Access access);

  /// Nothing where the key is absent or the stored text fails its checksum.
  [[nodiscard]] std::optional<std::string> find(std::string_view group, std::string_view key);
  /// Replaces an earlier text.
  void put(std::string_view group, std::string_view key, std::string_view text);
  /// The number of keys in the groups that a pattern matches: `cells of *`.
  [[nodiscard]] std::size_t size(std::string_view groups);
  void clear(std::string_view group);
  /// Removes the older half of all texts if the file's used pages exceed `most`.
  void drop_oldest(Bytes most);

  /// Removes a store's file and SQLite's files beside it.
  static void remove(const std::filesystem::path& file);

 private:
  using Clock = std::chrono::steady_clock;
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  void create_or_check();
  /// Executes a query with `texts` as its parameters up to the first row; null if it has none.
  Statement row_of(const char* query, const std::initializer_list<std::string_view>& texts) const;
  void run(const std::string& text) const;
  [[nodiscard]] long long number(const char* query,
                                 const std::initializer_list<std::string_view>& texts = {}) const;
  [[noreturn]] void fail() const;

  std::filesystem::path file_;
  Access access_;
  std::unique_ptr<sqlite3, Close> database_;
  Clock::time_point synced_at_{};
};

/// A store whose failure is not an error. A file that cannot be used is reported once on standard
/// error and not used again. One that is replaceable() is replaced, with a line on standard error.
class BestEffortStore {
 public:
  /// No store.
  BestEffortStore() = default;
  /// `loss`: the consequence that the warning names. The first use opens the file.
  BestEffortStore(std::filesystem::path file, TextStore::Access access, std::string loss)
      : file_{std::move(file)}, access_{access}, loss_{std::move(loss)} {}

  /// Empty where there is none.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::optional<std::string> find(std::string_view group, std::string_view key);
  /// Creates the file.
  void put(std::string_view group, std::string_view key, std::string_view text);
  /// Calls `use` with the store, if its file exists or is to be created.
  void with(bool create, const std::function<void(TextStore&)>& use);
  /// To be called before a fork whose child uses the file. The next use opens it again.
  void close() { store_.reset(); }
  /// Removes the file, if it was used.
  void remove();

 private:
  [[nodiscard]] bool open(bool create);

  std::filesystem::path file_;
  TextStore::Access access_ = TextStore::Access::exclusive;
  std::string loss_;
  std::optional<TextStore> store_;
};

}  // namespace ringcast
