#include "app/common/cell_cache.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <list>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include "app/common/cell_pool.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

constexpr Seconds long_work{1};

class CellCacheFile : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_ / "cache/cells.sqlite"; }
  [[nodiscard]] CellCache cache() const { return {file(), "program", false}; }

  void put_one() const { cache().keep("key", "text", long_work); }
  void overwrite(std::streamoff place, std::string_view bytes) const {
    std::fstream stream{file(), std::ios::in | std::ios::out | std::ios::binary};
    stream.seekp(place);
    stream << bytes;
  }
  /// The messages where an outcome is looked up, stored and looked up again.
  [[nodiscard]] std::string messages_of_a_run() const {
    ::testing::internal::CaptureStderr();
    CellCache mine = cache();
    static_cast<void>(mine.find("other"));
    mine.keep("other", "other text", long_work);
    EXPECT_EQ(mine.find("other"), "other text");
    return ::testing::internal::GetCapturedStderr();
  }
  [[nodiscard]] std::string unusable(const char* reason) const {
    return "ringcast: " + file().string() + ": cannot be used: " + reason +
           "; nothing is taken from there\n";
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CellCacheFile, HasWhatEarlierRunsOfTheProgramHaveFound) {
  put_one();

  EXPECT_EQ(cache().find("key"), "text");
  EXPECT_EQ(cache().find("other"), std::nullopt);
  EXPECT_EQ((CellCache{file(), "other program", false}.find("key")), std::nullopt);
}

TEST_F(CellCacheFile, HasNoQuickCells) {
  CellCache mine = cache();
  mine.keep("key", "text", CellCache::least_work / 2);

  EXPECT_EQ(mine.find("key"), "text");
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(CellCacheFile, IsReplacedByAFreshRun) {
  put_one();
  CellCache fresh{file(), "program", true};
  EXPECT_EQ(fresh.find("key"), std::nullopt);

  fresh.keep("key", "new text", long_work);

  EXPECT_EQ(cache().find("key"), "new text");
}

TEST_F(CellCacheFile, MayBeCut) {
  put_one();
  fs::resize_file(file(), 4096);  // after its first page

  EXPECT_EQ(messages_of_a_run(), "ringcast: " + file().string() +
                                     ": cannot be used: database disk image is malformed; it is "
                                     "replaced\n");
  EXPECT_EQ(cache().find("other"), "other text");
}

TEST_F(CellCacheFile, HasNoWrongTextWhereverItIsCut) {
  put_one();
  const std::uintmax_t size = fs::file_size(file());
  for (std::uintmax_t left = 0; left < size; left += 512) {
    TextStore::remove(file());
    put_one();
    fs::resize_file(file(), left);

    static_cast<void>(messages_of_a_run());

    EXPECT_EQ(cache().find("key").value_or("text"), "text") << left;
  }
}

// https://www.sqlite.org/fileformat.html: the user version is at byte 60.
TEST_F(CellCacheFile, MayBeOfAnotherVersion) {
  put_one();
  overwrite(60, "\x7f");

  EXPECT_EQ(messages_of_a_run(),
            "ringcast: " + file().string() +
                ": cannot be used: of another version of ringcast; it is replaced\n");
}

TEST_F(CellCacheFile, MayBeADirectory) {
  fs::create_directories(file());

  EXPECT_EQ(messages_of_a_run(), unusable("unable to open database file"));
}

TEST_F(CellCacheFile, MayBeWhereNoFolderCanBe) {
  std::ofstream{file().parent_path()} << "a file";

  EXPECT_EQ(messages_of_a_run(), unusable("unable to open database file"));
}

TEST_F(CellCacheFile, MayBeAFileOfAnotherProgram) {
  put_one();
  overwrite(68, "Else");  // the application

  EXPECT_EQ(messages_of_a_run(), unusable("not written by ringcast (expected another "
                                          "XDG_CACHE_HOME, or that file elsewhere)"));
  EXPECT_TRUE(fs::exists(file()));
}

TEST_F(CellCacheFile, MayBeLocked) {
  put_one();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);

  EXPECT_EQ(messages_of_a_run(), unusable("another run uses it (expected it to end)"));

  sqlite3_close(other);
  EXPECT_EQ(cache().find("key"), "text");
}

