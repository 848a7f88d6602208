#include "topology/import/host_list.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/ranges.h>

#include "engine/numbers/ascii.hpp"

namespace ringcast {
namespace {

constexpr std::size_t most_names = 100'000;

std::uint64_t number_in_range(std::string_view text) {
  const auto value = number_of<std::uint64_t>(text);
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
  std::uint64_t first;
  std::uint64_t last;
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

namespace {

/// The digits of the last number before the host's domain, as a part of the name.
std::string_view number_in(const std::string& host) {
  constexpr std::string_view digits = "0123456789";
  const std::string_view label = std::string_view{host}.substr(0, host.find('.'));
  const std::size_t end = label.find_last_of(digits) + 1;
  const std::size_t begin = label.substr(0, end).find_last_not_of(digits) + 1;
  return label.substr(begin, end - begin);
}

}  // namespace

bool is_host_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_part = [&](char c) {
    return is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.';
  };
  const auto is_end = [&](char c) { return is_digit(c) || is_letter(c); };
  return !name.empty() && is_end(name.front()) && is_end(name.back()) &&
         std::ranges::all_of(name, is_part) && std::ranges::any_of(name, is_letter);
}

bool are_host_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end() &&
         std::ranges::all_of(names, is_host_name);
}

std::string next_host(const std::string& host) {
  const std::string_view digits = number_in(host);
  const auto number = number_of<std::uint64_t>(digits);
  if (!number) return "";
  const auto begin = static_cast<std::size_t>(digits.data() - host.data());
  return fmt::format("{}{:0{}}{}", host.substr(0, begin), *number + 1, digits.size(),
                     host.substr(begin + digits.size()));
}

std::string to_host_list(const std::vector<std::string>& hosts) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < hosts.size();) {
    std::size_t last = at;
    while (last + 1 < hosts.size() && hosts[last + 1] == next_host(hosts[last]))
      ++last;
    if (last == at) {
      parts.push_back(hosts[at]);
    } else {
      const std::string_view from = number_in(hosts[at]);
      const auto begin = static_cast<std::size_t>(from.data() - hosts[at].data());
      parts.push_back(fmt::format("{}[{}-{}]{}", hosts[at].substr(0, begin), from,
                                  number_in(hosts[last]), hosts[at].substr(begin + from.size())));
    }
    at = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace ringcast
