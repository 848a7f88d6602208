#include "app/config/cluster/host_reader.hpp"

#include <stdexcept>

#include "topology/import/host_list.hpp"

namespace ringcast {

std::vector<std::string> read_host_list(const InputNode& item, std::string_view expected) {
  try {
    return expand_host_list(item.text(expected));
  } catch (const std::invalid_argument& error) {
    item.fail(error.what(), expected);
  }
}

}  // namespace ringcast
