#include "app/common/file_output.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

class FileOutput : public ::testing::Test {
 protected:
  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> all;
    for (const fs::directory_entry& entry : fs::directory_iterator{folder()}) {
      all.insert(entry.path().filename().string());
    }
    return all;
  }

  /// Both functions refuse `path` with the same words, which name `reason`.
  static void expect_refused(
      const fs::path& path, const std::string& reason,
      const std::string& expectation = "a folder that exists and can be written") {
    const std::string expected =
        path.string() + ": cannot be written: " + reason + " (expected " + expectation + ")";
    EXPECT_EQ(refusal_of([&] { write_file(path, "text"); }), expected);
    EXPECT_EQ(refusal_of([&] { check_writable(path); }), expected);
  }

 private:
  TemporaryFolder folder_;
};

std::string contents(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST_F(FileOutput, WritesTheWholeTextAndNothingElse) {
  const std::string text(3'000'000, 'x');

  write_file(folder() / "a.json", text);

  EXPECT_EQ(contents(folder() / "a.json"), text);
  EXPECT_EQ(names(), (std::set<std::string>{"a.json"}));
}

TEST_F(FileOutput, WritesAnEmptyFile) {
  write_file(folder() / "empty", "");

  EXPECT_TRUE(fs::is_empty(folder() / "empty"));
}

TEST_F(FileOutput, ReplacesAFileAndKeepsItsPermissions) {
  const fs::path file = folder() / "a.json";
  write_file(file, "a long first text");
  fs::permissions(file, fs::perms{0640});

  write_file(file, "second");

  EXPECT_EQ(contents(file), "second");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms{0640});
}

TEST_F(FileOutput, WritesThroughALink) {
  fs::create_directory(folder() / "elsewhere");
  write_file(folder() / "elsewhere" / "file", "first");
  fs::create_symlink(folder() / "elsewhere" / "file", folder() / "link");

  write_file(folder() / "link", "second");

  EXPECT_TRUE(fs::is_symlink(folder() / "link"));
  EXPECT_EQ(contents(folder() / "elsewhere" / "file"), "second");
}

TEST_F(FileOutput, WritesThroughALinkToAFileThatIsNotThereYet) {
  fs::create_symlink("target", folder() / "link");
  fs::create_symlink("link", folder() / "link to the link");

  write_file(folder() / "link to the link", "text");

  EXPECT_EQ(names(), (std::set<std::string>{"link", "link to the link", "target"}));
  EXPECT_EQ(contents(folder() / "target"), "text");
}

TEST_F(FileOutput, RefusesLinksThatLeadToEachOther) {
  fs::create_symlink("b", folder() / "a");
  fs::create_symlink("a", folder() / "b");

  expect_refused(folder() / "a", "Too many levels of symbolic links");
}

TEST_F(FileOutput, RefusesAnInputByAnyOfItsNames) {
  write_file(folder() / "input", "text");
  fs::create_symlink("input", folder() / "link");
  fs::create_hard_link(folder() / "input", folder() / "hard link");
  note_input(folder() / "link");

  const fs::path around = folder() / ".." / folder().filename() / "input";
  for (const fs::path& path :
       {folder() / "input", folder() / "link", folder() / "hard link", around}) {
    EXPECT_EQ(refusal_of([&] { write_file(path, "other"); }),
              path.string() + ": is read by this command (expected another file)");
  }
  EXPECT_EQ(contents(folder() / "input"), "text");
}

TEST_F(FileOutput, KnowsOneFileByItsNames) {
  write_file(folder() / "file", "");
  fs::create_symlink("new", folder() / "link");

  EXPECT_TRUE(is_same_file(folder() / "file", folder() / "." / "file"));
  EXPECT_TRUE(is_same_file(folder() / "new", folder() / "link"));
  EXPECT_FALSE(is_same_file(folder() / "file", folder() / "new"));
  EXPECT_FALSE(is_same_file(folder() / "new", folder() / "newer"));
  EXPECT_TRUE(is_same_file(folder() / "none" / "new", folder() / "none" / "." / "new"));
  EXPECT_FALSE(is_same_file(folder() / "none" / "new", folder() / "nowhere" / "new"));
}

TEST_F(FileOutput, LeavesNothingOfAFileBeyondTheSizeLimit) {
  Child child{[&](int /*pipe*/) {
    ::signal(SIGXFSZ, SIG_IGN);  // as run_program() does
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string refusal =
        refusal_of([&] { write_file(folder() / "file", std::string(2000, 'x')); });
    ::_exit(refusal.find("File too large") == std::string::npos ? 1 : 0);
  }};

  EXPECT_EQ(child.reap(), 0);
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(FileOutput, WritesAFileInTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder());

  write_file("bare-name", "text");
  fs::current_path(before);

  EXPECT_EQ(contents(folder() / "bare-name"), "text");
}

TEST_F(FileOutput, LeavesADeviceADevice) {
  check_writable("/dev/null");
  write_file("/dev/null", "text");

  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileOutput, CheckingLeavesNothingBehind) {
  write_file(folder() / "old", "old");

  check_writable(folder() / "new");
  check_writable(folder() / "old");

  EXPECT_EQ(names(), (std::set<std::string>{"old"}));
  EXPECT_EQ(contents(folder() / "old"), "old");
}

TEST_F(FileOutput, MakesTheLastFolder) {
  check_writable(folder() / "results" / "a.json");
  EXPECT_EQ(names(), std::set<std::string>{});

  write_file(folder() / "results" / "a.json", "text");

  EXPECT_EQ(contents(folder() / "results" / "a.json"), "text");
}

TEST_F(FileOutput, RefusesSeveralMissingFolders) {
  expect_refused(folder() / "none" / "below" / "a.json", "No such file or directory",
                 "a folder that exists: mkdir -p " + (folder() / "none" / "below").string());
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(FileOutput, RefusesAFolderInWhichNoFileCanBeCreated) {
  expect_refused("/proc/a.json", "No such file or directory",
                 "a folder in which files can be created");
}

TEST_F(FileOutput, RefusesAFolderGivenAsAFile) {
  fs::create_directory(folder() / "sub");

  expect_refused(folder() / "sub", "Is a directory", "the name of a file");
  expect_refused(folder() / "sub" / "", "Is a directory", "the name of a file");
  EXPECT_EQ(names(), (std::set<std::string>{"sub"}));
}

TEST_F(FileOutput, RefusesAParentThatIsAFile) {
  write_file(folder() / "file", "text");

  expect_refused(folder() / "file" / "a.json", "Not a directory");
}

TEST_F(FileOutput, RefusesAnEmptyName) {
  expect_refused("", "No such file or directory", "the name of a file");
}

TEST_F(FileOutput, RefusesADeviceThatIsFull) {
  if (!fs::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full";
  }

  EXPECT_THROW(write_file("/dev/full", "text"), ScenarioError);
}

TEST_F(FileOutput, RefusesAFolderWithoutPermission) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write anywhere";
  }
  fs::permissions(folder(), fs::perms{0555});

  expect_refused(folder() / "a.json", "Permission denied");
  fs::permissions(folder(), fs::perms{0755});
}

}  // namespace
}  // namespace ringcast
