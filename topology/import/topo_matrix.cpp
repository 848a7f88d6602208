// Reads the matrix that `nvidia-smi topo -m` prints:
//
//           GPU0  GPU1  NIC0  CPU Affinity  NUMA Affinity
//   GPU0     X    NV12  PIX   0-23          0
//   GPU1    NV12   X    PXB   0-23          0
//   NIC0    PIX   PXB    X
//
//   NIC Legend:
//     NIC0: mlx5_0
//
// Cells are words with any separators: a row is the name of a device, as many cells as there are
// devices, then affinities. The columns are words, too, up to the first word of another heading.
#include "topology/import/topo_matrix.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast::detail {

namespace {

using Kind = DeviceRelation::Kind;

/// At most this many devices: a node has some tens.
constexpr std::size_t most_devices = 256;

bool begins_heading(const std::string& word) {
  return word == "CPU" || word == "NUMA" || word == "GPU";
}

class MatrixReader {
 public:
  MatrixReader(const std::string& name, std::vector<Words> lines)
      : name_{name}, lines_{std::move(lines)} {}

  TopoMatrix read() {
    read_header();
    read_rows();
    fill_missing();
    check_symmetry();
    read_legend();
    return std::move(matrix_);
  }

 private:
  [[noreturn]] void refuse(std::size_t line, const std::string& problem) const {
    throw ScenarioError{fmt::format("{}:{}: {}", name_, line + 1, problem)};
  }

  /// The columns: device names, on one line or, if a terminal wrapped it, up to the first row.
  void read_header() {
    while (at_ < lines_.size() && !is_header(lines_[at_])) {
      ++at_;
    }
    if (at_ == lines_.size()) {
      throw ScenarioError{fmt::format(
          "{}: no matrix (expected what nvidia-smi topo -m prints, from the line of GPU0 GPU1 on)",
          name_)};
    }
    header_ = at_;
    bool in_columns = true;
    do {
      for (const std::string& word : lines_[at_]) {
        in_columns = in_columns && !begins_heading(word);
        if (in_columns) add_devices(word);
      }
      ++at_;
    } while (at_ < lines_.size() && !is_row_of_column(lines_[at_]));
    const std::size_t count = matrix_.devices.size();
    matrix_.relations.assign(count, std::vector<DeviceRelation>(count));
    row_line_.assign(count, std::nullopt);
  }

  /// Adds the devices of a word; if tabs are lost, this may be GPU0GPU1mlx5_0.
  void add_devices(std::string word) {
    while (!word.empty()) {
      const bool gpu = word.starts_with("GPU");
      const std::size_t end = gpu ? word.find_first_not_of("0123456789", 3) : word.size();
      add_device(word.substr(0, end));
      word.erase(0, end);
    }
  }

  void add_device(const std::string& label) {
    if (find(label)) {
      refuse(at_, fmt::format("column {} is repeated (expected each device once)", label));
    }
    if (matrix_.devices.size() == most_devices) {
      refuse(at_,
             fmt::format("more than {} devices (expected those of one machine)", most_devices));
    }
    matrix_.devices.push_back({label, is_gpu_label(label), label, ""});
  }

  [[nodiscard]] std::optional<std::size_t> find(const std::string& label) const {
    const auto found = std::ranges::find(matrix_.devices, label, &TopoMatrix::Device::label);
    return found == matrix_.devices.end()
               ? std::nullopt
               : std::optional{static_cast<std::size_t>(found - matrix_.devices.begin())};
  }

  [[nodiscard]] bool is_row_of_column(const Words& words) const {
    return words.size() > 1 && find(words[0]);
  }

  /// Also a row of a GPU without a column.
  [[nodiscard]] bool is_row(const Words& words) const {
    return words.size() > 1 && (find(words[0]) || is_gpu_label(words[0])) &&
           !is_gpu_label(words[1]);
  }

  void read_rows() {
    while (at_ < lines_.size() && is_row(lines_[at_])) {
      const std::size_t line = at_++;
      Words words = lines_[line];
      const auto row = find(words[0]);
      if (!row) {
        refuse(line, fmt::format("a row of {}, which has no column (expected one of {} devices)",
                                 words[0], matrix_.devices.size()));
      }
      if (row_line_[*row]) {
        refuse(line, fmt::format("a second row of {} (expected one)", words[0]));
      }
      // A terminal may have wrapped the row.
      while (words.size() <= matrix_.devices.size() && at_ < lines_.size() &&
             !is_row(lines_[at_]) && relation_begins(lines_[at_])) {
        words.insert(words.end(), lines_[at_].begin(), lines_[at_].end());
        ++at_;
      }
      row_line_[*row] = line;
      read_row(*row, line, with_split_cells(words));
      while (at_ < lines_.size() && continues_affinities(lines_[at_])) {
        ++at_;
      }
    }
    if (std::ranges::none_of(row_line_, [](const auto& line) { return line.has_value(); })) {
      refuse(header_, "columns without rows (expected a row for each device)");
    }
  }

