#include "app/common/file_input.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/system/descriptor.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

std::string refusal(const TemporaryFolder& folder, const std::filesystem::path& file) {
  constexpr std::size_t most = 2U << 20U;
  return message_of(folder, [&] { static_cast<void>(read_file(file, most, "a text")); });
}

TEST(FileInput, IsRead) {
  const TemporaryFolder folder;
  folder.write("a", "one\ntwo");
  folder.write("empty", "");

  EXPECT_EQ(read_file(folder / "a", 7, "a text"), "one\ntwo");
  EXPECT_EQ(read_file(folder / "empty", 0, "a text"), "");
  EXPECT_EQ(unreadable(folder / "a"), std::nullopt);
}

// As of `predict <(...)`, whose digest is taken of what was predicted.
TEST(FileInput, OfAPipeIsTheSameAgain) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor reading{ends[0]};
  const std::filesystem::path name = fmt::format("/proc/self/fd/{}", reading.value());
  {
    const Descriptor writing{ends[1]};
    ASSERT_EQ(::write(writing.value(), "once", 4), 4);
  }

  EXPECT_EQ(read_file(name, 7, "a text"), "once");
  EXPECT_EQ(read_file(name, 7, "a text"), "once");
}

TEST(FileInput, IsRefusedWhereItIsNone) {
  const TemporaryFolder folder;

  EXPECT_EQ(refusal(folder, folder / "none"),
            "none: cannot be read: No such file or directory (expected a text)");
  EXPECT_EQ(refusal(folder, folder / "."), ".: cannot be read: Is a directory (expected a text)");
  EXPECT_EQ(unreadable(folder / "."), "cannot be read: Is a directory");
}

// A sparse file of 1 TiB and a device without an end: neither is read to its end.
TEST(FileInput, IsRefusedWhereItIsTooLarge) {
  const TemporaryFolder folder;
  folder.write("large", "");
  std::filesystem::resize_file(folder / "large", std::uintmax_t{1} << 40U);

  EXPECT_EQ(refusal(folder, folder / "large"), "large: larger than 2 MiB (expected a text)");
  EXPECT_EQ(refusal(folder, "/dev/zero"), "/dev/zero: larger than 2 MiB (expected a text)");
}

}  // namespace
}  // namespace ringcast
