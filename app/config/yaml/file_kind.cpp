#include "app/config/yaml/file_kind.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "app/config/yaml/known_keys.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// A kind of file: the table of its keys, its name in a message, and its use.
struct FileKind {
  std::string_view section;
  std::string_view name;
  std::string_view use;
};
constexpr auto file_kinds = std::to_array<FileKind>({
    {"scenario", "a scenario", "for a scenario: ringcast predict"},
    {"cluster", "a cluster", "for a cluster: ringcast show, or a scenario's key cluster"},
    {"transport", "a transport", "for a transport: a scenario's key transport"},
    {"model", "a model", "for a model: the key model of a scenario's training"},
    {"GPU compute", "a GPU's compute times", "for these: the key gpu of a scenario's training"},
    {"published set", "a published set", "for published measurements: ringcast validate"},
    {"result", "a result of ringcast", "for a result: ringcast plot, or ringcast compare"},
});

bool has_keys(const FileKind& kind, const std::vector<InputNode::Entry>& entries) {
  if (kind.section == "result") {
    return entries.front().key == "schema_version";
  }
  const std::vector<std::string_view>& known = keys_of(kind.section);
  return std::ranges::all_of(entries, [known](const InputNode::Entry& entry) {
    return std::ranges::find(known, entry.key) != known.end();
  });
}

}  // namespace

void expect_kind(const InputNode& node, std::string_view section) {
  const auto* const wanted = std::ranges::find(file_kinds, section, &FileKind::section);
  expect(wanted != file_kinds.end(), "no kind of file named {}", section);
  if (node.is_map()) {
    const std::vector<InputNode::Entry> entries = node.entries();
    const auto* const kind = std::ranges::find_if(
        file_kinds, [&entries](const FileKind& each) { return has_keys(each, entries); });
    if (kind != file_kinds.end() && !has_keys(*wanted, entries)) {
      node.fail(fmt::format("is {}", kind->name), fmt::format("{}; {}", wanted->name, kind->use));
    }
  }
  node.allow_keys_of(section);
}

InputNode section_or_whole(const InputNode& node, std::string_view key) {
  const auto section = node.is_map() ? node.find(key) : std::nullopt;
  return section && section->is_map() ? *section : node;
}

}  // namespace ringcast
