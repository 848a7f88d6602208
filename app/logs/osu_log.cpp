#include "app/logs/osu_log.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/config/yaml/input_node.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using OsuWords = std::vector<std::string_view>;

/// "OSU MPI Allreduce Latency Test v5.6" of a line "# OSU ...", with what a launcher put before it.
std::optional<std::string> title_in(const OsuWords& words) {
  const auto sign = std::ranges::find(words, "#");
  if (sign == words.end() || sign + 1 == words.end() || *(sign + 1) != "OSU") {
    return std::nullopt;
  }
  return fmt::format("{}", fmt::join(sign + 1, words.end(), " "));
}

/// The library of a title, `OSU MPI-CUDA Allreduce Latency Test`; empty: of another program.
std::string_view library_in(std::string_view title) {
  for (const std::string_view library : {"MPI", "NCCL", "RCCL", "xCCL"}) {
    if (title.starts_with(fmt::format("OSU {}", library))) return library;
  }
  return {};
}

/// OSU MPI[-CUDA|-ROCM|...] Allreduce Latency Test; not the non-blocking one, whose table differs.
bool is_allreduce(std::string_view title) {
  return !library_in(title).empty() && title.find(" Allreduce Latency") != title.npos &&
         title.find("on-blocking") == title.npos && title.find("on-Blocking") == title.npos;
}

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

/// The columns of a table, from "# Size       Avg Latency(us)   Min Latency(us) ...".
struct Columns {
  std::size_t prefix = 0;  // words of a launcher before the titles
  std::size_t count = 0;
  std::optional<std::size_t> average, least, most, validation;
};

/// A title of two words, "Avg Latency(us)", is one column; the first word says which.
std::optional<Columns> columns_in(const OsuWords& words) {
  const auto size = std::ranges::find(words, "Size");
  if (size == words.begin() || size == words.end() || *(size - 1) != "#") {
    return std::nullopt;
  }
  Columns columns;
  columns.prefix = static_cast<std::size_t>(size - words.begin()) - 1;
  for (auto word = size; word != words.end(); ++word) {
    if (word->starts_with("Latency") || word->starts_with("Lat(") || *word == "Tail") {
      continue;
    }
    if (*word == "Avg") {
      columns.average = columns.count;
    } else if (*word == "Min") {
      columns.least = columns.count;
    } else if (*word == "Max") {
      columns.most = columns.count;
    } else if (*word == "Validation") {
      columns.validation = columns.count;
    }
    ++columns.count;
  }
  return columns;
}

bool are_cells(std::span<const std::string_view> words) {
  return std::ranges::all_of(words, [](std::string_view word) {
    return printed_number(word) || word == "Pass" || word == "Fail";
  });
}

/// Whether a word is a launcher's "0:", "[0]" or "[1,0]<stdout>:", or a timestamp.
bool is_tag(std::string_view word) {
  const bool is_stamp = word.front() >= '0' && word.front() <= '9' && !printed_number(word);
  return is_stamp || word.ends_with(':') || word.ends_with(']') || word.ends_with(')');
}

/// The words of a row without those of a launcher.
OsuWords without_prefix(OsuWords words, const Columns& columns) {
  const bool is_bare = words.size() == columns.count && are_cells(words);
  if (words.size() > columns.prefix && columns.prefix > 0 && !is_bare) {
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(columns.prefix));
    return words;
  }
  while (words.size() > 1 && is_tag(words.front())) {
    words.erase(words.begin());
  }
  return words;
}

/// Whether a line ends with the cells of a row.
bool ends_as_row(std::span<const std::string_view> words, const Columns& columns) {
  if (words.size() < columns.count) return false;
  const auto cells = words.last(columns.count);
  return whole_number(cells.front()) && are_cells(cells);
}

class OsuReader {
 public:
  OsuReader(const LogFile& log, const ImportOptions& options) : log_{log}, options_{options} {}

  void take(const LogLine& line) {
    const OsuWords words = words_of(line.text);
    if (auto title = title_in(words)) {
      columns_.reset();
      type_.reset();
      title_ = std::move(*title);
      title_line_ = line.number;
      is_other_ = !is_allreduce(title_) ||
                  (!imported_.samples.empty() && imported_.transport != library_in(title_));
      if (is_other_ && other_.empty()) {
        other_ = title_;
        other_line_ = line.number;
      }
    } else if (title_.empty() || is_other_) {
      return;
    } else if (const auto type = std::ranges::find(words, "Datatype:");
               type != words.end() && type + 1 != words.end()) {
      const std::string_view name = *(type + 1);
      type_ = name.substr(0, name.find('.'));
    } else if (const auto columns = columns_in(words)) {
      columns_ = columns;
      expect_average();
    } else if (columns_) {
      take_row(words, line);
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

  void take_row(const OsuWords& all, const LogLine& line) {
    const OsuWords words = without_prefix(all, *columns_);
    const auto size = words.empty() ? std::nullopt : whole_number(words.front());
    if (!size) {  // of some other program, unless it only begins otherwise
      if (ends_as_row(all, *columns_)) {
        leave_out("tag", line, "the row begins with other words than its titles and");
      }
      return;
    }
    if (words.size() > columns_->count || !are_cells({words.begin() + 1, words.end()})) {
      leave_out("odd", line, "the row does not fit its table and");
      return;
    }
    // Times have two decimals; in a truncated file, the last one may have fewer.
    if (words.size() < columns_->count || !printed_number(words[*columns_->average]) ||
        (!line.ended && printed_number(words[*columns_->average])->digit > 0.011)) {
      leave_out("cut", line, "the row is not whole and");
      return;
    }
    if (*size % size_of(data_type()).count() != 0) {
      leave_out("part", line,
                fmt::format("a row of {}, no whole number of {},", to_text(Bytes{*size}),
                            name_of(data_type())));
      return;
    }
    add(words, Bytes{*size}, line.number);
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
    imported_.transport = library_in(title_);
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
    if (!other_.empty()) {
      fail_at(log_, other_line_, printable(other_), "an OSU MPI Allreduce Latency Test");
    }
    for (const std::string& why : imported_.remarks.texts()) {
      throw ScenarioError{
          fmt::format("{}, and no row stays (expected rows such as 1048576  230.90)", why)};
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
  std::optional<std::string> type_;
  std::optional<Columns> columns_;
  bool is_other_ = false;  // the table of `title_` is left out
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
      log.lines, [](const LogLine& line) { return title_in(words_of(line.text)).has_value(); });
}

}  // namespace ringcast
