#include "app/common/text_store.hpp"

#include <csignal>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/system/child_process.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;
using Access = TextStore::Access;

class TextStoreFile : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_ / "a.partial"; }

  /// The problem of opening the file, and whether it may be replaced.
  [[nodiscard]] std::pair<std::string, bool> refusal() const {
    try {
      TextStore store{file(), Access::exclusive};
      return {store.find("g", "key").value_or("no such key"), false};
    } catch (const UnusableStore& problem) {
      return {problem.what(), problem.replaceable()};
    }
  }

  void overwrite(std::streamoff place, std::string_view bytes) const {
    std::fstream stream{file(), std::ios::in | std::ios::out | std::ios::binary};
    stream.seekp(place);
    stream << bytes;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TextStoreFile, FindsWhatAnEarlierProcessHasPutThere) {
  std::string binary = "a text of";
  binary += '\0';
  TextStore{file(), Access::exclusive}.put("g", "key", binary);

  TextStore store{file(), Access::exclusive};

  EXPECT_EQ(store.find("g", "key"), binary);
  EXPECT_EQ(store.find("g", "other"), std::nullopt);
  EXPECT_EQ(store.find("h", "key"), std::nullopt);
}

TEST_F(TextStoreFile, ReplacesCountsAndClearsWithinAGroup) {
  TextStore store{file(), Access::exclusive};
  store.put("g", "key", "first");
  store.put("g", "key", "second");
  store.put("h", "key", "other");

  EXPECT_EQ(store.find("g", "key"), "second");
  EXPECT_EQ(store.size("g"), 1);
  store.clear("g");
  EXPECT_EQ(store.size("g"), 0);
  EXPECT_EQ(store.size("h"), 1);
}

TEST_F(TextStoreFile, OutlivesAProcessThatIsKilled) {
  Child child{[&](int /*pipe*/) {
    TextStore store{file(), Access::exclusive};
    for (int i = 0; i < 100; ++i) {
      store.put("g", std::to_string(i), "text");
    }
    ::raise(SIGKILL);
  }};

  EXPECT_EQ(child.reap(), 128 + SIGKILL);
  EXPECT_EQ(TextStore(file(), Access::exclusive).size("g"), 100);
}

TEST_F(TextStoreFile, IsOfOneProcessAtATime) {
  const TextStore store{file(), Access::exclusive};

  EXPECT_EQ(refusal(),
            std::pair(file().string() +
                          ": cannot be used: another run uses it (expected another --output)",
                      false));
}

TEST_F(TextStoreFile, IsSharedWhereThatIsAskedFor) {
  TextStore one{file(), Access::shared};
  TextStore other{file(), Access::shared};

  one.put("g", "key", "text");

  EXPECT_EQ(other.find("g", "key"), "text");
}

TEST_F(TextStoreFile, RefusesAFileOfAnotherProgram) {
  std::ofstream{file()} << "my notes, which nobody may replace";

  EXPECT_EQ(refusal(),
            std::pair(file().string() + ": cannot be used: file is not a database", false));
}

TEST_F(TextStoreFile, MayBeReplacedWhereItIsDamaged) {
  TextStore{file(), Access::exclusive}.put("g", "key", "text");

  overwrite(100, "\xff\xff\xff\xff");  // the header of the first page

  EXPECT_TRUE(refusal().second);
}

// https://www.sqlite.org/fileformat.html: the user version is at byte 60.
TEST_F(TextStoreFile, MayBeReplacedWhereItIsOfAnotherVersion) {
  TextStore{file(), Access::exclusive}.put("g", "key", "text");

  overwrite(60, "\x7f");

  EXPECT_EQ(refusal(),
            std::pair(file().string() + ": cannot be used: of another version of ringcast", true));
}

TEST_F(TextStoreFile, LosesATextWithAFlippedBitAndNothingElse) {
  const std::string text(100, 'x');
  TextStore{file(), Access::exclusive}.put("g", "key", text);
  std::ifstream stream{file(), std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{stream}, {}};

  overwrite(static_cast<std::streamoff>(bytes.find(text)) + 50, "y");

  EXPECT_EQ(refusal().first, "no such key");
}

TEST_F(TextStoreFile, LeavesNothingWhenItIsRemoved) {
  TextStore{file(), Access::exclusive}.put("g", "key", "text");

  TextStore::remove(file());

  EXPECT_TRUE(fs::is_empty(file().parent_path()));
}

TEST_F(TextStoreFile, OfAFullDiskIsNotLeftEmpty) {
  Child child{[&](int /*pipe*/) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{0, 0};  // files without a byte
    ::setrlimit(RLIMIT_FSIZE, &limit);
    BestEffortStore{file(), Access::exclusive, "not kept"}.put("g", "key", "text");
  }};

  EXPECT_EQ(child.reap(), 0);
  EXPECT_FALSE(fs::exists(file()));
}

}  // namespace
}  // namespace ringcast
