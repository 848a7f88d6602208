#include "engine/numbers/plain_spelling.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"

namespace ringcast {
namespace {

std::string with_plain_spaces(std::string_view text) {
  std::string plain{text};
  for (const std::string_view space : {"\u00a0", "\u2007", "\u2009", "\u202f"}) {
    for (auto at = plain.find(space); at != plain.npos; at = plain.find(space, at + 1)) {
      plain.replace(at, space.size(), " ");
    }
  }
  return std::string{trimmed(plain)};
}

/// The number of digits after `text[at]`; 0 unless there is one before it.
std::ptrdiff_t digits_after(std::string_view text, std::size_t at) {
  if (at == 0 || !is_digit(text[at - 1])) return 0;
  const std::string_view rest = text.substr(at + 1);
  return std::ranges::find_if_not(rest, is_digit) - rest.begin();
}

std::string without_groups(std::string_view text, std::string_view separators) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_separator = separators.find(text[i]) != separators.npos;
    if (!is_separator || digits_after(text, i) != 3) plain += text[i];
  }
  return plain;
}

}  // namespace

std::string plain_spelling(std::string_view text,
                           const std::function<bool(std::string_view)>& is_right) {
  const std::string plain = without_groups(with_plain_spaces(text), "_' ");
  const std::string without_commas = without_groups(plain, ",");
  std::string with_point = plain;
  const std::size_t comma = plain.find(',');
  const bool is_only_comma = comma != plain.npos && comma == plain.rfind(',');
  if (is_only_comma && digits_after(plain, comma) > 0) with_point[comma] = '.';
  std::string meant;
  for (const std::string& each : {without_commas, with_point}) {
    const bool is_repeated = !meant.empty() && each == without_commas;
    if (each == text || is_repeated || !is_right(each)) continue;
    meant += fmt::format("{}\"{}\"", meant.empty() ? ", did you mean " : " or ", each);
  }
  return meant.empty() ? meant : meant + "?";
}

}  // namespace ringcast
