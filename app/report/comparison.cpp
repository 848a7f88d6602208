#include "app/report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The parameters that both sides always state; for training, those of the model and the training.
std::string pairing_key(Cell cell) {
  std::string key = fmt::format("{}, {} of {}, {}", cell.ranks, cell.size.count(),
                                name_of(cell.reduction.type), name_of(cell.reduction.operation));
  if (const auto& training = cell.training) {
    cell.algorithm.clear();  // an open part
    cell.protocol.clear();
    key += fmt::format(", {}, {} passes, compressed {}: {}", training->model,
                       training->accumulation, training->compression, to_text(cell));
  }
  return key;
}

using Rows = std::vector<const Row*>;

/// A parameter of a cell as text; empty if a side does not state it. Parameters that both sides
/// chose may differ.
struct CellPart {
  const char* name;
  const char* option;
  std::string (*text)(const Cell&);
  bool Cell::*is_chosen = nullptr;
};
constexpr CellPart cell_parts[] = {
    {"model", "", [](const Cell& cell) { return cell.training ? cell.training->model : "none"; }},
    {"ranks", "", [](const Cell& cell) { return fmt::format("{}", cell.ranks); }},
    {"size", "", [](const Cell& cell) { return to_text(cell.size); }},
    {"data type", "", [](const Cell& cell) { return std::string{name_of(cell.reduction.type)}; }},
    {"operation", "",
     [](const Cell& cell) { return std::string{name_of(cell.reduction.operation)}; }},
    {"algorithm", "--algorithm", [](const Cell& cell) { return cell.algorithm; }, &Cell::is_chosen},
    {"ring order", "--ring", [](const Cell& cell) { return cell.ring_order; }},
    {"channels", "--channels", channels_text, &Cell::channels_are_chosen},
};
constexpr std::span open_parts = std::span{cell_parts}.last<3>();

/// The texts of the rows' cells, each once.
template <typename Text>
std::vector<std::string> values_of(const Rows& rows, const Text& text) {
  std::vector<std::string> values;
  for (const Row* row : rows) {
    std::string value = text(row->cell);
    if (std::ranges::find(values, value) == values.end()) {
      values.push_back(std::move(value));
    }
  }
  return values;
}

/// Whether the parameters that both sides state agree, except those that both chose.
bool agree(const Cell& a, const Cell& b) {
  return std::ranges::all_of(open_parts, [&](const CellPart& part) {
    const std::string left = part.text(a);
    const std::string right = part.text(b);
    const bool chosen = part.is_chosen != nullptr && a.*part.is_chosen && b.*part.is_chosen;
    return chosen || left.empty() || right.empty() || left == right;
  });
}

/// A result and its rows by pairing_key(), so that not all pairs of rows are compared.
struct Side {
  explicit Side(const NamedResult& of) : result{of} {
    for (const Row& row : result.result.rows)
      rows[pairing_key(row.cell)].push_back(&row);
  }

  const NamedResult& result;
  std::map<std::string, Rows> rows;
};

/// The value that the user gave: `auto` where the program chose the algorithm.
std::string given_text(const CellPart& part, const Cell& cell) {
  return part.is_chosen == &Cell::is_chosen && cell.is_chosen ? "auto" : part.text(cell);
}

[[noreturn]] void refuse_ambiguous(const Rows& rows, const std::string& file,
                                   const std::string& other_file) {
  const Cell& cell = rows.front()->cell;
  const std::string which = fmt::format(
      "{}: {} of {}", file, counted(rows.size(), "row"),
      cell.training ? to_text(cell)
                    : fmt::format("{}, {}", counted(cell.ranks, "rank"), to_text(cell.size)));
  for (const CellPart& part : open_parts) {
    const std::vector<std::string> values =
        values_of(rows, [&part](const Cell& each) { return given_text(part, each); });
    if (values.size() > 1) {
      throw ScenarioError{fmt::format(
          "{} differ in {} ({}), which {} does not state (expected one of them; {} {} in predict, "
          "say)",
          which, part.name, fmt::join(values, ", "), other_file, part.option, values.front())};
    }
  }
  throw ScenarioError{fmt::format("{} (expected each cell once)", which)};
}

