#include "app/config/cluster/class_lists.hpp"

#include <cmath>

#include <fmt/format.h>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

Classes classes_like(std::string_view prefix) {
  Classes names;
  for (const LinkClass& each : link_classes())
    if (each.name.starts_with(prefix)) names.push_back(each.name);
  return names;
}

Classes known_classes(Classes names) {
  std::erase_if(names, [](const std::string& name) { return find_link_class(name) == nullptr; });
  return names;
}

std::string one_decimal(double number) {
  const double tenths = std::round(number * 10);
  return std::abs(number * 10 - tenths) < 1e-6 ? fmt::format("{:.1f}", number) : "";
}

}  // namespace ringcast::detail
