#include "app/config/yaml/input_node.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/config/yaml/known_keys.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

// Characters; the texts that a message quotes are cut far shorter.
constexpr std::size_t longest_message = 1000;

}  // namespace

InputNode::InputNode(std::shared_ptr<const InputDocument> document)
    : document_{std::move(document)},
      value_{&document_->root},
      path_{document_->kind == InputDocument::Kind::option ? document_->name : ""} {}

InputNode::InputNode(std::shared_ptr<const InputDocument> document, const InputValue* value,
                     std::string path)
    : document_{std::move(document)}, value_{value}, path_{std::move(path)} {}

std::string InputNode::position(const InputValue& where, std::string_view path) const {
  if (is_option()) return std::string{path};
  return fmt::format("{}:{}:{}: {}", document_->name, where.line, where.column,
                     path.empty() ? "top level" : path);
}

std::string InputNode::position() const {
  return position(*value_, path_);
}

void InputNode::fail_at(const InputValue& where, std::string_view path,
                        std::string_view message) const {
  throw ScenarioError{
      fmt::format("{}: {}", position(where, path), printable(message, longest_message))};
}

void InputNode::fail(std::string_view message) const {
  fail_at(*value_, path_, message);
}

void InputNode::fail(std::string_view problem, std::string_view expected) const {
  fail(fmt::format("{} (expected {})", problem, expected));
}

InputNode InputNode::child(std::size_t index, std::string path) const {
  return InputNode{document_, &value_->items[index], std::move(path)};
}

std::vector<InputNode> InputNode::items() const {
  if (!is_list()) fail("is not a list", "[a, b, ...], or a line \"- a\" for each");
  if (value_->items.empty()) fail("an empty list", "at least one value");
  std::vector<InputNode> nodes;
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    nodes.push_back(child(i, is_option() ? path_ : fmt::format("{}[{}]", path_, i)));
  }
  return nodes;
}

std::vector<InputNode> InputNode::items(std::string_view key) const {
  const auto list = find(key);
  return list ? list->items() : std::vector<InputNode>{};
}

std::vector<InputNode> InputNode::one_or_more() const {
  return is_list() ? items() : std::vector<InputNode>{*this};
}

std::string InputNode::path_of_key(std::string_view key) const {
  if (is_option()) return fmt::format("--{}", key);
  return path_.empty() ? printable(key) : fmt::format("{}.{}", path_, printable(key));
}

void InputNode::allow_keys(const std::vector<std::string_view>& keys) const {
  if (!is_map()) fail("is not a map", fmt::format("the keys {}", listed(keys, "and")));
  for (const InputValue& key : value_->keys) {
    if (std::ranges::find(keys, key.text) != keys.end()) continue;
    fail_at(
        key, path_of_key(key.text),
        fmt::format("unknown key{} (expected {})", suggestion(key.text, keys), listed(keys, "or")));
  }
}

void InputNode::allow_keys_of(std::string_view section) const {
  allow_keys(keys_of(section));
}

std::optional<InputNode> InputNode::find(std::string_view key) const {
  const auto found = std::ranges::find(value_->keys, key, &InputValue::text);
  if (!is_map() || found == value_->keys.end()) return std::nullopt;
  return child(static_cast<std::size_t>(found - value_->keys.begin()), path_of_key(key));
}

InputNode InputNode::require(std::string_view key, std::string_view expected) const {
  std::optional<InputNode> found = find(key);
  if (!found) {
    if (is_list() || !value_->text.empty()) {
      fail("is not a map", fmt::format("{}: {}", key, expected));
    }
    fail_at(*value_, path_of_key(key), fmt::format("missing (expected {})", expected));
  }
  return *std::move(found);
}

std::vector<InputNode::Entry> InputNode::entries() const {
  if (!is_map()) fail("is not a map", "a line \"name: value\" for each");
  if (value_->items.empty()) fail("an empty map", "at least one entry");
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    const std::string& key = value_->keys[i].text;
    if (key.empty()) fail_at(value_->keys[i], path_, "an empty key (expected a name)");
    entries.push_back({key, child(i, path_of_key(key))});
  }
  return entries;
}

}  // namespace ringcast
