#include "engine/numbers/printable.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace ringcast {
namespace {

/// What a text in UTF-8 begins with: a character, or one byte that is part of none.
struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
  bool valid = false;
};

Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by bytes: no longer form
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

/// Some terminals obey U+0080 to U+009F too. U+2028 and U+2029 end a line; U+061C, U+200E, U+200F,
/// U+202A to U+202E and U+2066 to U+2069 turn its direction.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x061c || code == 0x200e || code == 0x200f;
}

}  // namespace

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const Character first = first_of(text);
    const bool is_kept = kept.find(text[0]) != kept.npos;
    if (is_kept || (first.valid && !is_control(first.code))) {
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