  /// A terminal that wraps a line may drop the tab there: PIXNODE is two cells.
  [[nodiscard]] Words with_split_cells(const Words& words) const {
    Words cells;
    for (const std::string& word : words) {
      std::size_t end = word.size();
      while (end > 1 && cells.size() <= matrix_.devices.size() && !relation_of(word) &&
             !(relation_of(word.substr(0, end)) && relation_of(word.substr(end)))) {
        --end;
      }
      if (end > 1 && end < word.size()) {
        cells.push_back(word.substr(0, end));
        cells.push_back(word.substr(end));
      } else {
        cells.push_back(word);
      }
    }
    return cells;
  }

  static bool relation_begins(const Words& words) {
    return !words.empty() && relation_of(words[0]).has_value();
  }

  void read_row(std::size_t row, std::size_t line, const Words& words) {
    const std::size_t count = matrix_.devices.size();
    for (std::size_t column = 0; column < count; ++column) {
      if (column + 1 >= words.size()) {
        const bool is_last = at_ >= lines_.size() || lines_[at_].empty();
        if (is_last) {
          return;  // the file ends here: other rows may have these relations
        }
        refuse(line, fmt::format("row {} has {} of {} cells (expected one for each column)",
                                 words[0], words.size() - 1, count));
      }
      const std::string& word = words[column + 1];
      const auto relation = relation_of(word);
      if (!relation) {
        refuse_relation(line, words[0], word);
      }
      if ((relation->kind == Kind::self) != (row == column)) {
        refuse(line, fmt::format("row {}: {} in the column of {} (expected X there only where a "
                                 "device meets itself)",
                                 words[0], word, matrix_.devices[column].label));
      }
      matrix_.relations[row][column] = *relation;
    }
    if (words.size() > count + 1 && relation_of(words[count + 1])) {
      refuse(line, fmt::format("row {} has more than {} cells (expected one for each column)",
                               words[0], count));
    }
    read_affinity(row, {words.begin() + static_cast<std::ptrdiff_t>(count) + 1, words.end()});
  }

  [[noreturn]] void refuse_relation(std::size_t line, const std::string& row,
                                    const std::string& word) const {
    refuse(line, fmt::format("row {}: unknown relation \"{}\" (expected {})", row, word,
                             expected_instead_of(word)));
  }

  /// CPUs ("0-23,48-71"), then the NUMA node ("1" or "N/A"). The NUMA node is preferred, as
  /// terminals cut lists of CPUs.
  void read_affinity(std::size_t row, const Words& words) {
    std::string& affinity = matrix_.devices[row].affinity;
    if (words.size() > 1 && is_list_of_cpus(words[1])) {
      affinity = "NUMA " + words[1];
    } else if (!words.empty() && is_list_of_cpus(words[0])) {
      affinity = "CPUs " + words[0];
    }
  }

  void fill_missing() {
    const std::size_t count = matrix_.devices.size();
    bool filled = false;
    for (std::size_t a = 0; a < count; ++a) {
      matrix_.relations[a][a].kind = Kind::self;
      for (std::size_t b = 0; b < count; ++b) {
        DeviceRelation& cell = matrix_.relations[a][b];
        if (cell.kind != Kind::unknown) {
          continue;
        }
        cell = matrix_.relations[b][a];
        filled = true;
        const bool needed = matrix_.devices[a].is_gpu || matrix_.devices[b].is_gpu;
        if (cell.kind == Kind::unknown && needed) {
          refuse(row_line_[a].value_or(header_),
                 fmt::format("nothing about {} and {} (expected a row of one of them, in "
                             "lines that no terminal has cut or wrapped)",
                             matrix_.devices[a].label, matrix_.devices[b].label));
        }
      }
    }
    if (filled) {
      matrix_.remarks.emplace_back(
          "the matrix is incomplete; its columns were read where rows are missing");
    }
  }

  void check_symmetry() const {
    for (std::size_t a = 0; a < matrix_.devices.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (matrix_.between(a, b) != matrix_.between(b, a)) {
          refuse(row_line_[a].value_or(header_),
                 fmt::format("{} is {} to {}, but {} in the other direction (expected the same)",
                             matrix_.devices[a].label, name_of(matrix_.between(a, b)),
                             matrix_.devices[b].label, name_of(matrix_.between(b, a))));
        }
      }
    }
  }

  /// `NIC0: mlx5_0`
  void read_legend() {
    for (; at_ < lines_.size(); ++at_) {
      if (is_header(lines_[at_])) {
        matrix_.remarks.push_back(fmt::format(
            "the file has another matrix in line {}, which is not read (a file for each machine)",
            at_ + 1));
        return;
      }
      const Words& words = lines_[at_];
      if (words.size() == 2 && words[0].ends_with(':')) {
        if (const auto device = find(words[0].substr(0, words[0].size() - 1))) {
          matrix_.devices[*device].name = words[1];
        }
      }
    }
  }

  const std::string& name_;
  std::vector<Words> lines_;
  std::size_t at_ = 0;
  std::size_t header_ = 0;
  std::vector<std::optional<std::size_t>> row_line_;  // by device
  TopoMatrix matrix_;
};

}  // namespace

TopoMatrix read_topo_matrix(const std::string& name, std::span<const std::string> lines) {
  std::string remark;
  std::vector<Words> words;
  std::ranges::transform(untagged(lines, remark), std::back_inserter(words), words_of_line);
  TopoMatrix matrix = MatrixReader{name, std::move(words)}.read();
  if (!remark.empty()) matrix.remarks.push_back(std::move(remark));
  return matrix;
}

}  // namespace ringcast::detail
