#include "app/config/yaml/yaml_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

/// A whole file, and what is said of it.
struct Mistake {
  const char* name;
  std::string text;
  const char* message;
};

const Mistake mistakes[] = {
    {"Empty", "", "cluster.yaml: is empty (expected a YAML file)"},
    {"OneSpace", " ", "cluster.yaml: is empty (expected a YAML file)"},
    {"OnlyComments", "# nothing\n", "cluster.yaml: is empty (expected a YAML file)"},
    {"TwoDocuments", "name: a\n---\nname: b\n",
     "cluster.yaml:2:1: top level: a second document (expected one document per file)"},
    {"IndentedFirstLine", "  name: a\nsource: b\n",
     "cluster.yaml:2:1: top level: not part of the value above (expected all keys in the column of "
     "the first)"},
    {"IndentedLine", "name: a\n source: b\n",
     "cluster.yaml:2:8: YAML: illegal map value (expected quotes around a text with a colon: "
     "\"see: this\"; and indentation with spaces)"},
    {"IndentedLineAfterAMap", "nodes:\n  - a\n fabric: b\n",
     "cluster.yaml:3:2: YAML: end of map not found (expected all keys of a map in the column of "
     "the first)"},
    {"Syntax", "name: [a\nnodes: 3\n",
     "cluster.yaml:2:6: YAML: end of sequence flow not found (expected a closing "
     "bracket, and quotes around a text with a colon: {source: \"see: this\"})"},
    {"Tab", "links:\n\tib: 3\n",
     "cluster.yaml:2:4: YAML: illegal map value (expected quotes around a text with "
     "a colon: \"see: this\"; and indentation with spaces)"},
    {"IllegalValue", "a: b: c\n",
     "cluster.yaml:1:5: YAML: illegal map value (expected quotes around a text with "
     "a colon: \"see: this\"; and indentation with spaces)"},
    {"TopLevelList", "- name\n",
     "cluster.yaml:1:1: top level: is not a map (expected the keys name, source, links, "
     "node_types, nodes and fabric)"},
    {"TopLevelScalar", "name\n",
     "cluster.yaml:1:1: top level: is not a map (expected the keys name, source, links, "
     "node_types, nodes and fabric)"},
    {"Null", "~\n",
     "cluster.yaml:1:1: top level: is not a map (expected the keys name, source, links, "
     "node_types, nodes and fabric)"},
    {"Anchor", "links: &all {a: b}\n",
     "cluster.yaml:1:8: links: an anchor (expected the value alone; cables can be named "
     "under links)"},
    {"Alias", "name: *x\n",
     "cluster.yaml:1:7: YAML: the referenced anchor is not defined (expected lines "
     "\"key: value\", indented with spaces)"},
    {"KnownAlias", "links: {a: &x b, c: *x}\n",
     "cluster.yaml:1:12: links.a: an anchor (expected the value alone; cables can be "
     "named under links)"},
    {"Tag", "name: !!str x\n", "cluster.yaml:1:7: name: a tag (expected the value alone)"},
    {"ListKey", "[a, b]: c\n",
     "cluster.yaml:1:1: top level: a key that is not a name (expected name: value)"},
    {"NullKey", "~: c\n",
     "cluster.yaml:1:1: top level: a key that is not a name (expected name: value)"},
    {"EmptyKey", "links: {\"\": {class: pcie-3.0-x16}}\n",
     "cluster.yaml:1:1: name: missing (expected a text)"},
    {"ControlCharacters", "\"na\\nme\": 1\n",
     "cluster.yaml:1:1: na\\x0ame: unknown key, did you mean \"name\"? (expected name, "
     "source, links, node_types, nodes or fabric)"},
    {"RepeatedInUnknown", "friends:\n  bob: {a: 1, a: 2}\n",
     "cluster.yaml:2:15: friends.bob.a: repeated key (expected each key once)"},
    {"RepeatedInList", "nodes:\n  - {type: a}\n  - {type: a, type: b}\n",
     "cluster.yaml:3:15: nodes[1].type: repeated key (expected each key once)"},
    {"LongKey", std::string(500, 'k') + ": 1\n",
     "cluster.yaml:1:1: "
     "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...: unknown key "
     "(expected name, source, links, node_types, nodes or fabric)"},
    {"Deep", "name: " + std::string(65, '[') + std::string(65, ']'),
     "cluster.yaml:1:70: top level: lists and maps too deep (expected at most 64 levels)"},
    {"VeryDeep", "name: " + std::string(100'000, '['),
     "cluster.yaml:1:8: name[0]: a key that is not a name (expected name: value)"},
    // The parser alone takes the end of the file for the quote: the keys below were lost.
    {"OpenQuote", "name: a\nlinks:\n  ib: \"x\nnodes: 3\n \t\r\n",
     "cluster.yaml:3:3: links.ib: a quote that is not closed follows (expected a \" or ' at the "
     "end of the text)"},
    {"OpenQuoteInList", "links: [a, 'b]\n",
     "cluster.yaml:1:9: links[1]: a quote that is not closed follows (expected a \" or ' at the "
     "end of the text)"},
    {"OpenQuoteAtOnce", "\"name: a",
     "cluster.yaml:1:1: top level: a quote that is not closed follows (expected a \" or ' at the "
     "end of the text)"},
    {"MergeKey", "links:\n  <<: {a: 1}\n",
     "cluster.yaml:2:3: links.<<: a merge key (expected the keys themselves)"},
};

/// The message about a file with these contents.
std::string message_about(const std::string& text) {
  return refusal_of([&] { return read_cluster(yaml_of("cluster.yaml", text)); });
}

class YamlMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(YamlMistake, IsRefusedWithItsPlace) {
  EXPECT_EQ(message_about(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Mistakes, YamlMistake, ::testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return mistake.param.name; });

TEST(YamlFile, MissingIsNamed) {
  const TemporaryFolder folder;

  EXPECT_EQ(message_of(folder, [&] { return read_cluster(folder / "none.yaml"); }),
            "none.yaml: cannot be read: No such file or directory (expected a YAML file)");
}

TEST(YamlFile, FolderIsNoFile) {
  const TemporaryFolder folder;

  EXPECT_EQ(message_of(folder, [&] { return read_cluster(folder / ""); }),
            ": cannot be read: Is a directory (expected a YAML file)");
}

TEST(YamlFile, SuggestsTheNearestName) {
  const TemporaryFolder folder;
  folder.write("rails.yaml", "name: x\n");

  EXPECT_EQ(message_of(folder, [&] { return read_cluster(folder / "rail.yaml"); }),
            "rail.yaml: cannot be read: No such file or directory, did you mean \"rails.yaml\"? "
            "(expected a YAML file)");
}

// `link` is a link to a/b: link/../box.yaml is a/box.yaml, as for the file system.
TEST(YamlFile, IsNamedRelativeToTheTargetOfALink) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a/b");
  std::filesystem::create_directory_symlink("a/b", folder / "link");
  folder.write("a/box.yaml", "name: of the target\n");
  folder.write("box.yaml", "name: beside the link\n");
  folder.write("a/b/scenario.yaml", "cluster: ../box.yaml\nown: ./../b/scenario.yaml\n");

  const InputNode scenario = read_yaml(folder / "link/scenario.yaml");
  const InputNode cluster =
      read_yaml_named(scenario.require("cluster", ""), folder / "link", "a file");
  EXPECT_EQ(cluster.require("name", "").text(), "of the target");
  // Shortened where that is the same file.
  const InputNode direct = read_yaml_named(scenario.require("own", ""), folder / "a/b", "a file");
  EXPECT_EQ(direct.document_name(), (folder / "a/b/scenario.yaml").string());
}

TEST(YamlFile, NamesTheCureOfCommonMistakes) {
  EXPECT_EQ(
      message_about("links: {a: {source: DeepBench: 12 GB/s}}\n"),
      "cluster.yaml:1:30: YAML: end of map flow not found (expected a closing bracket, and quotes "
      "around a text with a colon: {source: \"see: this\"})");
  EXPECT_EQ(
      message_about("source: see: this\n"),
      "cluster.yaml:1:12: YAML: illegal map value (expected quotes around a text with a colon: "
      "\"see: this\"; and indentation with spaces)");
  EXPECT_EQ(message_about("name: @x\n"),
            "cluster.yaml:1:7: YAML: unknown token (expected quotes around a text that begins with "
            "@, %, ` "
            "or a tabulator)");
}

TEST(YamlFile, OfAnotherKindIsCalledByItsName) {
  EXPECT_EQ(message_about("name: t\nsource: invented\nmessage_overhead: 0 us\n"),
            "cluster.yaml:1:1: top level: is a transport (expected a cluster; for a transport: a "
            "scenario's key transport)");
  EXPECT_EQ(
      message_about("schema_version: 1\nprovenance: {}\nrows: [a]\n"),
      "cluster.yaml:1:1: top level: is a result of ringcast (expected a cluster; for a result: "
      "ringcast plot, or ringcast compare)");
  // A key that no kind has: the wanted kind's keys are listed.
  EXPECT_EQ(
      message_about("name: t\ncolour: 3\n"),
      "cluster.yaml:2:1: colour: unknown key (expected name, source, links, node_types, nodes or "
      "fabric)");
}

// The parser keeps each bracket until the list ends: 3 MB of them took 700 MB.
TEST(YamlFile, ListOnALineIsTooLong) {
  const std::string brackets(2U << 20U, '[');
  EXPECT_EQ(
      message_about("name: " + brackets),
      "cluster.yaml:1:7: name[0]: a value longer than 1 MiB follows (expected a list with a line "
      "for each item: - ITEM)");
}

TEST(YamlFile, WithoutEndIsTooLarge) {
  const TemporaryFolder folder;

  EXPECT_EQ(message_of(folder, [] { return read_cluster("/dev/zero"); }),
            "/dev/zero: larger than 16 MiB (expected a YAML file)");
}

}  // namespace
}  // namespace ringcast
