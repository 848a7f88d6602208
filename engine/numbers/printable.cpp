#include "engine/numbers/printable.hpp"

#include <fmt/format.h>

namespace ringcast {
namespace {

/// The bytes of the control character that `text` begins with; 0 for other characters. U+0080 to
/// U+009F, which some terminals obey as well, have two bytes in UTF-8.
std::size_t control_at(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) {
    return 1;
  }
  return text.size() > 1 && byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
}

}  // namespace

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t control = kept.find(text[0]) == kept.npos ? control_at(text) : 0;
    for (const char c : text.substr(0, control)) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    if (control == 0) {
      shown += text[0];
    }
    text.remove_prefix(control == 0 ? 1 : control);
  }
  return shown;
}

}  // namespace ringcast
