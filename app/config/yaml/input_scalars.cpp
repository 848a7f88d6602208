// The conversions of InputNode, from a scalar's text to values.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "engine/numbers/plain_spelling.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {

namespace {

constexpr int largest_count = 1'000'000;

template <typename Quantity>
Quantity parsed(const InputNode& node, std::string_view text, Quantity (*parse)(std::string_view)) {
  try {
    return parse(text);
  } catch (const ScenarioError& error) {
    node.fail(error.what());
  }
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return without_controls(text);
  const auto is_inside_character = [text](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
  };
  const std::size_t shortest = longest - std::min<std::size_t>(longest, 3);
  std::size_t end = longest;
  while (end > shortest && is_inside_character(end))
    --end;
  return without_controls(text.substr(0, end)) + "...";
}

std::string in_quotes(std::string_view text) {
  return fmt::format("\"{}\"", printable(text));
}

const InputValue& InputNode::scalar(std::string_view expected) const {
  switch (value_->kind) {
    case InputValue::Kind::nothing:
      fail("no value", expected);
    case InputValue::Kind::list:
      fail("is a list", expected);
    case InputValue::Kind::map:
      fail("is a map", expected);
    case InputValue::Kind::scalar:
      break;
  }
  if (value_->text.empty()) fail("an empty text", expected);
  return *value_;
}

void InputNode::fail_out_of_range(std::string_view expected) const {
  fail(fmt::format("{} is out of range", printable(value_->text)), expected);
}

std::string InputNode::text(std::string_view expected) const {
  return scalar(expected).text;
}

std::string InputNode::name() const {
  std::string name = text();
  if (name.find_first_of("\n\r") != std::string::npos) {
    fail(fmt::format("{} is not one line", in_quotes(name)), "a name without line breaks");
  }
  return name;
}

template <typename Number>
Number InputNode::bounded(std::string_view kind, Number least, Number most) const {
  const std::string expected = fmt::format("{} from {} to {}", kind, least, most);
  const std::string& text = scalar(expected).text;
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!is_number || std::isnan(static_cast<double>(number))) {
    const auto is_right = [](std::string_view plain) {
      return number_of<Number>(plain).has_value();
    };
    fail(fmt::format("{} is not {}{}", in_quotes(text), kind, plain_spelling(text, is_right)),
         expected);
  }
  if (error == std::errc::result_out_of_range) fail_out_of_range(expected);
  return within(number, least, most, expected);
}

std::int64_t InputNode::whole_number(std::int64_t least, std::int64_t most) const {
  return bounded("a whole number", least, most);
}

int InputNode::index() const {
  return integer(0, largest_count - 1);
}

int InputNode::count() const {
  return integer(1, largest_count);
}

int InputNode::count(std::string_view key) const {
  const auto found = find(key);
  return found ? found->count() : 1;
}

double InputNode::number(double least, double most) const {
  return bounded("a number", least, most);
}

double InputNode::percentage(double least, double most) const {
  const std::string expected = fmt::format("{}% to {}%", least, most);
  const std::string& text = scalar(expected).text;
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  const std::string_view unit{rest, static_cast<std::size_t>(end - rest)};
  if (error == std::errc{} && unit.empty() && percent >= 0) {
    // The user may have meant a fraction.
    const std::string other =
        percent > 0 && percent <= 1 ? fmt::format(" or \"{}%\"", 100 * percent) : "";
    fail(fmt::format("no percent sign in {}, did you mean \"{}%\"{}?", in_quotes(text),
                     printable(text), other),
         expected);
  }
  if (error != std::errc{} || (unit != "%" && unit != " %")) {
    const auto is_right = [](std::string_view plain) {
      return plain.ends_with('%') && number_of<double>(trimmed(plain.substr(0, plain.size() - 1)));
    };
    fail(fmt::format("{} is no percentage{}", in_quotes(text), plain_spelling(text, is_right)),
         expected);
  }
  return within(percent, least, most, expected) / 100;
}

bool InputNode::truth() const {
  const std::string& text = scalar("true or false").text;
  // The forms of YAML 1.2's core schema.
  const bool is_true = text == "true" || text == "True" || text == "TRUE";
  if (!is_true && text != "false" && text != "False" && text != "FALSE") {
    fail(fmt::format("{} is neither", in_quotes(text)), "true or false");
  }
  return is_true;
}

Bytes InputNode::size() const {
  return parsed(*this, scalar("a size, e.g. 64 MiB").text, parse_size);
}

BytesPerSecond InputNode::rate() const {
  return parsed(*this, scalar("a rate, e.g. 25 GB/s").text, parse_rate);
}

Seconds InputNode::time() const {
  return parsed(*this, scalar("a time, e.g. 5 us").text, parse_time);
}

std::string InputNode::one_of(std::string_view what,
                              std::span<const std::string_view> names) const {
  const std::string expected = listed(names, "or");
  const std::string& text = scalar(expected).text;
  for (const std::string_view name : names) {
    if (name == text) return text;
  }
  fail(fmt::format("unknown {} {}{}", what, in_quotes(text), suggestion(text, names)), expected);
}

}  // namespace ringcast
