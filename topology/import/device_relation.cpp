// The words of a matrix of nvidia-smi.
#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "topology/import/topo_matrix.hpp"

namespace ringcast::detail {

namespace {

using Kind = DeviceRelation::Kind;

struct Token {
  std::string_view text;
  Kind kind;
};
constexpr Token tokens[] = {
    {"X", Kind::self},    {"PIX", Kind::pix}, {"PXB", Kind::pxb}, {"PHB", Kind::phb},
    {"NODE", Kind::node}, {"SYS", Kind::sys}, {"SOC", Kind::sys},
};

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  int number = 0;
  if (!text.starts_with(prefix) || text.size() == prefix.size()) {
    return std::nullopt;
  }
  const auto [end, error] =
      std::from_chars(text.data() + prefix.size(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole && number >= 0 ? std::optional{number} : std::nullopt;
}

}  // namespace

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream stream{line};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    if (!words.empty() || (word != "#" && word != ">")) {  // a comment or a quotation
      words.push_back(word);
    }
  }
  return words;
}

std::optional<DeviceRelation> relation_of(std::string_view word) {
  if (const auto links = number_after(word, "NV"); links && *links > 0 && *links <= 99) {
    return DeviceRelation{Kind::nvlink, *links};
  }
  const auto* const found = std::ranges::find(tokens, word, &Token::text);
  return found == std::end(tokens) ? std::nullopt : std::optional{DeviceRelation{found->kind}};
}

std::string name_of(const DeviceRelation& relation) {
  if (relation.kind == Kind::nvlink) {
    return fmt::format("NV{}", relation.links);
  }
  const auto* const found = std::ranges::find(tokens, relation.kind, &Token::kind);
  return found == std::end(tokens) ? "unknown" : std::string{found->text};
}

}  // namespace ringcast::detail
