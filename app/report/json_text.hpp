#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "app/report/result.hpp"
#include "topology/routes/topology.hpp"

namespace ringcast {

// The parts that several kinds of result files share.

/// Bytes of names that are not UTF-8 become \xNN, as without_controls() prints them. All numbers
/// must be finite, here and in csv_of().
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& json, int indent = -1);

/// JSON objects with the keys of result files.
[[nodiscard]] nlohmann::ordered_json json_of(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json json_of(const Cell& cell);
[[nodiscard]] nlohmann::ordered_json json_of(const Row& row);
/// Without the row's cell.
[[nodiscard]] nlohmann::ordered_json json_of_outcome(const Row& row);
/// Adds KEY_low_s and KEY_high_s, null without a band.
void add_band(nlohmann::ordered_json& object, const std::string& key,
              const std::vector<Band>& band);
/// That of cluster_json() (show.hpp).
[[nodiscard]] nlohmann::ordered_json json_of(const Topology& topology);
/// All parameters of a cell in one line, and whether the program chose them: what it chose may
/// equal what the user gave, and only their protocols differ.
[[nodiscard]] std::string key_of(const Cell& cell);

/// Objects as CSV (RFC 4180): the keys of the first as columns, without lists; null is empty;
/// numbers have all their digits.
[[nodiscard]] std::string csv_of(const nlohmann::ordered_json& rows);

}  // namespace ringcast