/// The one row among those of `theirs` that agrees with a row of `own`, or null. If several agree,
/// those whose algorithm was chosen (or given) like that of the row.
const Row* agreeing_row(const Row& row, const Side& own, const Side& theirs) {
  const auto candidates = theirs.rows.find(pairing_key(row.cell));
  if (row.time == Seconds{0} || candidates == theirs.rows.end()) {
    return nullptr;
  }
  Rows fitting = candidates->second;
  std::erase_if(fitting, [&](const Row* other) { return !agree(other->cell, row.cell); });
  if (fitting.size() > 1 && !row.cell.algorithm.empty()) {
    Rows alike = fitting;
    std::erase_if(alike,
                  [&](const Row* other) { return other->cell.is_chosen != row.cell.is_chosen; });
    if (!alike.empty()) fitting = std::move(alike);
  }
  if (fitting.size() > 1) {
    refuse_ambiguous(fitting, theirs.result.name, own.result.name);
  }
  return fitting.empty() ? nullptr : fitting.front();
}

/// The row of `theirs` that agrees with a row of `own`, each being the other's choice; or null.
const Row* partner_of(const Row& row, const Side& own, const Side& theirs) {
  const Row* const other = agreeing_row(row, own, theirs);
  const bool is_mutual = other != nullptr && agreeing_row(*other, theirs, own) == &row;
  return is_mutual ? other : nullptr;
}

/// Whether there is nothing to compare: a prediction for one rank, or for no data, takes no time.
bool takes_no_time(const Cell& cell) {
  return !cell.training && (cell.ranks == 1 || cell.size == Bytes{0});
}

/// The cell with the parameters that either side states; the first's, where both chose.
Cell united(Cell cell, const Cell& other) {
  cell.algorithm = cell.algorithm.empty() ? other.algorithm : cell.algorithm;
  cell.ring_order = cell.ring_order.empty() ? other.ring_order : cell.ring_order;
  cell.channels = cell.channels ? cell.channels : other.channels;
  return cell;
}

/// `ring/Simple`: what the other side chose, if both chose and not the same; else empty.
std::string other_choice(const Cell& cell, const Cell& other) {
  const std::string text = algorithm_text(other);
  return cell.is_chosen && other.is_chosen && text != algorithm_text(cell) ? text : "";
}

