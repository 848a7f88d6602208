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

TEST(Hostfile, IsRefusedWhereOpenMpiWouldNotTakeIt) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    folder.write("hosts", text);
    return message_of(folder, [&] { return hosts_of(folder / "hosts", HostfileSyntax::open_mpi); });
  };
  const std::string count = " (expected a whole number of 1 or more, such as slots=4)";

  EXPECT_EQ(refusal("# ours\r\nnode1 slots=2\r\n"),
            "--hostfile: hosts:2: a carriage return at the end of the line (expected line feeds "
            "alone, as dos2unix leaves them)");
  EXPECT_EQ(refusal("node1:2\n"), "--hostfile: hosts:1: node1:2 (expected node1 slots=2)");
  EXPECT_EQ(refusal("node1\nnode2 slots=0\n"), "--hostfile: hosts:2: slots=0" + count);
  EXPECT_EQ(refusal("node1 slots=two\n"), "--hostfile: hosts:1: slots=two" + count);
}

TEST(Hostfile, MayHaveWhatOpenMpiTakes) {
  const TemporaryFolder folder;
  folder.write("hosts", "node1 slots=4 max_slots=8  # of two\nme@node2 slots = 2\nfe80::1\n");

  EXPECT_EQ(hosts_of(folder / "hosts", HostfileSyntax::open_mpi),
            (std::vector<std::string>{"node1", "me@node2", "fe80::1"}));
}

}  // namespace
}  // namespace ringcast
