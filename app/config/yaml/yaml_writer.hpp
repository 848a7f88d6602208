#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// Comments in a YAML file, by the key path of InputNode::path(), for example
/// `node_types.node.sockets[0]`; the empty path is the head of the file.
struct YamlRemarks {
  std::map<std::string, std::vector<std::string>, std::less<>> above;  // a line for each text
  std::map<std::string, std::string, std::less<>> beside;  // at the end of the value's first line
};

/// Writes a map so that read_yaml() reads the same keys and texts. The top level, and values that
/// do not fit on a line, are in block style, with an empty line before each section.
[[nodiscard]] std::string yaml_text(const InputValue& map, const YamlRemarks& remarks);

// The parts of such a map. Numbers get a text that is read back as exactly the same value, in a
// convenient unit if possible.
[[nodiscard]] InputValue yaml_value(std::string text);
[[nodiscard]] InputValue yaml_value(int number);
[[nodiscard]] InputValue yaml_value(Bytes size);
[[nodiscard]] InputValue yaml_value(BytesPerSecond rate);
[[nodiscard]] InputValue yaml_value(Seconds time);
[[nodiscard]] InputValue yaml_list(std::vector<InputValue> items);
/// A map of the entries that have a value; nothing if none has.
struct YamlEntry {
  std::string key;
  InputValue value;
};
[[nodiscard]] InputValue yaml_map(const std::vector<YamlEntry>& entries);

}  // namespace ringcast
