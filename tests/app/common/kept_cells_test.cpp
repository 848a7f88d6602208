#include "app/common/kept_cells.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/common/cell_pool.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

class KeptCellsFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "out.json"; }
  [[nodiscard]] std::filesystem::path partial() const { return folder_ / "out.json.partial"; }

  /// Runs three cells, the second of which fails or succeeds; the texts of all.
  static std::vector<std::string> run(KeptCells& kept, const std::string& text, bool fails) {
    std::vector<std::string> texts;
    const auto work = [&](std::size_t cell, const ReportProgress&) -> std::string {
      if (cell == 1 && fails) throw TransportError{"failed"};
      return text;
    };
    const CellMemory memory{&kept, [](std::size_t cell) { return std::to_string(cell); }};
    for (const CellOutcome& outcome : run_cells(3, 2, work, {}, memory)) {
      texts.push_back(outcome.text);
    }
    return texts;
  }

 private:
  TemporaryFolder folder_;
};

using Texts = std::vector<std::string>;

TEST_F(KeptCellsFile, AreTakenUpByTheNextRunOfThePlan) {
  KeptCells first{output(), "plan", false};
  EXPECT_EQ(run(first, "first", true), (Texts{"first", "failed", "first"}));
  first = {};

  KeptCells second{output(), "plan", false};

  EXPECT_EQ(run(second, "second", false), (Texts{"first", "second", "first"}));
}

TEST_F(KeptCellsFile, AreNotTakenUpByAnotherPlanNorByAFreshRun) {
  KeptCells first{output(), "plan", false};
  run(first, "first", false);
  first = {};

  KeptCells other{output(), "other plan", false};
  EXPECT_EQ(run(other, "other", false), (Texts{"other", "other", "other"}));
  other = {};
  KeptCells fresh{output(), "plan", true};
  EXPECT_EQ(run(fresh, "fresh", false), (Texts{"fresh", "fresh", "fresh"}));
}

TEST_F(KeptCellsFile, OfAnotherPlanAreNamedBeforeTheyAreDropped) {
  KeptCells first{output(), "plan", false};
  run(first, "first", true);
  first = {};
  ::testing::internal::CaptureStderr();

  const KeptCells second{output(), "another plan", false};

  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            fmt::format("ringcast: {}: 2 results of an interrupted run with other options or "
                        "another scenario, dropped when this run is complete\n",
                        partial().string()));
}

TEST_F(KeptCellsFile, AreGoneWhenTheOutputIsComplete) {
  KeptCells kept{output(), "plan", false};
  run(kept, "text", false);

  kept.remove();

  EXPECT_TRUE(std::filesystem::is_empty(output().parent_path()));
}

TEST_F(KeptCellsFile, CostNoRunWhereTheFileIsInUse) {
  KeptCells first{output(), "plan", false};
  run(first, "first", true);

  KeptCells second{output(), "plan", false};

  EXPECT_EQ(run(second, "second", false), (Texts{"second", "second", "second"}));
  second.remove();
  EXPECT_TRUE(std::filesystem::exists(partial())) << "it is the first run's";
}

TEST_F(KeptCellsFile, LeaveAFileThatIsNotTheirs) {
  std::ofstream{partial()} << "my notes";

  KeptCells kept{output(), "plan", false};

  EXPECT_EQ(run(kept, "text", false), (Texts{"text", "text", "text"}));
  kept.remove();
  EXPECT_EQ(std::filesystem::file_size(partial()), 8);
}

}  // namespace
}  // namespace ringcast
