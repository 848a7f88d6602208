#include "app/report/sensitivity_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
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

/// The fraction of the time that is proportional to a time, or inversely proportional to a rate, by
/// the greater of both effects. The fractions of all parameters add up to 1, since halving all
/// times and doubling all rates halves the time. Parameters without a unit of time, such as
/// efficiencies, have no fraction of their own.
double part_of_time(const Sensitivity& each) {
  const double raised = std::abs(each.when_raised) / each.change;
  const double lowered = std::abs(each.when_lowered) / each.change;
  if (each.number.unit == Unit::time) return std::max(raised, lowered);
  if (each.number.unit != Unit::rate) return 0;
  return std::max((1 + each.change) * raised, (1 - each.change) * lowered);
}

bool takes_another_algorithm(const Sensitivity& each) {
  return !each.taken_when_raised.empty() || !each.taken_when_lowered.empty();
}

double explained_part(const std::vector<Sensitivity>& all) {
  double sum = 0;
  for (const Sensitivity& each : all)
    sum += part_of_time(each);
  return sum;
}

/// The rest is due to constants of NCCL's tuner and to measured constants, which are in no file.
std::string built_in_costs(double explained) {
  return fmt::format(
      "# at least {:.0f} % of the time depends on no parameter of the files: limits and costs of "
      "the library's channels and chunks, which are part of the model\n",
      100 * (1 - explained));
}

/// The verdict if no parameter shortens the time much, with the bottleneck, if there is one.
std::string no_verdict(double gain, const Row& row) {
  constexpr double busy = 0.5;
  std::string text =
      fmt::format("# no parameter is dominant: a change by {} reduces the time by {:.1f} % at most",
                  change_text(row.sensitivity.front().change), 100 * gain);
  if (!row.busiest.empty() && row.busiest.front().utilisation >= busy) {
    text += fmt::format("; bottleneck: {}, {} busy", row.busiest.front().name,
                        percent(row.busiest.front().utilisation, 0));
  }
  return text + "\n";
}

double gain_of(const Sensitivity& each) {
  return -std::min(each.when_raised, each.when_lowered);
}

std::string verdict(std::string_view title, const Sensitivity& first) {
  const auto signed_change = [&](bool raised) {
    return (raised ? "+" : "-") + change_text(first.change);
  };
  const bool raise = first.when_raised < first.when_lowered;  // what makes it faster
  const double faster = gain_of(first);
  const double slower = std::max(first.when_raised, first.when_lowered);
  std::string text = fmt::format("# {}: {} ({}, {}): ", title, first.number.name,
                                 to_text(first.number), first_words(first.number.source));
  // Raising one of several equal limits does not help. Lowering one may change the algorithm, and
  // the time by more than the limit.
  if (faster < 0.2 * std::min(slower, first.change)) {
    text += fmt::format("{} increases the time by {:.1f} %, {} alone changes little\n",
                        signed_change(!raise), 100 * slower, signed_change(raise));
  } else {
    text += fmt::format("{} reduces the time by {:.1f} %\n", signed_change(raise), 100 * faster);
  }
  return text;
}

/// `change` may raise an efficiency past 1, its greatest value.
std::string limited_efficiencies(const std::vector<Sensitivity>& effects) {
  const bool any = std::ranges::any_of(effects, [](const Sensitivity& each) {
    return is_efficiency(each.number) && (1 + each.change) * each.number.value > 1;
  });
  return any ? "# efficiencies are raised to 100 % at most\n" : "";
}

/// The parameter to change first, and the fraction of the time that no file determines.
std::string verdicts(const std::vector<Sensitivity>& with, const Row& row, bool is_complete) {
  constexpr double most = 0.9;
  constexpr double least_gain = 0.2;  // per change
  const double explained = explained_part(row.sensitivity);
  // A switch to another algorithm may hide a part of an effect.
  const bool built_in =
      is_complete && explained < most && std::ranges::none_of(with, takes_another_algorithm);
  std::string text = built_in ? built_in_costs(explained) : "";
  double gain = 0;
  for (const Sensitivity& each : with)
    gain = std::max(gain, gain_of(each));
  const bool dominates = !built_in || gain >= least_gain * row.sensitivity.front().change;
  if (!dominates) text += no_verdict(gain, row);
  return with.empty() ? text
                      : text + verdict(dominates ? "dominant parameter" : "next", with.front());
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

/// A change of a parameter may make another algorithm the fastest by the tuner's estimate, or leave
/// paths for another number of channels.
std::string other_algorithms(const std::vector<Sensitivity>& effects, const Cell& cell) {
  const std::string same_algorithm = algorithm_text(cell) + " x ";
  std::string text;
  for (const Sensitivity& each : effects) {
    for (const auto& [sign, taken] :
         {std::pair{'+', each.taken_when_raised}, std::pair{'-', each.taken_when_lowered}}) {
      if (taken.empty()) continue;
      text += fmt::format("# another {}: {}, {}{}: {}\n",
                          taken.starts_with(same_algorithm) ? "number of channels" : "algorithm",
                          each.number.name, sign, change_text(each.change), taken);
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

/// `bandwidth` of `link s0 - s1 bandwidth`, a cable that is named by its ends; else empty.
std::string parameter_of_cable(const std::string& name) {
  const bool is_cable = name.starts_with("link ") && name.find(" - ") != std::string::npos;
  return is_cable ? name.substr(name.rfind(' ') + 1) : "";
}

/// A parameter of many cables by the first of them: `link s0 - s1 bandwidth and of 16 more cables`.
std::vector<std::string> grouped(const std::vector<std::string>& names) {
  constexpr int most_listed = 3;
  std::map<std::string, int> counts;
  for (const std::string& name : names)
    ++counts[parameter_of_cable(name)];
  std::vector<std::string> groups;
  for (const std::string& name : names) {
    const std::string parameter = parameter_of_cable(name);
    int& count = counts[parameter];
    if (parameter.empty() || (count > 0 && count <= most_listed)) {
      groups.push_back(name);
    } else if (count > 0) {
      groups.push_back(fmt::format("{} and of {} more cables", name, count - 1));
      count = 0;
    }
  }
  return groups;
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
  return grouped(names);
}

/// The sensitivities of a row; not complete if the simulation of some parameter failed.
std::string explanation_of(const Row& row, bool is_complete) {
  std::string text =
      fmt::format("#\n# why {}{} takes {}: change of the time with each parameter\n",
                  row.iteration ? "an iteration of " : "", to_text(row.cell), to_text(row.time));
  const std::vector<Sensitivity>& all = row.sensitivity;
  const auto first_without = std::ranges::partition_point(all, has_effect);
  const std::vector<Sensitivity> with{all.begin(), first_without};
  const std::vector<std::string> without = names_without({first_without, all.end()}, with);
  if (!with.empty()) text += list(with);
  if (!without.empty()) text += list_of_names(without);
  return text + limited_efficiencies(with) + verdicts(with, row, is_complete) +
         slower_schedules(with) + other_algorithms(with, row.cell);
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
      text += explanation_of(row, result.failures.empty());
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
