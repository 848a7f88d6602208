#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

/// Draws result files with the Python package of `analysis/`. `kind` is auto, scaling, size,
/// links or comparison; `output` ends in .png, .svg or .pdf.
///
/// - Python: $RINGCAST_PYTHON alone where it is set; else python3 on the PATH, else
///   /usr/bin/python3; the first that has matplotlib. None: BackendUnavailable.
/// - A file or an option that the package refuses, or an output that is a result: ScenarioError
/// with the package's own line.
/// - $RINGCAST_ANALYSIS_DIR names the folder of the package; by default analysis/ of data_folder().
void run_plot(const std::vector<std::filesystem::path>& results,
              const std::filesystem::path& output, const std::string& kind);

/// A picture, `png`, `svg` or `pdf`, of a comparison of rings (ring_comparison.hpp) in JSON. Throws
/// as run_plot().
[[nodiscard]] std::string picture_of_rings(const std::string& json, const std::string& format);

}  // namespace ringcast
