#pragma once

#include <string_view>
#include <vector>

namespace ringcast {

/// A kind of map in the input files, with all its keys. scenarios/README.md has a section of the
/// same name for each.
struct KeyTable {
  std::string_view section;
  std::vector<std::string_view> keys;
};

[[nodiscard]] const std::vector<KeyTable>& key_tables();
/// The keys of one section.
[[nodiscard]] const std::vector<std::string_view>& keys_of(std::string_view section);

}  // namespace ringcast
