#include "app/config/cluster/class_lists.hpp"

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

}  // namespace ringcast::detail
