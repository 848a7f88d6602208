#pragma once

#include <vector>

#include "app/config/result_cell.hpp"
#include "app/report/json_object.hpp"

namespace ringcast {

// What the rows of all kinds have in common, from JSON.

/// The cell; its size stands under `size_key`.
[[nodiscard]] Cell cell_of(const JsonObject& row, const char* size_key);
[[nodiscard]] std::vector<LinkLoad> links_of(const JsonObject& row);

}  // namespace ringcast
