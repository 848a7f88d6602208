#include "app/common/data_file.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

/// A data folder with scenarios/x.yaml; beside it a folder of the user's.
class DataFile : public ::testing::Test {
 protected:
  DataFile() {
    for (const char* const file : {"data/scenarios/x.yaml", "data/scenarios/y.yaml",
                                   "data/other/x.yaml", "mine/scenarios/y.yaml"})
      folder_.write(file, "name: x\n");
    ::setenv("RINGCAST_DATA_DIR", data().c_str(), 1);
  }
  ~DataFile() override { ::unsetenv("RINGCAST_DATA_DIR"); }

  [[nodiscard]] fs::path data() const { return folder_ / "data"; }
  [[nodiscard]] fs::path mine() const { return folder_ / "mine"; }

 private:
  TemporaryFolder folder_;
};

TEST_F(DataFile, TheGivenFileComesFirst) {
  EXPECT_EQ(find_data_file("scenarios/y.yaml", mine()), mine() / "scenarios/y.yaml");
  EXPECT_EQ(find_data_file(data() / "other/x.yaml"), data() / "other/x.yaml");
}

TEST_F(DataFile, ShortNamesAreFoundInTheCatalogue) {
  EXPECT_EQ(find_data_file("scenarios/x.yaml", mine()), data() / "scenarios/x.yaml");
  EXPECT_EQ(find_data_file("scenarios/x.yaml"), data() / "scenarios/x.yaml");
  EXPECT_EQ(find_data_file("scenarios", data() / "other"), data() / "scenarios");
}

TEST_F(DataFile, OtherNamesAreNotLookedUp) {
  EXPECT_EQ(find_data_file("other/x.yaml", mine()), mine() / "other/x.yaml");
  EXPECT_EQ(find_data_file("/scenarios/x.yaml"), "/scenarios/x.yaml");
  EXPECT_EQ(find_data_file(""), "");
}

TEST_F(DataFile, AMissingFileKeepsTheNameThatWasGiven) {
  EXPECT_EQ(find_data_file("scenarios/none.yaml"), "scenarios/none.yaml");
  EXPECT_EQ(find_data_file("scenarios/none.yaml", mine()), mine() / "scenarios/none.yaml");
}

TEST_F(DataFile, AProgramThatIsNotInstalledReadsTheSourceTree) {
  ::unsetenv("RINGCAST_DATA_DIR");

  EXPECT_EQ(data_folder(), RINGCAST_SOURCE_DIR);
  EXPECT_TRUE(fs::exists(find_data_file("scenarios/baidu-40gpu.yaml", mine())));
}

}  // namespace
}  // namespace ringcast
