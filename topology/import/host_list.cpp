// Lists of host names as Slurm writes them: "a[1-3,07],b".
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
#include "topology/import/slurm_topology.hpp"

namespace ringcast::detail {
namespace {

constexpr std::size_t most_names = 100'000;

unsigned number_in_range(std::string_view text) {
  const auto value = number_of<unsigned>(text);
  if (!value) throw std::invalid_argument{fmt::format("\"{}\" is no number", text)};
  return *value;
}

int bracket(char c) {
  return c == '[' ? 1 : c == ']' ? -1 : 0;
}

/// Splits at commas outside brackets.
std::vector<std::string_view> parts_of_list(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i == list.size() ? ',' : list[i];
    depth += bracket(c);
    if (depth < 0 || depth > 1 || (i == list.size() && depth != 0)) {
      throw std::invalid_argument{fmt::format("brackets of \"{}\" do not match", list)};
    }
    if (c == ',' && depth == 0) {
      if (i > begin) parts.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

struct Numbers {
  unsigned first;
  unsigned last;
  std::size_t digits;
};

/// "07-12" or "7"
Numbers numbers_of(std::string_view range) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  const Numbers numbers{number_in_range(first), number_in_range(last), first.size()};
  if (numbers.first > numbers.last) {
    throw std::invalid_argument{fmt::format("the range {} falls", range)};
  }
  return numbers;
}

/// Appends each number of "1-3,07" to each name.
std::vector<std::string> with_numbers(const std::vector<std::string>& names,
                                      std::string_view ranges) {
  const std::vector<std::string_view> parts = parts_of_list(ranges);
  if (parts.empty()) throw std::invalid_argument{"brackets without a number"};
  std::vector<std::string> all;
  for (const std::string& name : names) {
    for (const std::string_view range : parts) {
      const auto [first, last, digits] = numbers_of(range);
      for (std::uint64_t number = first; number <= last; ++number) {
        if (all.size() == most_names) {
          throw std::invalid_argument{fmt::format("more than {} names", most_names)};
        }
        all.push_back(fmt::format("{}{:0{}}", name, number, digits));
      }
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> expand_host_list(std::string_view list) {
  std::vector<std::string> all;
  for (std::string_view part : parts_of_list(list)) {
    std::vector<std::string> names{""};
    while (!part.empty()) {
      const std::size_t bracket = std::min(part.find('['), part.size());
      for (std::string& name : names) {
        name += part.substr(0, bracket);
      }
      part.remove_prefix(bracket);
      if (!part.empty()) {
        const std::size_t end = part.find(']');
        names = with_numbers(names, part.substr(1, end - 1));
        part.remove_prefix(end + 1);
      }
    }
    all.insert(all.end(), names.begin(), names.end());
    if (all.size() > most_names) {
      throw std::invalid_argument{fmt::format("more than {} names", most_names)};
    }
  }
  return all;
}

}  // namespace ringcast::detail
