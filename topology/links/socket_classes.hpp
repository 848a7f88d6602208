#pragma once

#include <string_view>
#include <vector>

#include "topology/links/link_class.hpp"

namespace ringcast::detail {

/// Adds the links between the sockets of a host to a table that has NVLink, without the
/// measurements of the published set `left_out`.
void add_socket_links(std::vector<LinkClass>& table, std::string_view left_out);

}  // namespace ringcast::detail
