#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/common/cell_pool.hpp"
#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"

namespace ringcast {
namespace {

using namespace std::chrono_literals;

std::string no_text(std::size_t /*cell*/, const ReportProgress& /*report*/) {
  return "";
}

int lowest_free_descriptor() {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(descriptor);
  return descriptor;
}

bool has_no_children() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
}

TEST(CellPoolResources, LeavesNoProcessAndNoDescriptorBehind) {
  const int before = lowest_free_descriptor();

  static_cast<void>(run_cells(5, 3, no_text));

  EXPECT_EQ(lowest_free_descriptor(), before);
  EXPECT_TRUE(has_no_children());
}

TEST(CellPoolResources, LeavesNothingBehindWhenItsCallerThrows) {
  const int before = lowest_free_descriptor();

  EXPECT_THROW(
      static_cast<void>(run_cells(
          4, 4,
          [](std::size_t, const ReportProgress& report) {
            report({0.5});
            ::sleep(60);
            return std::string{};
          },
          [](const std::vector<double>&, const RunningCells&) { throw TransportError{"stop"}; })),
      TransportError);

  EXPECT_EQ(lowest_free_descriptor(), before);
  EXPECT_TRUE(has_no_children());
}

TEST(CellPoolResources, PassesNoDescriptorOfItsOwnToPrograms) {
  const auto open_files = [] { return run_child({"ls", {"/proc/self/fd"}, {}}).output; };
  const std::string expected = open_files();

  const std::vector<CellOutcome> outcomes =
      run_cells(3, 3, [&](std::size_t, const ReportProgress&) {
        std::this_thread::sleep_for(50ms);
        return open_files();
      });

  for (const CellOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.text, expected);
  }
}

}  // namespace
}  // namespace ringcast
