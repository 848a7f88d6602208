#include "app/config/cluster/likely_classes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/config/yaml/nearest_name.hpp"
#include "engine/numbers/ascii.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

using Names = std::vector<std::string_view>;

constexpr std::size_t most_listed = 6;
/// The length to which names are compared.
constexpr std::size_t most_letters = 64;

/// Whether it has a number other than that of a version, as in `RoCEv2`.
bool has_number(std::string_view text) {
  char before = ' ';
  for (const char c : text) {
    if (is_digit(c) && before != 'v') return true;
    before = c;
  }
  return false;
}

/// The family that `name` misspells: `ethernt`, but not NVLink for XeLink.
std::optional<std::string> family_like(std::string_view name, const Names& families) {
  const auto nearest = nearest_name(name, families);
  const std::size_t most_changed = name.size() < 9 ? 1 : 2;
  return nearest && edit_distance(name, *nearest) <= most_changed ? nearest : std::nullopt;
}

/// The classes of the family that the name begins with, possibly misspelled, else those with the
/// same ending (`-100g`).
Names classes_alike(const std::string& name) {
  const auto family_of = [](std::string_view text) { return text.substr(0, text.find('-')); };
  const auto end_of = [](std::string_view text) {
    return text.substr(std::min(text.rfind('-'), text.size()));
  };
  const Names classes = names_of(link_classes(), &LinkClass::name);
  Names families;
  for (const std::string_view each : classes)
    families.push_back(family_of(each));
  const auto meant = family_like(family_of(name), families);
  const bool says_unit = std::ranges::any_of(end_of(name), is_letter);  // else a generation: `-2`
  Names family;
  Names end;
  for (const std::string_view each : classes) {
    if (family_of(each) == meant) family.push_back(each);
    if (says_unit && end_of(each) == end_of(name)) end.push_back(each);
  }
  return family.empty() ? end : family;
}

/// By edit distance to the name if it has numbers; the later classes of the table first.
void sort_by_likelihood(Names& classes, std::string_view name) {
  std::ranges::reverse(classes);
  if (!has_number(name)) return;
  std::ranges::stable_sort(classes, {},
                           [&](std::string_view each) { return edit_distance(name, each); });
}

}  // namespace

std::string as_class_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool separates = c == ' ' || c == '_' || c == '-';
    if (!separates) {
      text += lower_case(c);
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  return text;
}

std::string likely_classes(std::string_view name, const LinkNames& names) {
  const std::string spelled = as_class_name(name.substr(0, most_letters));
  Names classes{names.classes.begin(), names.classes.end()};
  if (classes.empty()) classes = classes_alike(spelled);
  if (classes.empty()) {
    return "a class, e.g. pcie-5.0-x16, nvlink-4.0, upi-16, infiniband-ndr-4x or ethernet-100g";
  }
  if (classes.size() <= most_listed) return listed(classes, "or");
  sort_by_likelihood(classes, spelled);
  const std::string others = fmt::format("{} more", classes.size() - (most_listed - 1));
  classes.resize(most_listed - 1);
  classes.push_back(others);
  return listed(classes, "or");
}

}  // namespace ringcast
