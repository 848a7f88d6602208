#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "app/report/result.hpp"

namespace ringcast {
namespace {

// Python's tests hold the readers of analysis/ against the file (analysis/tests/test_schema.py).
// RINGCAST_UPDATE=1 report_tests --gtest_filter='ResultSchema.*' writes it.
TEST(ResultSchema, IsTheOneInTheDocuments) {
  const std::filesystem::path file =
      std::filesystem::path{RINGCAST_SOURCE_DIR} / "docs/result.schema.json";
  if (std::getenv("RINGCAST_UPDATE") != nullptr) {
    std::ofstream{file} << result_schema();
  }
  std::ifstream in{file};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};

  EXPECT_EQ(text, result_schema());
}

}  // namespace
}  // namespace ringcast
