#include "app/predict/set_constants.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/report/text_table.hpp"
#include "topology/links/link_class.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

using Constant = std::pair<std::string, double>;  // name and value

/// The rates and latencies of the table of link classes.
std::vector<double> values_of_classes() {
  std::vector<double> values{1e9 * measured_constant(amd_nic_peers),
                             1e9 * measured_constant(epyc_staging)};
  for (const LinkClass& link : link_classes()) {
    for (const BytesPerSecond rate :
         {link.achievable, link.peer_achievable, link.kernel_achievable, link.direct_achievable}) {
      values.push_back(rate.value());
    }
    for (const int pcie : {4, 5}) {
      values.push_back(kernel_limit(link, link.achievable, pcie).value());
    }
    values.push_back(link.latency.count());
  }
  return values;
}

bool is_close(double a, double b) {
  constexpr double rounding = 1e-9;
  return std::abs(a - b) <= rounding * std::abs(a);
}

/// Whether a limit of a link equals its bandwidth, the default if the file has no limit.
bool repeats_bandwidth(const InputNumber& number, const std::vector<InputNumber>& all) {
  for (const std::string_view limit : {" peer_bandwidth", " kernel_bandwidth"}) {
    if (!number.name.ends_with(limit)) continue;
    const std::string link = number.name.substr(0, number.name.size() - limit.size());
    const auto bandwidth = std::ranges::find(all, link + " bandwidth", &InputNumber::name);
    return bandwidth != all.end() && bandwidth->value == number.value;
  }
  return false;
}

/// The number of sets with each constant.
std::map<Constant, int> uses_in(const std::vector<PublishedSet>& sets) {
  std::map<Constant, int> uses;
  for (const PublishedSet& set : sets) {
    for (const InputNumber& number : input_numbers(set.scenario)) {
      ++uses[{number.name, number.value}];
    }
  }
  return uses;
}

}  // namespace

std::vector<SetConstant> constants_of_one_set(const std::vector<PublishedSet>& sets) {
  const std::map<Constant, int> uses = uses_in(sets);
  const std::vector<double> classes = values_of_classes();
  std::vector<SetConstant> own;
  for (const PublishedSet& set : sets) {
    for (InputNumber& number : input_numbers(set.scenario)) {
      const bool of_class =
          number.name.starts_with("link ") &&
          std::ranges::any_of(classes, [&](double value) { return is_close(number.value, value); });
      if (of_class || uses.at({number.name, number.value}) > 1) continue;
      if (repeats_bandwidth(number, input_numbers(set.scenario))) continue;
      const bool fitted = std::ranges::find(set.fitted_numbers, number.name, &FittedInput::name) !=
                          set.fitted_numbers.end();
      own.push_back({set.scenario.name, std::move(number), fitted});
    }
  }
  return own;
}

std::size_t fitted_constant_count(const std::vector<PublishedSet>& sets) {
  std::set<std::pair<std::filesystem::path, std::string>> fitted;
  for (const PublishedSet& set : sets) {
    for (const FittedInput& number : set.fitted_numbers) {
      fitted.emplace(file_of(number.name, set), number.name);
    }
  }
  return fitted.size();
}

std::string constants_table(const std::vector<PublishedSet>& sets) {
  constexpr std::size_t longest_source = 60;
  const std::vector<SetConstant> own = constants_of_one_set(sets);
  const std::string text =
      fmt::format("# {} fitted on rows of the sets; {} that one set alone has, and no link class\n",
                  counted(fitted_constant_count(sets), "constant"), own.size());
  const std::vector<Column<SetConstant>> columns{
      {"set", [](const SetConstant& each) { return each.set; }, Hidden::never, true},
      {"constant", [](const SetConstant& each) { return each.number.name; }, Hidden::never, true},
      {"value", [](const SetConstant& each) { return to_text(each.number); }},
      {"fitted", [](const SetConstant& each) { return each.fitted ? "yes" : ""; },
       Hidden::if_empty},
      {"reason",
       [](const SetConstant& each) { return printable(each.number.source, longest_source); },
       Hidden::never, true}};
  return own.empty() ? text : text + table_of(columns, own);
}

}  // namespace ringcast
