// yaml_of(), on the parser of yaml-cpp.
#include <algorithm>
#include <istream>
#include <set>
#include <streambuf>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "app/config/yaml/yaml_reader.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

constexpr std::size_t deepest_level = 64;
/// A value takes 180 bytes. Ring orders of 131,072 ranks in 8 channels have a million values.
constexpr std::size_t most_values = 2'000'000;
/// The parser buffers tokens until it can emit an event: 240 bytes for each open bracket.
constexpr std::size_t longest_value = 1U << 20U;

/// Builds an InputValue from the parser's events rather than from its nodes: events show repeated
/// keys, aliases and tags, and nothing is expanded before it is checked.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, std::string_view text) : file_{std::move(file)}, text_{text} {}

  [[nodiscard]] bool has_root() const { return has_root_; }
  [[nodiscard]] std::size_t values() const { return values_; }
  [[nodiscard]] InputValue take_root() { return std::move(root_); }

  /// Refuses the next value.
  [[noreturn]] void fail_as_too_long() const {
    fail(last_, path(), fmt::format("a value longer than {} MiB follows", longest_value >> 20U),
         "a list with a line for each item: - ITEM");
  }

  /// Refuses the next value, whose text ends with the file.
  [[noreturn]] void fail_as_unclosed() const {
    fail(last_, path(), "a quote that is not closed follows", "a \" or ' at the end of the text");
  }

  [[noreturn]] void fail(const YAML::Mark& mark, std::string_view key, std::string_view problem,
                         std::string_view expected) const {
    throw ScenarioError{fmt::format("{}:{}:{}: {}: {} (expected {})", file_, mark.line + 1,
                                    mark.column + 1, key, problem, expected)};
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!has_root_) return;
    const auto at = std::min(static_cast<std::size_t>(mark.pos), text_.size());
    if (text_.substr(at).starts_with("---")) {
      fail(mark, "top level", "a second document", "one document per file");
    }
    fail(mark, "top level", "not part of the value above", "all keys in the column of the first");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    add(mark, InputValue::Kind::nothing, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, path(), "an alias", "the value itself; cables can be named under links");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_extras(mark, tag, anchor);
    add(mark, InputValue::Kind::scalar, text);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_extras(mark, tag, anchor);
    open(mark, InputValue::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_extras(mark, tag, anchor);
    open(mark, InputValue::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    InputValue value;
    std::set<std::string, std::less<>> keys;
  };

  void refuse_extras(const YAML::Mark& mark, std::string_view tag, YAML::anchor_t anchor) const {
    if (anchor != 0) {
      fail(mark, path(), "an anchor", "the value alone; cables can be named under links");
    }
    // The parser's own marks for plain and quoted scalars.
    const bool is_plain = tag.empty() || tag == "?" || tag == "!";
    if (!is_plain) fail(mark, path(), "a tag", "the value alone");
  }

  /// The key path of the next value.
  [[nodiscard]] std::string path() const {
    std::string text;
    for (const Level& level : levels_) {
      const InputValue& value = level.value;
      if (value.kind == InputValue::Kind::list) {
        text += fmt::format("[{}]", value.items.size());
      } else if (value.keys.size() > value.items.size()) {
        text += (text.empty() ? "" : ".") + printable(value.keys.back().text);
      }
    }
    return text.empty() ? "top level" : text;
  }

  [[nodiscard]] bool is_in_map() const {
    return !levels_.empty() && levels_.back().value.kind == InputValue::Kind::map;
  }

  [[nodiscard]] bool key_comes_next() const {
    return is_in_map() && levels_.back().value.keys.size() == levels_.back().value.items.size();
  }

  void add_key(const YAML::Mark& mark, InputValue key) {
    Level& map = levels_.back();
    if (key.kind != InputValue::Kind::scalar) {
      fail(mark, path(), "a key that is not a name", "name: value");
    }
    const bool is_new = map.keys.insert(key.text).second;
    map.value.keys.push_back(std::move(key));
    if (!is_new) fail(mark, path(), "repeated key", "each key once");
    if (map.value.keys.back().text == "<<")
      fail(mark, path(), "a merge key", "the keys themselves");
  }

  void count(const YAML::Mark& mark) {
    last_ = mark;
    if (++values_ > most_values) {
      fail(mark, path(), fmt::format("more than {} values", most_values), "a smaller file");
    }
  }

  void add(const YAML::Mark& mark, InputValue::Kind kind, std::string text) {
    count(mark);
    InputValue value{kind, std::move(text), mark.line + 1, mark.column + 1, {}, {}};
    if (key_comes_next()) {
      add_key(mark, std::move(value));
    } else {
      // The parser reports a missing value at the next word; its key is nearer to the mistake.
      if (kind == InputValue::Kind::nothing && is_in_map()) {
        value.line = levels_.back().value.keys.back().line;
        value.column = levels_.back().value.keys.back().column;
      }
      place(std::move(value));
    }
  }

  void open(const YAML::Mark& mark, InputValue::Kind kind) {
    count(mark);
    if (key_comes_next()) fail(mark, path(), "a key that is not a name", "name: value");
    if (levels_.size() == deepest_level) {
      fail(mark, "top level", "lists and maps too deep",
           fmt::format("at most {} levels", deepest_level));
    }
    levels_.push_back({InputValue{kind, "", mark.line + 1, mark.column + 1, {}, {}}, {}});
  }

  void close() {
    InputValue value = std::move(levels_.back().value);
    levels_.pop_back();
    place(std::move(value));
  }

  void place(InputValue value) {
    if (!levels_.empty()) {
      levels_.back().value.items.push_back(std::move(value));
      return;
    }
    root_ = std::move(value);
    has_root_ = true;
  }

  std::string file_;
  std::string_view text_;
  std::vector<Level> levels_;
  InputValue root_;
  bool has_root_ = false;
  std::size_t values_ = 0;
  YAML::Mark last_;
};

