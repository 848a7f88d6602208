#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/output_options.hpp"
#include "app/common/kept_cells.hpp"
#include "app/common/signal_watch.hpp"
#include "app/report/result.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

/// The output of a command whose cells may run for hours. While this exists, signals end the work,
/// not the process, and finished cells are kept in OUTPUT.partial until --output is complete.
class CellOutput {
 public:
  /// To be constructed after the inputs were read. `settings`: what determines the outcomes besides
  /// the cells and the input files.
  CellOutput(const OutputOptions& options, std::string_view settings);

  [[nodiscard]] KeptCells& kept() { return kept_; }

  /// Prints a line about the output of a run that did not finish, if there is one.
  void say_incomplete(std::string_view state) const;
  /// Writes the finished rows. An incomplete answer never replaces the file of another run, and its
  /// cells are kept. An answer that cannot be written is printed, even with --quiet.
  template <typename Answer>
  void write(const Answer& answer, bool complete) {
    if (options_.output.empty()) return;
    try {
      write_text(in_format(answer, format_of_file(options_.output)), complete);
    } catch (const ScenarioError&) {
      print_output(in_format(answer, options_.format));  // its cells may be kept nowhere
      throw;
    }
  }

 private:
  void write_text(const std::string& text, bool complete);

  SignalWatch signals_;
  const OutputOptions& options_;
  KeptCells kept_;
};

/// Whether another run would have the same failures: a cell that was killed or interrupted may
/// succeed then.
[[nodiscard]] bool is_complete(const std::vector<FailedCell>& failures);
/// Prints a line on standard error unless the cell was interrupted.
void print_failure(const FailedCell& failure, std::string_view where = "");
/// Throws Interrupted if a signal has ended the work.
[[nodiscard]] int exit_code_for(const std::vector<FailedCell>& failures);

}  // namespace ringcast
