#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/report/some_result.hpp"

namespace ringcast {
namespace {

std::vector<std::string> lines_of(const std::string& text, std::string_view end) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t next = text.find(end); next != std::string::npos; next = text.find(end, at)) {
    lines.push_back(text.substr(at, next - at));
    at = next + end.size();
  }
  EXPECT_EQ(at, text.size()) << "no end of line at the end";
  return lines;
}

TEST(ResultCsv, HasTheRowsKeysAsColumns) {
  Row row = some_row();
  row.cell.segment_size.reset();

  const std::vector<std::string> lines = lines_of(to_csv(some_result({row, row})), "\r\n");

  ASSERT_EQ(lines.size(), 3U);
  std::string expected;
  for (const std::string& key : row_keys) {
    expected += key == "links" ? "" : (expected.empty() ? "" : ",") + key;
  }
  EXPECT_EQ(lines[0], expected);
  EXPECT_EQ(
      lines[1],
      "allreduce,4,1200000000,ring,float32,sum,ideal,by-rank,2,,0.3,0.25,0.5,4000000000.0,"
      "6000000000.0,true,0.1,the ports of 4 ranks,24,1800000000,a -> b,0.5,,,,,false,false,2");
  EXPECT_EQ(lines[2], lines[1]);
}

TEST(ResultCsv, QuotesWhatWouldEndAField) {
  Row row = some_row();
  row.cell.transport = "a,b";
  row.cell.ring_order = "my \"own\"";
  row.lower_bound_reason = "two\nlines";
  row.busiest[0].name = "carriage\rreturn";

  const std::string csv = to_csv(some_result({row}));

  EXPECT_NE(csv.find(",\"a,b\","), std::string::npos);
  EXPECT_NE(csv.find(",\"my \"\"own\"\"\","), std::string::npos);
  EXPECT_NE(csv.find(",\"two\nlines\","), std::string::npos);
  EXPECT_NE(csv.find(",\"carriage\rreturn\","), std::string::npos);
}

TEST(ResultCsv, OfNothingIsEmpty) {
  EXPECT_EQ(to_csv(some_result({})), "");
}

}  // namespace
}  // namespace ringcast
