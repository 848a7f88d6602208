#include "app/report/provenance.hpp"

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

TEST(Digest, IsOfFilesLargerThanAnyInput) {
  const TemporaryFolder folder;
  const std::string rows(17U << 20U, ' ');
  folder.write("rows.json", rows);

  EXPECT_EQ(digest_if_there(folder / "rows.json"), sha256_of_bytes(rows));
  EXPECT_EQ(digest_if_there(folder / "none.json"), std::nullopt);
}

}  // namespace
}  // namespace ringcast
