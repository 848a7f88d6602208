#include "app/logs/import_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/config/yaml/nearest_name.hpp"
#include "app/logs/nccl_tests_log.hpp"
#include "app/logs/osu_log.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// To add a format, add a line.
struct Format {
  std::string_view name;
  ImportedLog (*read)(const LogFile& log, const ImportOptions& options);
  bool (*looks_like)(const LogFile& log);
  bool (*is_surely)(const LogFile& log);  // so that another format's reader names this one
};
constexpr auto formats = std::to_array<Format>({
    {"nccl-tests", read_nccl_tests, looks_like_nccl_tests, has_nccl_tests_rows},
    {"osu", read_osu, looks_like_osu, looks_like_osu},
});

std::optional<std::string> gpus_of(const ImportedLog& log) {
  return log.devices.empty() ? std::nullopt : std::optional{log.devices};
}

ImportedFile import_as(const LogFile& log, const Format& format, const ImportOptions& options) {
  ImportedLog imported = format.read(log, options);
  ImportedFile file;
  file.result.provenance = {.program_version = program_version(),
                            .scenario = std::filesystem::path{log.name}.filename().string(),
                            .scenario_file = log.name,
                            .scenario_sha256 = log.sha256,
                            .cluster = imported.devices,
                            .backend = std::string{format.name},
                            .host = imported.hosts,
                            .gpus = gpus_of(imported),
                            .started_at = "",
                            .simulated = false};
  file.result.rows = rows_of(imported.samples, imported.transport);
  file.remarks = imported.remarks.texts();
  file.has_wrong_sums = imported.remarks.has("wrong");
  return file;
}

const Format* format_of(const LogFile& log) {
  const auto* const found =
      std::ranges::find_if(formats, [&](const Format& format) { return format.looks_like(log); });
  return found == formats.end() ? nullptr : found;
}

bool is_json(const LogFile& log) {
  const std::size_t first = log.text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && log.text[first] == '{';
}

void refuse_json_of_nccl_tests(const LogFile& log) {
  if (is_json(log) && log.text.find("\"out_of_place\"") != std::string::npos) {
    throw ScenarioError{fmt::format(
        "{}: JSON of nccl-tests, by -J (expected the table that it prints on standard output)",
        log.name)};
  }
}

}  // namespace

const std::vector<std::string_view>& log_formats() {
  static const std::vector<std::string_view> names = names_of(formats, &Format::name);
  return names;
}

ImportedFile import_log(const std::filesystem::path& file, std::string_view format,
                        const ImportOptions& options) {
  return import_log(read_log(file, fmt::format("a log of {}", format)), format, options);
}

ImportedFile import_log(const LogFile& log, std::string_view format, const ImportOptions& options) {
  refuse_json_of_nccl_tests(log);
  const auto* const chosen = std::ranges::find(formats, format, &Format::name);
  expect(chosen != formats.end(), "no format {}", format);
  const auto* const other =
      std::ranges::find_if(formats, [&](const Format& known) { return known.is_surely(log); });
  if (other != formats.end() && !chosen->looks_like(log)) {
    throw ScenarioError{fmt::format("{}: no {} rows, but {}'s (expected ringcast import {} {})",
                                    log.name, format, other->name, other->name, log.name)};
  }
  return import_as(log, *chosen, options);
}

std::optional<std::string_view> log_format_of(const std::filesystem::path& file) {
  if (file.extension() == ".yaml") return std::nullopt;
  try {
    const Format* const format = format_of(read_log(file, "a log"));
    return format == nullptr ? std::nullopt : std::optional{format->name};
  } catch (const ScenarioError&) {  // no text
    return std::nullopt;
  }
}

ImportedFile read_result(const std::filesystem::path& file, const ImportOptions& options) {
  const LogFile log = read_log(file, "a result file or a log");
  refuse_json_of_nccl_tests(log);
  if (is_json(log)) {
    return {.result = result_from_json(log.text, log.name), .remarks = {}, .is_log = false};
  }
  if (const Format* const format = format_of(log)) return import_as(log, *format, options);
  throw ScenarioError{fmt::format(
      "{}: neither a result nor a log (expected JSON that ringcast wrote with --output, or what "
      "all_reduce_perf or osu_allreduce printed)",
      log.name)};
}

}  // namespace ringcast
