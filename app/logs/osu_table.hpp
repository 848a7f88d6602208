#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

using OsuWords = std::vector<std::string_view>;

/// "OSU MPI Allreduce Latency Test v5.6" of a line "# OSU ...", with any prefix of a launcher.
[[nodiscard]] std::optional<std::string> osu_title(const OsuWords& words);
/// The library of "OSU MPI-CUDA Allreduce ...": MPI, NCCL, RCCL, or xCCL where the title does not
/// say which *CCL ran; empty for another one.
[[nodiscard]] std::string_view osu_library(std::string_view title);
/// OSU MPI[-CUDA|-ROCM|...] Allreduce Latency Test, or that of NCCL; not the non-blocking one,
/// whose table differs.
[[nodiscard]] bool is_osu_allreduce(std::string_view title);

/// The columns of a table, from "# Size       Avg Latency(us)   Min Latency(us) ...".
struct OsuColumns {
  std::size_t prefix = 0;  // words of a launcher or a log file before the "#"
  std::size_t count = 0;
  std::optional<std::size_t> average, least, most, validation;
};
[[nodiscard]] std::optional<OsuColumns> osu_columns(const OsuWords& words);

/// The words of a row from its size on: without the prefix of the titles, or else without tags.
/// Empty if there is no size.
[[nodiscard]] OsuWords osu_row(const OsuWords& words, const OsuColumns& columns);
/// Whether all words are values of a table.
[[nodiscard]] bool are_osu_cells(std::span<const std::string_view> words);
/// Whether a line without a size ends in the times of a row; the table has an average.
[[nodiscard]] bool ends_like_osu_row(const OsuWords& words, const OsuColumns& columns);

}  // namespace ringcast