TEST_F(CellCacheFile, MayBeDeletedAtAnyTime) {
  CellCache mine = cache();
  mine.keep("key", "text", long_work);
  TextStore::remove(file());

  mine.keep("other", "other text", long_work);

  EXPECT_EQ(mine.find("other"), "other text");
  EXPECT_EQ(cache().find("other"), std::nullopt);
}

TEST_F(CellCacheFile, IsOfSeveralProcesses) {
  constexpr int processes = 4;
  constexpr int cells = 50;
  std::list<Child> children;
  for (int child = 0; child < processes; ++child) {
    children.emplace_back([&](int /*pipe*/) {
      CellCache mine = cache();
      for (int cell = 0; cell < cells; ++cell) {
        mine.keep(std::to_string(cell), "text " + std::to_string(cell), long_work);
      }
    });
  }
  for (Child& child : children) {
    EXPECT_EQ(child.reap(), 0);
  }

  CellCache mine = cache();
  for (int cell = 0; cell < cells; ++cell) {
    EXPECT_EQ(mine.find(std::to_string(cell)), "text " + std::to_string(cell));
  }
}

TEST_F(CellCacheFile, SurvivesAProcessThatIsKilled) {
  put_one();
  for (int run = 0; run < 5; ++run) {
    Child child{[&](int /*pipe*/) {
      CellCache mine = cache();
      for (int cell = 0;; ++cell) {
        mine.keep(std::to_string(cell), std::string(10'000, 'x'), long_work);
      }
    }};
    ::usleep(20'000);
    ::kill(child.id(), SIGKILL);
    EXPECT_EQ(child.reap(), 128 + SIGKILL);

    EXPECT_EQ(messages_of_a_run(), "");
    EXPECT_EQ(cache().find("key"), "text");
  }
}

TEST_F(CellCacheFile, DropsTheOlderHalfWhereItIsTooLarge) {
  fs::create_directories(file().parent_path());
  TextStore store{file(), TextStore::Access::shared};
  const std::string text(20'000, 'x');
  store.put("g", "1", text);
  store.drop_oldest(30'000_B);
  EXPECT_EQ(store.size("g"), 1);
  ::sleep(1);  // ages are in whole seconds
  store.put("g", "2", text);

  store.drop_oldest(30'000_B);

  EXPECT_EQ(store.find("g", "1"), std::nullopt);
  EXPECT_EQ(store.find("g", "2"), text);
}

TEST(CellCacheInMemory, RunsEqualCellsOnce) {
  CellCache cache;
  const CellMemory memory{
      nullptr, {}, &cache, [](std::size_t cell) { return std::to_string(cell % 3); }};
  // The process that ran the cell: equal cells have it in common.
  const auto work = [](std::size_t cell, const ReportProgress&) -> std::string {
    if (cell % 3 == 1) throw TransportError{"failed " + std::to_string(cell)};
    return std::to_string(::getpid());
  };

  const std::vector<CellOutcome> first = run_cells(6, 2, work, {}, memory);
  const std::vector<CellOutcome> second = run_cells(6, 2, work, {}, memory);

  EXPECT_EQ(first[0].text, first[3].text);
  EXPECT_NE(first[0].text, first[2].text);
  EXPECT_EQ(first[1].text, "failed 1");
  EXPECT_EQ(first[4].text, "failed 4");
  EXPECT_EQ(second[3].text, first[0].text);
}

TEST(CellCachePath, FollowsTheXdgSpecification) {
  const char* const old_home = std::getenv("HOME");
  const std::string home = old_home != nullptr ? old_home : "";
  ::setenv("HOME", "/home/someone", 1);

  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(cell_cache_file(), fs::path{"/caches/ringcast/cells.sqlite"});
  for (const char* const unusable : {"", "relative"}) {
    ::setenv("XDG_CACHE_HOME", unusable, 1);
    EXPECT_EQ(cell_cache_file(), fs::path{"/home/someone/.cache/ringcast/cells.sqlite"});
  }
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(cell_cache_file(), std::nullopt);

  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace ringcast
