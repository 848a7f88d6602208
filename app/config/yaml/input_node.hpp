#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

/// The value of a file or an option as read: nothing converted, every position kept.
struct InputValue {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  std::string text;  // of a scalar
  int line = 1;      // line and column count from 1
  int column = 1;
  std::vector<InputValue> items;  // of a list, or a map's values
  std::vector<InputValue> keys;   // of a map: scalars, one for each item
};

/// Where values come from: a file, or one option of the command line.
struct InputDocument {
  enum class Kind { file, option };
  Kind kind = Kind::file;
  std::string name;  // `rails.yaml`, `--ranks`
  InputValue root;
};

/// A value with the name that a file has for it.
template <typename Value>
struct NamedValue {
  std::string_view name;
  Value value;
};
template <typename Value>
NamedValue(std::string_view, Value) -> NamedValue<Value>;

/// One value of a document together with its key path. Reading it converts and checks.
///
/// - Every failure is a ScenarioError of one line, `file:line:column: key: problem (expected ...)`;
///   a value of an option has no position: `--ranks: problem (expected ...)`.
/// - A node keeps its document alive.
class InputNode {
 public:
  explicit InputNode(std::shared_ptr<const InputDocument> document);
  /// An option's text: one scalar, or with `separator` a list of the scalars between separators.
  [[nodiscard]] static InputNode from_option(std::string option, std::string_view text);
  [[nodiscard]] static InputNode from_option_list(std::string option, std::string_view text);
  /// Options as the entries of a map: `--min`, `--max`, ...; those without a text are absent.
  struct OptionEntry {
    std::string key;
    const std::optional<std::string>& text;
  };
  [[nodiscard]] static InputNode from_options(std::initializer_list<OptionEntry> entries);

  [[nodiscard]] bool is_scalar() const { return value_->kind == InputValue::Kind::scalar; }
  [[nodiscard]] bool is_list() const { return value_->kind == InputValue::Kind::list; }
  [[nodiscard]] bool is_map() const { return value_->kind == InputValue::Kind::map; }
  [[nodiscard]] bool is_option() const { return document_->kind == InputDocument::Kind::option; }
  /// The name of the file or option.
  [[nodiscard]] const std::string& document_name() const { return document_->name; }
  /// The keys that lead to it: `nodes[0].count`; empty for the document itself.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// From 1; of an option's value, 1.
  [[nodiscard]] int line() const { return value_->line; }
  /// The position for messages: `rails.yaml:7:12: nodes[0].count`, or `--ranks`.
  [[nodiscard]] std::string position() const;
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const;
  /// For a message that already contains the expectation.
  [[noreturn]] void fail(std::string_view message) const;

  // Scalars.
  [[nodiscard]] std::string text(std::string_view expected = "a text") const;
  /// A text of one line, for headings.
  [[nodiscard]] std::string name() const;
  /// A whole number, of the type of `most`.
  template <std::integral Integer>
  [[nodiscard]] Integer integer(std::type_identity_t<Integer> least, Integer most) const {
    return static_cast<Integer>(
        whole_number(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
  }
  /// 1 to 1000000.
  [[nodiscard]] int count() const;
  /// 0 to 999999.
  [[nodiscard]] int index() const;
  [[nodiscard]] double number(double least, double most) const;
  /// `15%` or `15 %` as 0.15; the bounds are in percent.
  [[nodiscard]] double percentage(double least, double most) const;
  [[nodiscard]] bool truth() const;
  [[nodiscard]] Bytes size() const;
  [[nodiscard]] BytesPerSecond rate() const;
  [[nodiscard]] Seconds time() const;
  /// One of `names`; `what`: the word for them in messages, e.g. `kind`.
  [[nodiscard]] std::string one_of(std::string_view what,
                                   std::span<const std::string_view> names) const;
  /// One of the values of an enumeration, by its name_of().
  template <typename Enum, std::size_t count>
  requires std::is_enum_v<Enum>
  [[nodiscard]] Enum one_of(std::string_view what, const Enum (&values)[count]) const {
    const auto name = [](Enum value) { return name_of(value); };
    return *std::ranges::find(values, one_of(what, names_of(values, name)), name);
  }
  /// The value of one of these names.
  template <typename Value, std::size_t count>
  [[nodiscard]] Value one_of(std::string_view what,
                             const NamedValue<Value> (&values)[count]) const {
    const auto name = &NamedValue<Value>::name;
    return std::ranges::find(values, one_of(what, names_of(values, name)), name)->value;
  }
  /// `value`, the converted text, if it is within the bounds; else throws.
  template <typename Value>
  [[nodiscard]] Value within(Value value, Value least, Value most,
                             std::string_view expected) const {
    if (!(value >= least && value <= most)) fail_out_of_range(expected);
    return value;
  }

  // Lists. An empty list is refused.
  [[nodiscard]] std::vector<InputNode> items() const;
  /// A scalar or map counts as a list of one.
  [[nodiscard]] std::vector<InputNode> one_or_more() const;

  // Maps.
  /// Throws for a value that is not a map, and for unknown keys, with the nearest known one.
  void allow_keys(const std::vector<std::string_view>& keys) const;
  /// The same with the keys of a section of known_keys.hpp.
  void allow_keys_of(std::string_view section) const;
  [[nodiscard]] std::optional<InputNode> find(std::string_view key) const;
  [[nodiscard]] InputNode require(std::string_view key, std::string_view expected) const;
  /// The count under a key; 1 without it.
  [[nodiscard]] int count(std::string_view key) const;
  struct Entry;
  /// The items of the list under a key; none without it.
  [[nodiscard]] std::vector<InputNode> items(std::string_view key) const;
  /// All entries in the file's order; an empty map is refused.
  [[nodiscard]] std::vector<Entry> entries() const;

 private:
  InputNode(std::shared_ptr<const InputDocument> document, const InputValue* value,
            std::string path);
  [[nodiscard]] InputNode child(std::size_t index, std::string path) const;
  [[nodiscard]] std::string path_of_key(std::string_view key) const;
  [[nodiscard]] const InputValue& scalar(std::string_view expected) const;
  template <typename Number>
  [[nodiscard]] Number bounded(std::string_view kind, Number least, Number most) const;
  [[nodiscard]] std::int64_t whole_number(std::int64_t least, std::int64_t most) const;
  [[noreturn]] void fail_out_of_range(std::string_view expected) const;
  [[nodiscard]] std::string position(const InputValue& where, std::string_view path) const;
  [[noreturn]] void fail_at(const InputValue& where, std::string_view path,
                            std::string_view message) const;

  std::shared_ptr<const InputDocument> document_;
  const InputValue* value_;
  std::string path_;
};

struct InputNode::Entry {
  std::string key;
  InputNode value;
};

/// `text` for a message: in quotes, on one line, without control characters, cut when long.
[[nodiscard]] std::string in_quotes(std::string_view text);
/// The same without the quotes.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 60);

}  // namespace ringcast
