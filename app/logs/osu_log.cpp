#include "app/logs/osu_log.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/config/yaml/input_node.hpp"
#include "app/logs/osu_table.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

std::optional<ElementType> mpi_type(std::string_view name) {
  struct Known {
    std::string_view name;
    ElementType type;
  };
  constexpr auto known = std::to_array<Known>({{"MPI_FLOAT", ElementType::float32},
                                               {"MPI_DOUBLE", ElementType::float64},
                                               {"MPI_INT", ElementType::int32}});
  const auto* const found = std::ranges::find(known, name, &Known::name);
  return found == known.end() ? std::nullopt : std::optional{found->type};
}

class OsuReader {
 public:
  OsuReader(const LogFile& log, const ImportOptions& options) : log_{log}, options_{options} {}

  void take(const LogLine& line) {
    const OsuWords words = words_of(line.text);
    if (auto title = osu_title(words)) {
      columns_.reset();
      type_.reset();
      title_ = std::move(*title);
      title_line_ = line.number;
      is_taken_ = is_osu_allreduce(title_) &&
                  (imported_.samples.empty() || imported_.transport == osu_library(title_));
      if (!is_taken_ && other_.empty()) {
        other_ = title_;
        other_line_ = line.number;
      }
    } else if (!is_taken_) {
      return;
    } else if (const auto type = std::ranges::find(words, "Datatype:");
               type != words.end() && type + 1 != words.end()) {
      const std::string_view name = *(type + 1);
      type_ = name.substr(0, name.find('.'));
    } else if (const auto columns = osu_columns(words)) {
      columns_ = columns;
      expect_average();
    } else if (columns_) {
      take_line(words, line);
    }
  }

  [[nodiscard]] ImportedLog result() && {
    if (imported_.samples.empty()) {
      refuse_nothing();
    }
    if (!other_.empty()) {
      imported_.remarks.add(
          "others", fmt::format("{}:{}: {}: left out", log_.name, other_line_, printable(other_)));
    }
    return std::move(imported_);
  }

 private:
  void expect_average() const {
    if (!columns_->average) {
      fail_at(log_, title_line_, "a table without \"Avg Latency(us)\"",
              "a table as osu_allreduce prints it");
    }
  }

  void take_line(const OsuWords& words, const LogLine& line) {
    const OsuWords row = osu_row(words, *columns_);
    if (row.empty()) {
      leave_out_what_ends_like_row(words, line);
    } else if (row.size() > columns_->count || !are_osu_cells({row.begin() + 1, row.end()})) {
      leave_out("odd", line, "the row does not fit its table and");
    } else {
      take_row(row, line);
    }
  }

  /// Other programs' lines need no remark.
  void leave_out_what_ends_like_row(const OsuWords& words, const LogLine& line) {
    if (!ends_like_osu_row(words, *columns_)) return;
    if (whole_number(words[words.size() - columns_->count])) {
      leave_out("tag", line, "the row begins with other words than its titles and");
    } else {
      leave_out("odd", line, "the row does not fit its table and");
    }
  }

  void take_row(const OsuWords& words, const LogLine& line) {
    // Times have two decimals; in a truncated file, the last one may have fewer.
    if (words.size() < columns_->count || !printed_number(words[*columns_->average]) ||
        (!line.ended && printed_number(words[*columns_->average])->digit > 0.011)) {
      leave_out("cut", line, "the row is not whole and");
      return;
    }
    const Bytes size{*whole_number(words.front())};
    if (size.count() % size_of(data_type()).count() != 0) {
      leave_out(
          "part", line,
          fmt::format("a row of {}, no whole number of {},", to_text(size), name_of(data_type())));
      return;
    }
    add(words, size, line.number);
  }

  /// "the row ... and"
  void leave_out(std::string_view kind, const LogLine& line, std::string_view row) {
    imported_.remarks.add(kind, fmt::format("{}:{}: {} is left out", log_.name, line.number, row));
  }

  void add(const OsuWords& words, Bytes size, int line) {
    const double micros = printed_number(words[*columns_->average])->value;
    expect_plausible(log_, line, micros);
    const auto time_in = [&](std::optional<std::size_t> column) {
      const auto number = column ? printed_number(words[*column]) : std::nullopt;
      return Seconds{(number ? number->value : micros) / 1e6};
    };
    Sample sample{ranks(), size, {data_type(), Operation::sum}, Seconds{micros / 1e6}};
    sample.time_min = time_in(columns_->least);
    sample.time_max = time_in(columns_->most);
    expect_plausible(log_, line, sample.time_max.count() * 1e6);
    if (sample.time_min > sample.time || sample.time_max < sample.time) {
      fail_at(log_, line, "the average is not between the least and the greatest time",
              "a row as osu_allreduce prints it");
    }
    if (columns_->validation) {
      sample.verified = words[*columns_->validation] == "Pass";
      if (!sample.verified) {
        imported_.remarks.add(
            "wrong", fmt::format("{}:{}: wrong values: the row is not verified", log_.name, line));
      }
    }
    imported_.samples.push_back(sample);
    imported_.transport = osu_library(title_);
  }

  [[nodiscard]] int ranks() const {
    if (!options_.ranks) {
      fail_at(log_, title_line_, "the log of osu_allreduce does not say how many ranks there were",
              "--ranks");
    }
    return *options_.ranks;
  }

  [[nodiscard]] ElementType data_type() const {
    if (options_.data_type) {
      return *options_.data_type;
    }
    const auto type = type_ ? mpi_type(*type_) : std::optional{ElementType::float32};
    if (!type) {
      fail_at(log_, title_line_, fmt::format("elements of {}", printable(*type_)),
              "MPI_FLOAT, MPI_DOUBLE or MPI_INT; --data-type float32 counts the bytes as float32");
    }
    return *type;
  }

  [[noreturn]] void refuse_nothing() const {
    for (const std::string& why : imported_.remarks.texts()) {
      throw ScenarioError{
          fmt::format("{}, and no row stays (expected rows such as 1048576  230.90)", why)};
    }
    if (!other_.empty()) {
      fail_at(log_, other_line_, printable(other_), "an OSU MPI Allreduce Latency Test");
    }
    throw ScenarioError{fmt::format(
        "{}: no rows of osu_allreduce (expected \"# OSU MPI Allreduce Latency Test ...\", a line "
        "\"# Size       Avg Latency(us)\", and rows such as 1048576  230.90)",
        log_.name)};
  }

  const LogFile& log_;
  const ImportOptions& options_;
  ImportedLog imported_;
  std::string title_;
  int title_line_ = 1;
  bool is_taken_ = false;  // the table of `title_`: an all-reduce of the first library
  std::optional<std::string> type_;
  std::optional<OsuColumns> columns_;
  std::string other_;
  int other_line_ = 1;
};

}  // namespace

ImportedLog read_osu(const LogFile& log, const ImportOptions& options) {
  if (options.in_place) {
    throw ScenarioError{fmt::format(
        "{}: --in-place: osu_allreduce has no in-place times (expected a log of nccl-tests)",
        log.name)};
  }
  OsuReader reader{log, options};
  for (const LogLine& line : log.lines) {
    reader.take(line);
  }
  return std::move(reader).result();
}

bool looks_like_osu(const LogFile& log) {
  return std::ranges::any_of(
      log.lines, [](const LogLine& line) { return osu_title(words_of(line.text)).has_value(); });
}

}  // namespace ringcast
