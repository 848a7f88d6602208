#include "app/report/sensitivity_table.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/config/scenario/input_numbers.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/report/text_table.hpp"

namespace ringcast {
namespace {

/// The first words of a text that may be a paragraph; results in JSON have all of it.
std::string first_words(const std::string& text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return printable(text);
  const std::size_t space = text.rfind(' ', longest);
  return printable(text.substr(0, space == std::string::npos ? longest : space), longest) + " ...";
}

std::string change_text(double part) {
  return fmt::format("{:.6g} %", 100 * part);
}

std::string signed_hundredths(double part) {
  if (std::abs(part) < 5e-5) return "0.00 %";  // without the sign of a rounding error
  return fmt::format("{:+.2f} %", 100 * part);
}

/// The parameters with an effect, one per line.
std::string list(const std::vector<Sensitivity>& effects) {
  const std::string change = change_text(effects.front().change);
  const std::vector<Column<Sensitivity>> columns{
      {"parameter", [](const auto& each) { return each.number.name; }, Hidden::never, true},
      {"value", [](const auto& each) { return to_text(each.number); }},
      {"+" + change, [](const auto& each) { return signed_hundredths(each.when_raised); }},
      {"-" + change, [](const auto& each) { return signed_hundredths(each.when_lowered); }},
      {"source", [](const auto& each) { return first_words(each.number.source); }, Hidden::never,
       true}};
  return table_of(columns, effects);
}

std::string verdict(const Sensitivity& first) {
  const auto signed_change = [&](bool raised) {
    return (raised ? "+" : "-") + change_text(first.change);
  };
  const bool raise = first.when_raised < first.when_lowered;  // what makes it faster
  const double faster = -std::min(first.when_raised, first.when_lowered);
  const double slower = std::max(first.when_raised, first.when_lowered);
  std::string text = fmt::format("# dominant parameter: {} ({}, {}): ", first.number.name,
                                 to_text(first.number), first_words(first.number.source));
  // Raising one of several equal limits does not help.
  if (faster < 0.1 * slower) {
    text += fmt::format("{} increases the time by {:.1f} %, {} alone changes little\n",
                        signed_change(!raise), 100 * slower, signed_change(raise));
  } else {
    text += fmt::format("{} reduces the time by {:.1f} %\n", signed_change(raise), 100 * faster);
  }
  return text;
}

/// A faster cable may make a chunk arrive while others use a shared link. The model is right, but
/// the effect is unexpected.
std::string slower_schedules(const std::vector<Sensitivity>& effects) {
  constexpr double noticeable = 0.001;
  std::string text;
  for (const Sensitivity& each : effects) {
    const bool cable = each.number.unit == Unit::rate && each.number.name.starts_with("link ");
    const bool raised = each.when_raised > noticeable;
    if (cable && (raised || each.when_lowered < -noticeable)) {
      text += fmt::format("# faster cable, slower schedule: {}, {}{} {} the time by {:.1f} %\n",
                          each.number.name, raised ? '+' : '-', change_text(each.change),
                          raised ? "increases" : "reduces",
                          100 * (raised ? each.when_raised : -each.when_lowered));
    }
  }
  return text;
}

/// A change of a parameter may make another algorithm the fastest by the tuner's estimate.
std::string other_algorithms(const std::vector<Sensitivity>& effects) {
  std::string text;
  for (const Sensitivity& each : effects) {
    for (const auto& [sign, taken] :
         {std::pair{'+', each.taken_when_raised}, std::pair{'-', each.taken_when_lowered}}) {
      if (taken.empty()) continue;
      text += fmt::format("# another algorithm: {}, {}{}: {}\n", each.number.name, sign,
                          change_text(each.change), taken);
    }
  }
  return text;
}

/// Breaks the list into lines of a terminal's width.
std::string list_of_names(const std::vector<std::string>& names) {
  constexpr std::size_t most_columns = 100;
  std::string text;
  std::string line = "# no effect: ";
  std::string_view separator;
  for (const std::string& name : names) {
    if (line.size() + separator.size() + name.size() >= most_columns) {
      text += std::exchange(line, "#   ") + ",\n";
      separator = "";
    }
    line += fmt::format("{}{}", separator, name);
    separator = ", ";
  }
  return text + line + "\n";
}

/// `transport protocols.tree/LL`: the protocol that a parameter is of; else its whole name.
std::string protocol_of(const std::string& name) {
  constexpr std::string_view prefix = "transport protocols.";
  return name.starts_with(prefix) ? name.substr(0, name.find(' ', prefix.size())) : name;
}

/// The names of parameters without an effect; a protocol of which none has any is named once.
std::vector<std::string> names_without(std::span<const Sensitivity> without,
                                       const std::vector<Sensitivity>& with) {
  std::vector<std::string> names;
  for (const Sensitivity& each : without) {
    const std::string protocol = protocol_of(each.number.name);
    const bool used = std::ranges::any_of(
        with, [&](const Sensitivity& other) { return protocol_of(other.number.name) == protocol; });
    std::string name = used ? each.number.name : protocol;
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

/// The sensitivities of the row that tables call `row`.
std::string explanation_of(const std::string& row, Seconds time,
                           const std::vector<Sensitivity>& sensitivities) {
  std::string text = fmt::format("#\n# why {} takes {}: change of the time with each parameter\n",
                                 row, to_text(time));
  const auto first_without = std::ranges::partition_point(sensitivities, has_effect);
  const std::vector<Sensitivity> with{sensitivities.begin(), first_without};
  const std::vector<std::string> without =
      names_without({first_without, sensitivities.end()}, with);
  if (!with.empty()) text += list(with);
  if (!without.empty()) text += list_of_names(without);
  if (with.empty()) return text;
  return text + verdict(with.front()) + slower_schedules(with) + other_algorithms(with);
}

}  // namespace

double greatest_effect(const Sensitivity& sensitivity) {
  return std::max(std::abs(sensitivity.when_raised), std::abs(sensitivity.when_lowered));
}

bool has_effect(const Sensitivity& sensitivity) {
  constexpr double least_per_change = 0.0005 / 0.1;
  return greatest_effect(sensitivity) >= least_per_change * sensitivity.change;
}

std::string explanation(const Result& result) {
  std::string text;
  for (const Row& row : result.rows) {
    if (!row.sensitivity.empty()) {
      text += explanation_of((row.iteration ? "an iteration of " : "") + to_text(row.cell),
                             row.time, row.sensitivity);
      for (const Band& band : row.band) {
        text += fmt::format("# band {} ms, as published machines differ: {}\n", to_text(band),
                            band.widest);
      }
    }
  }
  if (!text.empty() && result.rows.size() > most_explained_rows) {
    text +=
        fmt::format("# (explained: the last of {} rows; {} choose)\n", result.rows.size(),
                    result.trains() ? "--ranks, --algorithm, --ring, --overlap and --bucket-size"
                                    : "--ranks, --sizes, --algorithm and --ring");
  }
  return text;
}

}  // namespace ringcast