/// The first values that the rows have: `1 MiB, 2 MiB, ...`.
std::string some_of(std::vector<std::string> values) {
  constexpr std::size_t most = 4;
  if (values.size() > most) {
    values.resize(most);
    values.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

Rows rows_of(const NamedResult& side) {
  return mapped(side.result.rows, [](const Row& row) { return &row; });
}

/// "ranks 2 against 4; size 1 MiB against 2 MiB": the parameters of which the two share no value.
std::string differences(const NamedResult& a, const NamedResult& b) {
  std::vector<std::string> texts;
  for (const CellPart& part : cell_parts) {
    const std::vector<std::string> left = values_of(rows_of(a), part.text);
    const std::vector<std::string> right = values_of(rows_of(b), part.text);
    const bool meet = std::ranges::find(right, "") != right.end() ||
                      std::ranges::any_of(left, [&](const std::string& value) {
                        return value.empty() || std::ranges::find(right, value) != right.end();
                      });
    if (!meet) {
      texts.push_back(fmt::format("{} {} against {}", part.name, some_of(left), some_of(right)));
    }
  }
  return texts.empty() ? "each parameter has a value in common, but no cell has all"
                       : fmt::format("{}", fmt::join(texts, "; "));
}

/// The parameters in which the rows of both sides differ, without those that a side does not state.
CellNaming naming_of(const NamedResult& a, const NamedResult& b) {
  Rows rows = rows_of(a);
  const Rows others = rows_of(b);
  rows.insert(rows.end(), others.begin(), others.end());
  const auto differs = [&](std::string_view name) {
    const CellPart& part = *std::ranges::find(cell_parts, name, &CellPart::name);
    std::vector<std::string> values = values_of(rows, part.text);
    std::erase(values, "");
    return values.size() > 1;
  };
  return {differs("data type"), differs("operation"), differs("channels")};
}

void expect_not_swapped(const NamedResult& predicted, const NamedResult& measured) {
  if (!predicted.result.provenance.simulated && measured.result.provenance.simulated) {
    throw ScenarioError{
        fmt::format("{} is measured and {} predicted (expected the prediction first)",
                    predicted.name, measured.name)};
  }
}

[[noreturn]] void refuse_without_cells(const NamedResult& predicted, const NamedResult& measured) {
  for (const NamedResult* side : {&predicted, &measured}) {
    if (side->result.rows.empty()) {
      throw ScenarioError{fmt::format("{}: has no row (expected a result with rows)", side->name)};
    }
  }
  const bool trainings = predicted.result.trains() && measured.result.trains();
  throw ScenarioError{fmt::format(
      "{}, {}: no cell in common: {} (expected equal {}; predict and measure take --ranks, "
      "--sizes ...)",
      predicted.name, measured.name, differences(predicted, measured),
      trainings ? "models, ranks, batches, algorithms, buckets, overlap, launch_ahead and weights"
                : "ranks, sizes, data types, operations, algorithms, ring orders and channels")};
}

}  // namespace

std::string CellNaming::name_of(const Cell& cell) const {
  std::string text = to_text(cell);
  if (with_type) text += fmt::format(", {}", ringcast::name_of(cell.reduction.type));
  if (with_operation) text += fmt::format(", {}", ringcast::name_of(cell.reduction.operation));
  if (with_channels && cell.channels && !cell.channels_are_chosen)
    text += ", " + counted(*cell.channels, "channel");
  return text;
}

double Comparison::mean_absolute_error() const {
  double sum = 0;
  for (const ComparedCell& cell : cells) {
    sum += std::abs(cell.error());
  }
  return sum / static_cast<double>(cells.size());
}

const ComparedCell& Comparison::worst() const {
  return *std::ranges::max_element(cells, {},
                                   [](const ComparedCell& cell) { return std::abs(cell.error()); });
}

Comparison compare(const NamedResult& predicted, const NamedResult& measured) {
  expect_not_swapped(predicted, measured);
  const Side first{predicted};
  const Side second{measured};
  Comparison comparison;
  comparison.predicted = predicted.result.provenance;
  comparison.measured = measured.result.provenance;
  comparison.predicted_file = predicted.name;
  comparison.measured_file = measured.name;
  comparison.naming = naming_of(predicted, measured);
  for (const Row& row : predicted.result.rows) {
    const Row* const other = partner_of(row, first, second);
    if (other != nullptr) {
      comparison.cells.push_back({.cell = united(row.cell, other->cell),
                                  .measured_algorithm = other_choice(row.cell, other->cell),
                                  .predicted = row.time,
                                  .measured = other->time,
                                  .predicted_band = row.band,
                                  .measured_band = other->band});
      const auto [ours, theirs] = std::pair{row.cell.nodes, other->cell.nodes};
      if (ours && theirs && ours != theirs && !comparison.different_nodes) {
        comparison.different_nodes = {row.cell.ranks, *ours, *theirs};
      }
    } else if (!takes_no_time(row.cell)) {
      comparison.only_predicted.push_back(comparison.naming.name_of(row.cell));
    }
  }
  for (const Row& row : measured.result.rows) {
    if (!takes_no_time(row.cell) && partner_of(row, second, first) == nullptr) {
      comparison.only_measured.push_back(comparison.naming.name_of(row.cell));
    }
  }
  if (comparison.cells.empty()) {
    refuse_without_cells(predicted, measured);
  }
  return comparison;
}

}  // namespace ringcast
