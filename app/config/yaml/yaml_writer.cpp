#include "app/config/yaml/yaml_writer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/numbers/ascii.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {
namespace {

constexpr std::size_t longest_line = 100;

/// Whether a YAML parser reads the text as it is without quotes, also inside braces.
bool is_plain(std::string_view text) {
  constexpr std::array nulls{"null", "Null", "NULL"};
  const auto is_alphanumeric = [](char c) { return is_letter(c) || is_digit(c); };
  const auto is_allowed = [&](char c) {
    return is_alphanumeric(c) || std::string_view{" ._-+/%"}.find(c) != std::string_view::npos;
  };
  return !text.empty() && is_alphanumeric(text.front()) && text.back() != ' ' &&
         std::ranges::all_of(text, is_allowed) && std::ranges::find(nulls, text) == nulls.end();
}

std::string in_yaml_quotes(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      escaped += fmt::format("\\x{:02x}", code);
    } else {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return fmt::format("\"{}\"", escaped);
}

/// Names and sources are prose and always quoted.
std::string scalar_text(std::string_view text, std::string_view key = "") {
  const bool is_prose = key == "name" || key == "source";
  return is_plain(text) && !is_prose ? std::string{text} : in_yaml_quotes(text);
}

bool is_scalar(const InputValue& value) {
  return value.kind == InputValue::Kind::scalar;
}
bool is_scalar_or_list(const InputValue& value) {
  return is_scalar(value) ||
         (value.kind == InputValue::Kind::list && std::ranges::all_of(value.items, is_scalar));
}
bool is_flat(const InputValue& value) {
  return is_scalar_or_list(value) || (value.kind == InputValue::Kind::map &&
                                      std::ranges::all_of(value.items, is_scalar_or_list));
}

std::string flow_text(const InputValue& value, std::string_view key) {
  if (is_scalar(value)) return scalar_text(value.text, key);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const std::string_view name = value.keys.empty() ? "" : std::string_view{value.keys[i].text};
    const std::string prefix = value.keys.empty() ? "" : scalar_text(name) + ": ";
    parts.push_back(prefix + flow_text(value.items[i], name));
  }
  const bool is_list = value.kind == InputValue::Kind::list;
  return fmt::format("{}{}{}", is_list ? '[' : '{', fmt::join(parts, ", "), is_list ? ']' : '}');
}

class YamlText {
 public:
  explicit YamlText(const YamlRemarks& remarks) : remarks_{remarks} {}

  std::string write(const InputValue& map) {
    add_remarks("", 0);
    for (std::size_t i = 0; i < map.items.size(); ++i) {
      if (!is_scalar(map.items[i])) out_ += '\n';
      add_entry_at(map, i, "", 0);
    }
    return std::move(out_);
  }

 private:
  void add_remarks(const std::string& path, std::size_t indent) {
    const auto found = remarks_.above.find(path);
    if (found == remarks_.above.end()) return;
    for (const std::string& remark : found->second)
      out_ += fmt::format("{:{}}# {}\n", "", indent, without_controls(remark));
  }

  /// Writes one entry of a map. The first entry of a list's item follows the dash.
  void add_entry_at(const InputValue& map, std::size_t i, const std::string& of,
                    std::size_t indent) {
    const std::string& key = map.keys[i].text;
    const std::string path = of.empty() ? key : of + "." + key;
    if (!out_.ends_with("- ")) {
      add_remarks(path, indent);
      out_.append(indent, ' ');
    }
    out_ += scalar_text(key) + ":";
    add_value(map.items[i], key, path, indent);
  }

  /// Writes a value after its key or dash, which are indented by `indent`.
  void add_value(const InputValue& value, const std::string& key, const std::string& path,
                 std::size_t indent) {
    const std::size_t first_line = out_.size();
    const std::size_t column = first_line - (out_.rfind('\n') + 1);
    const bool is_section = indent == 0 && value.kind == InputValue::Kind::map;
    const std::string flow = is_flat(value) && !is_section ? " " + flow_text(value, key) : "";
    if (is_scalar(value) || (!flow.empty() && column + flow.size() <= longest_line)) {
      out_ += flow + "\n";
    } else if (value.kind == InputValue::Kind::list) {
      out_ += '\n';
      add_items(value, key, path, indent + 2);
    } else {
      out_ += out_.ends_with('-') ? ' ' : '\n';
      for (std::size_t i = 0; i < value.items.size(); ++i)
        add_entry_at(value, i, path, indent + 2);
    }
    if (const auto found = remarks_.beside.find(path); found != remarks_.beside.end()) {
      out_.insert(out_.find('\n', first_line), "  # " + without_controls(found->second));
    }
  }

  void add_items(const InputValue& list, const std::string& key, const std::string& of,
                 std::size_t indent) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string path = fmt::format("{}[{}]", of, i);
      add_remarks(path, indent);
      out_.append(indent, ' ') += '-';
      add_value(list.items[i], key, path, indent);
    }
  }

  const YamlRemarks& remarks_;
  std::string out_;
};

/// The first of the texts that is read back as the value; the last one always is.
template <typename Quantity>
InputValue exact(Quantity value, Quantity (*parse)(std::string_view),
                 const std::vector<std::string>& texts) {
  const auto found = std::find_if(texts.begin(), texts.end() - 1,
                                  [&](const std::string& text) { return parse(text) == value; });
  return yaml_value(*found);
}

}  // namespace

std::string yaml_text(const InputValue& map, const YamlRemarks& remarks) {
  return YamlText{remarks}.write(map);
}

InputValue yaml_value(std::string text) {
  return {.kind = InputValue::Kind::scalar, .text = std::move(text), .items = {}, .keys = {}};
}

InputValue yaml_value(int number) {
  return yaml_value(std::to_string(number));
}

InputValue yaml_value(Bytes size) {
  constexpr std::uint64_t mebi = 1U << 20U;
  const bool is_whole = size.count() % mebi == 0;
  return yaml_value(is_whole ? fmt::format("{} MiB", size.count() / mebi)
                             : fmt::format("{} B", size.count()));
}

InputValue yaml_value(BytesPerSecond rate) {
  return exact(rate, parse_rate,
               {to_text(rate), fmt::format("{:.15g} GB/s", rate.value() / 1e9),
                fmt::format("{} B/s", rate.value())});
}

InputValue yaml_value(Seconds time) {
  if (time == Seconds{0}) return yaml_value("0");
  return exact(time, parse_time,
               {to_text(time), fmt::format("{:.15g} us", time.count() * 1e6),
                fmt::format("{} us", time.count() * 1e6), fmt::format("{} s", time.count())});
}

InputValue yaml_list(std::vector<InputValue> items) {
  return {.kind = InputValue::Kind::list, .text = "", .items = std::move(items), .keys = {}};
}

InputValue yaml_map(const std::vector<YamlEntry>& entries) {
  InputValue map;
  for (const auto& [key, value] : entries) {
    if (value.kind == InputValue::Kind::nothing) continue;
    map.kind = InputValue::Kind::map;
    map.keys.push_back(yaml_value(key));
    map.items.push_back(value);
  }
  return map;
}

}  // namespace ringcast
