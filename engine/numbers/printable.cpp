#include "engine/numbers/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace ringcast {
namespace {

/// The first character of a text in UTF-8, or a byte that is part of none.
struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
  bool valid = false;
};

Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by bytes: not overlong
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) {
    return {1, lead, true};
  }
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc0 || lead >= 0xf8 || bytes > text.size()) {
    return {};
  }
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return {};
    }
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[bytes] || code > 0x10ffff || is_surrogate ? Character{}
                                                                : Character{bytes, code, true};
}

/// Ranges of code points without a glyph, first and last, ascending.
constexpr std::pair<std::uint32_t, std::uint32_t> hidden[] = {
    {0x00, 0x1f},      // controls of ASCII
    {0x7f, 0x9f},      // DEL, and the C1 controls
    {0xad, 0xad},      // soft hyphen
    {0x61c, 0x61c},    // text direction
    {0x180e, 0x180e},  // zero-width space
    {0x200b, 0x200b},  // zero-width space; 200C and 200D are used in words
    {0x200e, 0x200f},  // text direction
    {0x2028, 0x202e},  // line ends, text direction
    {0x2060, 0x2064},  // invisible operators
    {0x2066, 0x2069},  // text direction
    {0xfeff, 0xfeff},  // byte-order mark, zero-width space
    {0xfff9, 0xfffb},  // annotations
    {0xe0000, 0xe007f}};

bool is_hidden(std::uint32_t code) {
  const auto* const run =
      std::ranges::find_if(hidden, [code](const auto& each) { return code <= each.second; });
  return run != std::end(hidden) && run->first <= code;
}

}  // namespace

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const Character first = first_of(text);
    const bool is_kept = kept.find(text[0]) != kept.npos;
    if (is_kept || (first.valid && !is_hidden(first.code))) {
      shown += text.substr(0, first.bytes);
    } else {
      for (const char c : text.substr(0, first.bytes)) {
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(first.bytes);
  }
  return shown;
}

}  // namespace ringcast
