#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/input_numbers.hpp"
#include "app/config/scenario/model_reader.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/config/scenario/transport_reader.hpp"
#include "app/config/yaml/known_keys.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "app/predict/validate.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {
namespace {

const std::filesystem::path scenarios = std::filesystem::path{RINGCAST_SOURCE_DIR} / "scenarios";

std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

TEST(Catalogue, EveryClusterReads) {
  const auto files = yaml_files(scenarios / "clusters");

  EXPECT_GE(files.size(), 2U);
  for (const auto& file : files) {
    EXPECT_NO_THROW(static_cast<void>(read_cluster(file))) << file;
    EXPECT_FALSE(read_cluster(file).source.empty()) << file;
  }
}

TEST(Catalogue, EveryTransportReads) {
  const auto files = yaml_files(scenarios / "transports");

  EXPECT_GE(files.size(), 2U);
  for (const auto& file : files) {
    EXPECT_NO_THROW(static_cast<void>(read_transport(file))) << file;
  }
}

TEST(Catalogue, EveryScenarioReads) {
  const auto files = yaml_files(scenarios);

  EXPECT_GE(files.size(), 4U);
  for (const auto& file : files)
    EXPECT_NO_THROW(static_cast<void>(read_scenario(file))) << file;
}

TEST(Catalogue, EveryPublishedTrainingReads) {
  const auto files = yaml_files(scenarios / "training");

  EXPECT_GE(files.size(), 7U);
  for (const auto& file : files) {
    EXPECT_TRUE(read_scenario(file).training.has_value()) << file;
  }
}

TEST(Catalogue, EveryModelReads) {
  const auto files = yaml_files(scenarios / "models");

  EXPECT_GE(files.size(), 9U);
  for (const auto& file : files) {
    EXPECT_FALSE(read_model(read_yaml(file)).source.empty()) << file;
  }
}

TEST(Catalogue, EveryGpuComputeIsForAModelOfTheCatalogue) {
  std::set<std::string> models;
  for (const auto& file : yaml_files(scenarios / "models")) {
    models.insert(read_model(read_yaml(file)).name);
  }
  for (const auto& file : yaml_files(scenarios / "gpus")) {
    const GpuCompute gpu = read_gpu_compute(read_yaml(file));
    EXPECT_FALSE(gpu.source.empty()) << file;
    EXPECT_TRUE(!gpu.model || models.contains(*gpu.model)) << file;
  }
}

TEST(Catalogue, EveryPublishedSetReads) {
  const auto files = yaml_files(scenarios / "published");

  EXPECT_GE(files.size(), 10U);
  const std::vector<PublishedSet> sets = read_published_sets(files);
  for (const PublishedSet& set : sets) {
    const bool each_says_why = std::ranges::all_of(
        set.rows, [](const PublishedRow& row) { return row.not_judged.has_value(); });
    EXPECT_TRUE(std::ranges::any_of(set.rows, is_judged) || each_says_why) << set.scenario.file;
  }
}

TEST(Catalogue, BaiduHas40GpusAnd40Ranks) {
  const Scenario scenario = read_scenario(scenarios / "baidu-40gpu.yaml");

  EXPECT_EQ(Topology{build_cluster(scenario.cluster)}.ranks(), 40);
  EXPECT_EQ(scenario.ranks.back(), 40);
  EXPECT_EQ(scenario.sizes, std::vector<Bytes>{Bytes{300'000'000 * 4ULL}});
}

TEST(Catalogue, TheLargeClusterHas1024Gpus) {
  const Scenario scenario = read_scenario(scenarios / "scale-1024.yaml");

  EXPECT_EQ(Topology{build_cluster(scenario.cluster)}.ranks(), 1024);
  EXPECT_EQ(scenario.ranks, std::vector<int>{1024});
}

/// The text between the first two backquotes.
std::string first_quoted(const std::string& line) {
  const std::size_t begin = line.find('`');
  if (begin == std::string::npos) return "";
  return line.substr(begin + 1, line.find('`', begin + 1) - begin - 1);
}

/// The keys in the README by section, each with its type: the first two columns of the tables below
/// `### section`.
std::map<std::string, std::map<std::string, std::string>> documented_keys() {
  std::ifstream readme{scenarios / "README.md"};
  std::map<std::string, std::map<std::string, std::string>> keys;
  std::string section;
  bool in_keys = false;  // other tables are of values
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("### ")) section = line.substr(4);
    if (line.starts_with("| key")) in_keys = true;
    if (line.empty()) in_keys = false;
    if (in_keys && line.starts_with("| `")) {
      keys[section][first_quoted(line)] = line.substr(line.find("| ", 1) + 2);
    }
  }
  return keys;
}

TEST(Readme, ListsTheKeysThatTheReaderKnows) {
  std::map<std::string, std::set<std::string>> known;
  for (const KeyTable& table : key_tables()) {
    known[std::string{table.section}] = {table.keys.begin(), table.keys.end()};
  }
  std::map<std::string, std::set<std::string>> documented;
  for (const auto& [section, keys] : documented_keys()) {
    for (const auto& [key, type] : keys)
      documented[section].insert(key);
  }

  EXPECT_EQ(documented, known);
}

TEST(Readme, ListsTheNumbersOfATransportThatPredictWhyVaries) {
  const std::map<std::string, std::string> value_of_type{
      {"number", "0.5"}, {"rate", "10 GB/s"}, {"size", "8 KiB"}, {"time", "5 us"}};
  std::string text = "name: all\nsource: the test\n";
  std::set<std::string> documented;
  const auto sections = documented_keys();
  for (const auto& [key, type] : sections.at("transport")) {
    const auto value = value_of_type.find(type.substr(0, type.find_first_of(", ")));
    if (value == value_of_type.end()) continue;
    text += fmt::format("{}: {}\n", key, value->second);
    documented.insert("transport " + key);
  }
  Scenario scenario;
  scenario.transport = read_transport(yaml_of("transport.yaml", text));
  std::set<std::string> varied;
  for (const InputNumber& number : input_numbers(scenario))
    varied.insert(number.name);

  EXPECT_EQ(varied, documented);
}

}  // namespace
}  // namespace ringcast
