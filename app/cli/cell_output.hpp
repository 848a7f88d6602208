#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output_options.hpp"
#include "app/common/kept_cells.hpp"
#include "app/common/signal_watch.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// The answer of a command whose cells may run for hours. While this lives, signals end the work,
/// not the process, and finished cells are kept beside --output until that has all of them.
class CellOutput {
 public:
  /// `settings`: what determines the outcomes besides the cells and the input files, which have
  /// been read.
  CellOutput(const OutputOptions& options, std::string_view settings);

  [[nodiscard]] KeptCells& kept() { return kept_; }

  /// Writes the finished rows. An incomplete answer never replaces a file of another run, and its
  /// cells stay beside the file.
  template <typename Answer>
  void write(const Answer& answer, bool complete) {
    if (!options_.output.empty()) {
      write_text(in_format(answer, format_of_file(options_.output)), complete);
    }
  }

 private:
  void write_text(const std::string& text, bool complete);

  SignalWatch signals_;
  const OutputOptions& options_;
  KeptCells kept_;
};

/// Whether the same run would fail in the same cells again: a cell that was killed or interrupted
/// may succeed.
[[nodiscard]] bool is_complete(const std::vector<FailedCell>& failures);
/// Prints a line on standard error unless the cell was interrupted.
void print_failure(const FailedCell& failure, std::string_view where = "");
/// Throws Interrupted where a signal has ended the work.
[[nodiscard]] int exit_code_for(const std::vector<FailedCell>& failures);

}  // namespace ringcast