/// The input stream of the parser; throws if the parser reads more than longest_value without an
/// event.
class BoundedText final : public std::streambuf {
 public:
  BoundedText(std::string text, const TreeBuilder& tree) : text_{std::move(text)}, tree_{tree} {}

 protected:
  int_type underflow() override {
    constexpr std::size_t block = 1U << 16U;
    if (tree_.values() != values_) {
      values_ = tree_.values();
      begin_ = next_;
    }
    if (next_ - begin_ > longest_value) tree_.fail_as_too_long();
    const std::size_t count = std::min(block, text_.size() - next_);
    char* const first = text_.data() + next_;
    // The parser looks for a byte-order mark, and puts the characters back.
    setg(text_.data(), first, first + count);
    next_ += count;
    return count == 0 ? traits_type::eof() : traits_type::to_int_type(*first);
  }

 private:
  std::string text_;
  const TreeBuilder& tree_;
  std::size_t next_ = 0;
  std::size_t begin_ = 0;   // as far as the parser had read at its last new event
  std::size_t values_ = 0;  // of `tree_` then
};

/// The most likely mistake behind a message of yaml-cpp, which names a missing token.
std::string_view remedy_of(std::string_view message) {
  if (message.starts_with("end of map flow") || message.starts_with("end of sequence flow")) {
    return "a closing bracket, and quotes around a text with a colon: {source: \"see: this\"}";
  }
  if (message.starts_with("illegal map value")) {
    return "quotes around a text with a colon: \"see: this\"; and indentation with spaces";
  }
  if (message.starts_with("unknown token")) {
    return "quotes around a text that begins with @, %, ` or a tabulator";
  }
  if (message.starts_with("end of map not found")) {
    return "all keys of a map in the column of the first";
  }
  return "lines \"key: value\", indented with spaces";
}

}  // namespace

InputNode yaml_of(std::string name, const std::string& text) {
  TreeBuilder tree{name, text};
  // The parser takes a quote that is still open in white space at the end as closed.
  BoundedText bounded{text.substr(0, text.find_last_not_of(" \t\r\n") + 1), tree};
  std::istream stream{&bounded};
  stream.exceptions(std::ios::badbit);  // lets those of BoundedText through
  try {
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(tree)) {
    }
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::EOF_IN_SCALAR) tree.fail_as_unclosed();
    tree.fail(error.mark, "YAML", printable(error.msg), remedy_of(error.msg));
  }
  if (!tree.has_root()) {
    throw ScenarioError{fmt::format("{}: is empty (expected a YAML file)", name)};
  }
  return InputNode{std::make_shared<const InputDocument>(
      InputDocument{InputDocument::Kind::file, std::move(name), tree.take_root()})};
}

}  // namespace ringcast
