#include "app/predict/set_constants.hpp"

#include <gtest/gtest.h>

#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

/// A set of two GPUs; `link` describes their cables.
std::string set_text(const std::string& name, const std::string& link, const std::string& fit_on) {
  return "name: " + name + "\nsource: invented\ncluster:\n  name: pair\n  links: {pcie: " + link +
         "}\n  node_types:\n    box:\n      sockets:\n        - root_complexes:\n"
         "            - devices: [{kind: gpu, count: 2, link: pcie}]\n  nodes: [{type: box}]\n"
         "transport: {name: own, source: invented, message_overhead: 5 us}\n"
         "rows:\n  - {ranks: 2, size: 1 MB, time: 1 ms}\n" +
         fit_on;
}

class SetConstants : public ::testing::Test {
 protected:
  [[nodiscard]] PublishedSet set(const std::string& name, const std::string& link,
                                 const std::string& fit_on = "") const {
    folder_.write(name + ".yaml", set_text(name, link, fit_on));
    return read_published_set(folder_ / (name + ".yaml"));
  }

 private:
  TemporaryFolder folder_;
};

// 12.2 GB/s is that of the class pcie-3.0-x16; both sets have the overhead of 5 us.
TEST_F(SetConstants, AreThoseThatNeitherAClassNorAnotherSetHas) {
  const std::vector<PublishedSet> sets{
      set("plain", "pcie-3.0-x16"),
      set("own", "{class: pcie-3.0-x16, bandwidth: 11 GB/s, source: measured there}")};

  const std::vector<SetConstant> constants = constants_of_one_set(sets);

  // Its limits for peers and kernels are that bandwidth, no constants besides.
  ASSERT_EQ(constants.size(), 1U);
  EXPECT_EQ(constants[0].set, "own");
  EXPECT_EQ(constants[0].number.name, "link pcie bandwidth");
  EXPECT_EQ(constants[0].number.value, 11e9);
  EXPECT_EQ(constants[0].number.source, "measured there");
  EXPECT_FALSE(constants[0].fitted);
}

TEST_F(SetConstants, SayWhatWasFitted) {
  const std::string fit = "fit_on: {numbers: [{name: link pcie bandwidth}], rows: [[2, 1 MB]]}\n";
  const std::vector<PublishedSet> sets{
      set("plain", "pcie-3.0-x16"),
      set("fitted", "{bandwidth: 11 GB/s, latency: 0, source: fitted}", fit)};

  const std::vector<SetConstant> constants = constants_of_one_set(sets);

  ASSERT_FALSE(constants.empty());
  EXPECT_TRUE(constants[0].fitted);
  EXPECT_EQ(fitted_constant_count(sets), 1U);
  std::vector<PublishedSet> twice{sets[1], sets[1]};
  const std::filesystem::path& file = sets[1].cluster_file;
  twice[1].cluster_file = file.parent_path() / "." / file.filename();  // the same file
  EXPECT_EQ(fitted_constant_count(twice), 1U);
  EXPECT_TRUE(constants_table(sets).starts_with("# 1 constant fitted on rows of the sets; "));
}

TEST_F(SetConstants, AreNoneOfSetsThatShareAll) {
  const std::vector<PublishedSet> sets{set("one", "pcie-3.0-x16"), set("other", "pcie-3.0-x16")};

  EXPECT_TRUE(constants_of_one_set(sets).empty());
  EXPECT_EQ(constants_table(sets),
            "# 0 constants fitted on rows of the sets; 0 that one set alone has, and no link "
            "class\n");
}

}  // namespace
}  // namespace ringcast
