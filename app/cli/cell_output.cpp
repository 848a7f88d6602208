#include "app/cli/cell_output.hpp"

#include <fmt/format.h>

#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr std::string_view written_note = "digest of the output";

KeptCells kept_beside(const OutputOptions& options, std::string_view settings) {
  const auto plan = plan_digest(settings);
  return options.output.empty() || is_special(options.output) || !plan
             ? KeptCells{}
             : KeptCells{options.output, *plan, options.fresh};
}

bool was_interrupted(const FailedCell& failure) {
  return failure.exit_code == Interrupted::code;
}

/// Whether the input determines the failure; a cell that was killed may succeed in another run.
bool is_final(const FailedCell& failure) {
  return failure.exit_code == ScenarioError::code || failure.exit_code == WrongResult::code;
}

}  // namespace

CellOutput::CellOutput(const OutputOptions& options, std::string_view settings)
    : options_{options}, kept_{kept_beside(options, settings)} {}

void CellOutput::write_text(const std::string& text, bool complete) {
  const std::string& output = options_.output;
  if (complete || is_special(output)) {
    write_file(output, text);
    kept_.remove();
    return;
  }
  // The rows of an earlier incomplete answer to this plan are in this one too.
  const auto old = digest_if_there(output);
  const bool replaces = !old || old == kept_.find_note(written_note);
  if (replaces) {
    write_file(output, text);
    kept_.keep_note(written_note, sha256_of_bytes(text));
  }
  say_incomplete(replaces ? "not complete" : "left as it was, since this run did not finish");
}

void CellOutput::say_incomplete(std::string_view state) const {
  if (options_.output.empty()) return;
  print_message(
      fmt::format("ringcast: {}: {}{}\n", options_.output, state,
                  kept_.file().empty() ? "" : "; the same command takes up the finished cells"));
}

bool is_complete(const std::vector<FailedCell>& failures) {
  return std::ranges::all_of(failures, is_final);
}

void print_failure(const FailedCell& failure, std::string_view where) {
  if (!was_interrupted(failure)) {
    print_message(fmt::format("ringcast: {}{}: {}\n", where, to_text(failure.cell), failure.error));
  }
}

int exit_code_for(const std::vector<FailedCell>& failures) {
  if (std::ranges::any_of(failures, was_interrupted)) {
    throw Interrupted{};
  }
  return failures.empty() ? 0 : failures.front().exit_code;
}

}  // namespace ringcast
