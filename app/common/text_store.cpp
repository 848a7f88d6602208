#include "app/common/text_store.hpp"

#include <cstdint>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <sqlite3.h>

#include "app/common/console.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

// In the file's header, so that it is not taken for another program's database.
constexpr std::string_view application = "RcSt";
constexpr std::uint32_t application_id = 0x52635374;  // the same
constexpr int schema = 2;

/// SQLite finds damaged pages, but not a flipped bit within a text.
sqlite3_int64 checksum(std::string_view key, std::string_view text) {
  const std::size_t both =
      std::hash<std::string_view>{}(text)*31 + std::hash<std::string_view>{}(key);
  return static_cast<sqlite3_int64>(both);
}

/// https://www.sqlite.org/fileformat.html: the magic text at byte 0, the application at byte 68.
bool has_our_header(const fs::path& file) {
  std::string header(72, ' ');
  std::ifstream{file, std::ios::binary}.read(header.data(), 72);
  return header.starts_with("SQLite format 3") && header.ends_with(application);
}

std::string_view column(sqlite3_stmt* statement, int place) {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, place));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, place))};
}

}  // namespace

void TextStore::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}
void TextStore::Close::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

TextStore::TextStore(fs::path file, Access access) : file_{std::move(file)}, access_{access} {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(file_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(opened);  // also after an error, which it describes
  if (code != SQLITE_OK) {
    fail();
  }
  // A write-ahead log for exclusive access only: shared by processes, it needs shared memory, which
  // network file systems do not have.
  if (access == Access::exclusive) {
    run("PRAGMA locking_mode = EXCLUSIVE");
    create_or_check();
    run("PRAGMA journal_mode = WAL");  // one sync a commit instead of three
  } else {
    constexpr int timeout_ms = 1000;  // the writes of other processes take milliseconds
    sqlite3_busy_timeout(opened, timeout_ms);
    create_or_check();
    run("PRAGMA synchronous = OFF");  // a file damaged by a power failure is detected and replaced
  }
  static_cast<void>(find("", ""));  // throws for a damaged file
}

void TextStore::create_or_check() {
  if (number("PRAGMA page_count") == 0) {
    run(
        fmt::format("BEGIN IMMEDIATE; PRAGMA application_id = {}; PRAGMA user_version = {};"
                    "CREATE TABLE IF NOT EXISTS texts (kind TEXT, key TEXT, text TEXT,"
                    " checksum INTEGER, written INTEGER, PRIMARY KEY (kind, key)) WITHOUT ROWID;"
                    "COMMIT",
                    application_id, schema));
  } else if (number("PRAGMA application_id") != application_id) {
    throw UnusableStore{
        fmt::format(
            "{}: cannot be used: not written by ringcast (expected another {}, or that file "
            "elsewhere)",
            file_.string(), access_ == Access::exclusive ? "--output" : "XDG_CACHE_HOME"),
        false};
  } else if (number("PRAGMA user_version") != schema) {
    throw UnusableStore{
        fmt::format("{}: cannot be used: of another version of ringcast", file_.string()), true};
  }
}

TextStore::Statement TextStore::row_of(const char* query,
                                       const std::initializer_list<std::string_view>& texts) const {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(database_.get(), query, -1, &prepared, nullptr) != SQLITE_OK) {
    fail();
  }
  Statement statement{prepared};
  int place = 0;
  for (const std::string_view text : texts) {
    sqlite3_bind_text64(prepared, ++place, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  const int code = sqlite3_step(prepared);
  if (code != SQLITE_ROW && code != SQLITE_DONE) {
    fail();
  }
  return code == SQLITE_ROW ? std::move(statement) : nullptr;
}

void TextStore::run(const std::string& text) const {
  if (sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail();
  }
}

long long TextStore::number(const char* query,
                            const std::initializer_list<std::string_view>& texts) const {
  return sqlite3_column_int64(row_of(query, texts).get(), 0);
}

void TextStore::fail() const {
  const int code = sqlite3_errcode(database_.get());
  const bool in_use = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
  throw UnusableStore{
      fmt::format("{}: cannot be used: {}", file_.string(),
                  in_use
                      ? fmt::format("another run uses it (expected {})",
                                    access_ == Access::exclusive ? "another --output" : "it to end")
                      : sqlite3_errmsg(database_.get())),
      damaged && has_our_header(file_)};
}

std::optional<std::string> TextStore::find(std::string_view group, std::string_view key) {
  const Statement found =
      row_of("SELECT text, checksum FROM texts WHERE kind = ? AND key = ?", {group, key});
  if (!found) {
    return std::nullopt;
  }
  std::string text{column(found.get(), 0)};
  const bool intact = sqlite3_column_int64(found.get(), 1) == checksum(key, text);
  return intact ? std::optional{std::move(text)} : std::nullopt;
}

void TextStore::put(std::string_view group, std::string_view key, std::string_view text) {
  // A sync takes milliseconds. Slow cells get one each, and quick ones share one a second.
  constexpr std::chrono::seconds between_syncs{1};
  const bool sync = access_ == Access::exclusive && Clock::now() - synced_at_ >= between_syncs;
  if (access_ == Access::exclusive) {
    run(sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  }
  row_of("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, strftime('%s', 'now'))",
         {group, key, text, std::to_string(checksum(key, text))});
  if (sync) synced_at_ = Clock::now();
}

std::size_t TextStore::size(std::string_view groups) {
  return static_cast<std::size_t>(number("SELECT count(*) FROM texts WHERE kind GLOB ?", {groups}));
}

void TextStore::clear(std::string_view group) {
  row_of("DELETE FROM texts WHERE kind = ?", {group});
}

void TextStore::drop_oldest(Bytes most) {
  const long long pages = number("PRAGMA page_count") - number("PRAGMA freelist_count");
  if (static_cast<std::uint64_t>(pages * number("PRAGMA page_size")) <= most.count()) {
    return;
  }
  run("DELETE FROM texts WHERE written <= (SELECT written FROM texts ORDER BY written"
      " LIMIT 1 OFFSET (SELECT (count(*) - 1) / 2 FROM texts))");
}

void TextStore::remove(const fs::path& file) {
  for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
    std::error_code none;
    fs::remove(file.string() + suffix, none);
  }
}

bool BestEffortStore::open(bool create) {
  std::error_code none;
  if (store_ || file_.empty() || (!create && !fs::exists(file_, none))) {
    return store_.has_value();
  }
  fs::create_directories(file_.parent_path(), none);  // SQLite reports a failure
  const bool is_new = !fs::exists(file_, none);
  try {
    store_.emplace(file_, access_);
  } catch (const UnusableStore& problem) {
    if (is_new && fs::is_empty(file_, none)) {
      TextStore::remove(file_);  // SQLite creates it before it knows of a full disk
    }
    if (!problem.replaceable()) {
      throw;
    }
    print_message(fmt::format("ringcast: {}; it is replaced\n", problem.what()));
    TextStore::remove(file_);
    store_.emplace(file_, access_);
  }
  return true;
}

void BestEffortStore::with(bool create, const std::function<void(TextStore&)>& use) {
  try {
    if (open(create)) {
      use(*store_);
    }
  } catch (const UnusableStore& problem) {
    print_message(fmt::format("ringcast: {}; {}\n", problem.what(), loss_));
    store_.reset();
    file_.clear();
  }
}

std::optional<std::string> BestEffortStore::find(std::string_view group, std::string_view key) {
  std::optional<std::string> text;
  with(false, [&](TextStore& store) { text = store.find(group, key); });
  return text;
}

void BestEffortStore::put(std::string_view group, std::string_view key, std::string_view text) {
  with(true, [&](TextStore& store) { store.put(group, key, text); });
}

void BestEffortStore::remove() {
  if (store_) {
    TextStore::remove(file_);
    store_.reset();
  }
}

}  // namespace ringcast
