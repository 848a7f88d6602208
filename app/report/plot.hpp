#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringcast {

/// Draws result files with the Python package of `analysis/`. `kind`: as
/// --kind; `output` ends in .png, .svg or .pdf.
///
/// - Python: $RINGCAST_PYTHON if it is set; else the first of python3 on the PATH and
///   /usr/bin/python3 that has matplotlib. Throws BackendUnavailable if there is none.
/// - Throws ScenarioError with the package's message for a file or an option that it refuses, and
///   for an output that is one of the results.
/// - $RINGCAST_ANALYSIS_DIR names the folder of the package; by default analysis/ of data_folder().
void run_plot(const std::vector<std::filesystem::path>& results,
              const std::filesystem::path& output, const std::string& kind);

/// A picture, `png`, `svg` or `pdf`, of a comparison of rings (ring_comparison.hpp) in JSON. Throws
/// as run_plot().
[[nodiscard]] std::string picture_of_rings(const std::string& json, const std::string& format);

}  // namespace ringcast
