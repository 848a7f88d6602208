// InputNodes made of the command line's texts.
#include "app/config/yaml/input_node.hpp"
#include "engine/numbers/ascii.hpp"

namespace ringcast {

namespace {

InputValue scalar_of(std::string_view text) {
  InputValue value;
  value.kind = InputValue::Kind::scalar;
  value.text = text;
  return value;
}

InputNode option_node(std::string option, InputValue root) {
  return InputNode{std::make_shared<const InputDocument>(
      InputDocument{InputDocument::Kind::option, std::move(option), std::move(root)})};
}

}  // namespace

InputNode InputNode::from_option(std::string option, std::string_view text) {
  return option_node(std::move(option), scalar_of(text));
}

InputNode InputNode::from_option_list(std::string option, std::string_view text) {
  InputValue root;
  root.kind = InputValue::Kind::list;
  while (true) {
    const std::size_t comma = text.find(',');
    root.items.push_back(scalar_of(trimmed(text.substr(0, comma))));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return option_node(std::move(option), std::move(root));
}

InputNode InputNode::from_options(std::initializer_list<OptionEntry> entries) {
  InputValue root;
  root.kind = InputValue::Kind::map;
  for (const OptionEntry& entry : entries) {
    if (!entry.text) continue;
    root.keys.push_back(scalar_of(entry.key));
    root.items.push_back(scalar_of(*entry.text));
  }
  return option_node(root.keys.empty() ? "" : "--" + root.keys.front().text, std::move(root));
}

}  // namespace ringcast
