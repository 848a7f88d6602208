// The words of the matrix of `nvidia-smi topo -m`.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
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

}  // namespace

Words words_of_line(const std::string& line) {
  std::istringstream stream{line};
  Words words;
  for (std::string word; stream >> word;) {
    if (!words.empty() || (word != "#" && word != ">")) {  // marks of a comment or a quotation
      words.push_back(word);
    }
  }
  return words;
}

bool is_gpu_label(const std::string& word) {
  return word.starts_with("GPU") && word.size() > 3 &&
         word.find_first_not_of("0123456789", 3) == std::string::npos;
}

bool is_header(const Words& words) {
  return !words.empty() && is_gpu_label(words[0].substr(0, 4)) &&
         (words.size() == 1 || !relation_of(words[1]));
}

bool is_list_of_cpus(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789,-") == std::string::npos;
}

bool continues_affinities(const Words& words) {
  return !words.empty() && std::ranges::all_of(words, [](const std::string& word) {
    return word == "N/A" || is_list_of_cpus(word);
  });
}

namespace {

constexpr std::string_view blanks = " \t\r";

/// The tag before the columns, such as "node-1:" or "[1,0]<stdout>:"; empty: none.
std::string tag_of(std::span<const std::string> lines) {
  for (const std::string& line : lines) {
    const std::size_t column = line.find("GPU0");
    if (column == std::string::npos) continue;
    const std::string_view before = trimmed(std::string_view{line}.substr(0, column), blanks);
    if (before.ends_with(':') && before.find_first_of(blanks) == before.npos) {
      return std::string{before};
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> untagged(std::span<const std::string> lines, std::string& remark) {
  const std::string tag = tag_of(lines);
  std::vector<std::string> texts{lines.begin(), lines.end()};
  if (tag.empty()) return texts;
  for (std::string& text : texts) {
    const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
    if (text.compare(first, tag.size(), tag) == 0) {
      text.erase(0, first + tag.size());
    } else {
      if (first < text.size()) remark = "only the lines that begin with " + tag + " are read";
      text.clear();
    }
  }
  return texts;
}

std::string_view expected_instead_of(std::string_view word) {
  if (word == "OK" || word == "CNS" || word == "GNS" || word == "TNS") {
    return "the matrix of nvidia-smi topo -m, not of -p2p";
  }
  if (word == "XGMI" || word == "PCIE" ||
      word.find_first_not_of("0123456789") == std::string_view::npos) {
    return "the matrix of nvidia-smi topo -m; that of rocm-smi is not supported, but the topology "
           "file of RCCL is, by NCCL_TOPO_DUMP_FILE: ringcast import nccl-xml";
  }
  return "X, NV#, PIX, PXB, PHB, NODE or SYS";
}

std::optional<DeviceRelation> relation_of(std::string_view word) {
  if (word.starts_with("NV")) {
    const unsigned links = number_of<unsigned>(word.substr(2)).value_or(0);
    if (links > 0 && links <= 99) return DeviceRelation{Kind::nvlink, static_cast<int>(links)};
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
