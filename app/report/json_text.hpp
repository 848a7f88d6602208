#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/report/result.hpp"

namespace ringcast {

// The parts that all kinds of result files share.

/// A name may be any bytes; what is no UTF-8 in it is replaced, so that it does not cost the
/// result. All numbers must be finite, here and in csv_of().
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& json, int indent = -1);

/// JSON objects of the keys that a result file has for them.
[[nodiscard]] nlohmann::ordered_json json_of(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json json_of(const Cell& cell);
[[nodiscard]] nlohmann::ordered_json json_of(const Row& row);
/// All parameters of a cell in one line.
[[nodiscard]] std::string key_of(const Cell& cell);

/// The key of an input number's value: it ends in the unit.
[[nodiscard]] const char* value_key(Unit unit);

/// Objects as CSV (RFC 4180): the keys of the first as columns but for lists, null as nothing,
/// numbers with all their digits.
[[nodiscard]] std::string csv_of(const nlohmann::ordered_json& rows);

}  // namespace ringcast
