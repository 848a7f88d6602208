#include "app/measure/hostfile.hpp"

#include <gtest/gtest.h>

#include "app/common/file_output.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

std::string hostfile_refusal(const TemporaryFolder& folder, const std::string& name) {
  return message_of(folder, [&] { static_cast<void>(hosts_of(folder / name)); });
}

TEST(Hostfile, NamesTheHosts) {
  const TemporaryFolder folder;
  folder.write("hosts", "# two of them\nnode1 slots=4\n\n  node2\n");

  EXPECT_EQ(hosts_of(folder / "hosts"), (std::vector<std::string>{"node1", "node2"}));
}

TEST(Hostfile, IsNotOverwritten) {
  const TemporaryFolder folder;
  folder.write("hosts", "node1\n");
  static_cast<void>(hosts_of(folder / "hosts"));

  EXPECT_EQ(message_of(folder, [&] { write_file(folder / "hosts", "node2\n"); }),
            "hosts: is read by this command (expected another file)");
}

TEST(Hostfile, IsRefusedWhereItNamesNone) {
  const TemporaryFolder folder;
  folder.write("hosts", "# none yet\n");

  const std::string expected = " (expected a host a line, such as node1 slots=4)";
  EXPECT_EQ(hostfile_refusal(folder, "hosts"), "--hostfile: hosts: names no host" + expected);
  EXPECT_EQ(hostfile_refusal(folder, "."),
            "--hostfile: .: cannot be read: Is a directory" + expected);
  EXPECT_EQ(hostfile_refusal(folder, "none"),
            "--hostfile: none: cannot be read: No such file or directory" + expected);
}

}  // namespace
}  // namespace ringcast
