// Reads the files of scenarios/published/.
#include <algorithm>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/config/cluster_reader.hpp"
#include "app/config/file_kind.hpp"
#include "app/config/input_numbers.hpp"
#include "app/config/known_keys.hpp"
#include "app/config/published_set.hpp"
#include "app/config/scenario_reader.hpp"
#include "app/config/sweep_reader.hpp"
#include "app/config/transport_reader.hpp"
#include "app/config/yaml_reader.hpp"
#include "engine/schedule/ring_cost.hpp"

namespace ringcast {

namespace {

/// The constraints on a row, and its defaults.
struct RowContext {
  int gpus;
  ElementType type;
  std::optional<std::string> algorithm;  // of all rows; absent: that of the row's transport
  const TransportProfile& transport;
  const std::vector<AliasedTransport>& transports;

  [[nodiscard]] std::string default_of(const std::string& alias) const {
    if (algorithm) return *algorithm;
    const auto named = std::ranges::find(transports, alias, &AliasedTransport::alias);
    return default_algorithm(named == transports.end() ? transport : named->profile,
                             Purpose::prediction, false);
  }
};

/// Half of the last digit that the text has: `6.11 GB/s` was between 6.105 and 6.115.
template <typename Quantity>
Quantity rounding_of(const std::string& text, Quantity (*parse)(std::string_view)) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::size_t point = std::min(text.find('.'), end);
  const std::size_t digits = point == end ? 0 : end - point - 1;
  return parse(fmt::format("0.{}5{}", std::string(digits, '0'), text.substr(end)));
}

/// A transcribed time and bus bandwidth check each other.
void expect_agreement(const InputNode& time, const InputNode& busbw, const PublishedRow& row) {
  const auto busbw_in = [&row](Seconds t) { return bus_bandwidth(row.ranks, row.size, t).value(); };
  const Seconds half = rounding_of(time.text(), parse_time);
  const double stated = busbw.rate().value();
  const double rounding = rounding_of(busbw.text(), parse_rate).value() + 1e-9 * stated;
  if (stated < busbw_in(row.measured + half) - rounding ||
      stated > busbw_in(row.measured - half) + rounding) {
    busbw.fail(
        fmt::format("{} contradicts the time", printable(busbw.text())),
        fmt::format("{}, the busbw of {} in {}", to_text(BytesPerSecond{busbw_in(row.measured)}),
                    to_text(row.size), to_text(row.measured)));
  }
}

/// The published figure is the time, or the bus bandwidth that follows from it: S/t 2(n-1)/n.
void read_measured(const InputNode& node, PublishedRow& row) {
  const auto time = node.find("time");
  const auto busbw = node.find("busbw");
  if (!time && !busbw) static_cast<void>(node.require("time", "the measured time, or busbw"));
  if (busbw) {
    const BytesPerSecond rate = busbw->rate();
    if (rate == BytesPerSecond{0}) busbw->fail("0 of a ring that ended", "more than 0");
    row.measured = Seconds{bus_bandwidth(row.ranks, row.size, Seconds{1}).value() / rate.value()};
  }
  if (time) {
    row.measured = time->time();
    if (row.measured == Seconds{0}) time->fail("0 for an all-reduce", "more than 0");
    if (busbw) expect_agreement(*time, *busbw, row);
  }
}

void read_judged(const InputNode& node, PublishedRow& row) {
  const auto judged = node.find("judged");
  const auto why = node.find("why");
  if (judged && !judged->truth()) {
    row.not_judged = node.require("why", "the reason why the row is not judged").text();
  } else if (why) {
    why->fail("a reason for a row that is judged", "judged: false, or no why");
  }
}

std::string read_alias(const InputNode& node, const RowContext& context) {
  if (context.transports.empty()) {
    node.fail(fmt::format("{} in a file without transports", in_quotes(node.text())),
              "an alias defined under transports");
  }
  std::vector<std::string_view> aliases;
  for (const AliasedTransport& transport : context.transports) {
    aliases.emplace_back(transport.alias);
  }
  return node.one_of("transport", aliases);
}

PublishedRow read_row(const InputNode& node, const RowContext& context) {
  node.allow_keys(keys_of("rows entry"));
  PublishedRow row;
  const InputNode ranks = node.require("ranks", "how many ranks took part");
  row.ranks = read_rank_count(ranks, context.gpus);
  if (row.ranks < 2) ranks.fail("a single rank has nothing to send", "2 or more");
  const InputNode size = node.require("size", "the buffer of each rank, e.g. 4 MiB");
  row.size = read_whole_elements(size, context.type);
  if (row.size == Bytes{}) size.fail("nothing to send", "more than 0");
  read_measured(node, row);
  const auto algorithm = node.find("algorithm");
  if (const auto alias = node.find("transport")) row.transport = read_alias(*alias, context);
  row.algorithm = algorithm ? read_algorithm(*algorithm) : context.default_of(row.transport);
  read_judged(node, row);
  return row;
}

bool same_cell(const PublishedRow& a, const PublishedRow& b) {
  return a.ranks == b.ranks && a.size == b.size && a.transport == b.transport &&
         a.algorithm == b.algorithm;
}

std::vector<PublishedRow> read_rows(const InputNode& node, const RowContext& context) {
  std::vector<PublishedRow> rows;
  for (const InputNode& item : node.items()) {
    PublishedRow row = read_row(item, context);
    if (std::ranges::any_of(rows, [&](const auto& other) { return same_cell(other, row); })) {
      item.fail(fmt::format("a second row of {}", to_text(row)),
                "each once, or another transport or algorithm");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// `known` are the input numbers of the cluster and the set's own transport.
std::vector<FittedInput> read_fitted_numbers(const InputNode& node,
                                             const std::vector<InputNumber>& known) {
  constexpr std::size_t most = 3;
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const InputNumber& number : known)
    names.push_back(number.name);
  std::vector<FittedInput> numbers;
  for (const InputNode& item : node.items()) {
    item.allow_keys(keys_of("numbers entry"));
    const InputNode name = item.require("name", "a parameter as predict --why names it");
    FittedInput number{name.one_of("parameter", names), ""};
    if (const auto from = item.find("from")) number.from = from->text();
    if (std::ranges::find(numbers, number.name, &FittedInput::name) != numbers.end()) {
      name.fail(fmt::format("{} is repeated", printable(number.name)), "each number once");
    }
    numbers.push_back(std::move(number));
  }
  if (numbers.size() > most) {
    node.fail(fmt::format("{} fitted numbers", numbers.size()),
              fmt::format("at most {}: with more, anything fits", most));
  }
  return numbers;
}

/// Marks the rows that `node`, a list [ranks, size], names.
void mark_fitted(const InputNode& node, std::vector<PublishedRow>& rows) {
  const std::vector<InputNode> pair = node.items();
  if (pair.size() != 2) node.fail("is not one row", "[ranks, size], e.g. [16, 4 MiB]");
  const int ranks = pair.front().count();
  const Bytes size = pair.back().size();
  bool found = false;
  for (PublishedRow& row : rows) {
    if (row.ranks != ranks || row.size != size) continue;
    if (row.fitted) node.fail("is repeated", "each row once");
    row.fitted = found = true;
  }
  if (!found) {
    node.fail(fmt::format("no row of {} and {}", counted(ranks, "rank"), to_text(size)),
              "ranks and size of one under rows");
  }
}

void read_fit(const InputNode& node, PublishedSet& set) {
  node.allow_keys(keys_of("fit_on"));
  set.fitted_numbers =
      read_fitted_numbers(node.require("numbers", "a list of {name, from}: what was fitted"),
                          input_numbers(set.scenario));
  for (const InputNode& item : node.require("rows", "a list of [ranks, size]").items()) {
    mark_fitted(item, set.rows);
  }
}

/// Rows of smaller buffers are shown, but not judged.
void read_judged_from(const InputNode& node, std::vector<PublishedRow>& rows) {
  node.allow_keys(keys_of("judged_from"));
  const Bytes least = node.require("size", "a size, e.g. 4 MiB").size();
  const std::string why = node.require("why", "the reason why smaller rows are not judged").text();
  for (PublishedRow& row : rows) {
    if (row.size < least && !row.not_judged) row.not_judged = why;
  }
}

/// `{2: [0, 4]}`: a job of two ranks took the GPUs 0 and 4 of the cluster.
std::map<int, std::vector<int>> read_gpus(const InputNode& node, int gpus_there,
                                          const std::vector<PublishedRow>& rows) {
  std::map<int, std::vector<int>> gpus;
  for (const auto& [ranks, list] : node.entries()) {
    std::vector<int> numbers;
    for (const InputNode& item : list.items()) {
      const int number = static_cast<int>(item.integer(0, gpus_there - 1));
      if (std::ranges::find(numbers, number) != numbers.end()) {
        item.fail(fmt::format("GPU {} is repeated", number), "each GPU once");
      }
      numbers.push_back(number);
    }
    if (ranks != std::to_string(numbers.size())) {
      list.fail(fmt::format("{} GPUs for {} ranks", numbers.size(), printable(ranks)),
                "a list of as many GPUs as the key says ranks, e.g. 2: [0, 4]");
    }
    const int count = static_cast<int>(numbers.size());
    if (std::ranges::find(rows, count, &PublishedRow::ranks) == rows.end()) {
      list.fail(fmt::format("no row of {} ranks", count), "ranks of one under rows");
    }
    gpus.emplace(count, std::move(numbers));
  }
  return gpus;
}

template <typename Value>
void add_new(std::vector<Value>& values, const Value& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

/// The common settings of the rows, without the cluster and the transport.
void read_shared(const InputNode& node, Scenario& scenario, const std::vector<PublishedRow>& rows) {
  for (const PublishedRow& row : rows) {
    add_new(scenario.ranks, row.ranks);
    add_new(scenario.sizes, row.size);
  }
  read_ring(node, {}, Purpose::prediction, scenario);
  if (scenario.ring_orders.size() > 1) {
    node.require("ring_order", "").fail("several orders", "the one of the measurements");
  }
  if (scenario.channels.size() > 1) {
    node.require("channels", "").fail("several numbers", "the one of the measurements");
  }
  if (const auto segment = node.find("segment_size")) {
    scenario.segment_size = read_segment_size(*segment, scenario.reduction.type);
  }
}

std::vector<AliasedTransport> read_transports(const InputNode& node,
                                              const std::filesystem::path& folder) {
  std::vector<AliasedTransport> transports;
  for (const auto& [alias, value] : node.entries()) {
    transports.push_back({alias, read_transport(resolved(value, folder))});
  }
  return transports;
}

}  // namespace

PublishedSet read_published_set(const std::filesystem::path& file) {
  return read_published_set(read_yaml(file));
}

PublishedSet read_published_set(const InputNode& node) {
  expect_kind(node, "published set");
  PublishedSet set;
  Scenario& scenario = set.scenario;
  scenario.file = node.document_name();
  const std::filesystem::path folder = scenario.file.parent_path();
  scenario.name = node.require("name", "a text").text();
  set.source = node.require("source", "who published the measurements, and where").text();
  if (const auto note = node.find("note")) set.note = note->text();
  const InputNode cluster_node =
      resolved(node.require("cluster", "the cluster file of the machine"), folder);
  CheckedCluster cluster = read_checked_cluster(cluster_node);
  set.cluster_file = cluster_node.document_name();
  scenario.cluster = std::move(cluster.spec);
  const InputNode transport_node =
      resolved(node.require("transport", "the transport file of the software"), folder);
  scenario.transport = read_transport(transport_node);
  set.transport_file = transport_node.document_name();
  if (const auto transports = node.find("transports")) {
    set.transports = read_transports(*transports, folder);
  }
  scenario.reduction = read_reduction(node, {});
  const auto algorithm = node.find("algorithm");
  const RowContext context{cluster.gpus, scenario.reduction.type,
                           algorithm ? std::optional{read_algorithm(*algorithm)} : std::nullopt,
                           scenario.transport, set.transports};
  scenario.algorithms = {context.default_of("")};
  set.rows = read_rows(node.require("rows", "a list of {ranks, size, time}"), context);
  if (const auto from = node.find("judged_from")) read_judged_from(*from, set.rows);
  if (const auto gpus = node.find("gpus")) set.gpus = read_gpus(*gpus, cluster.gpus, set.rows);
  read_shared(node, scenario, set.rows);
  if (const auto fit = node.find("fit_on")) read_fit(*fit, set);
  return set;
}

}  // namespace ringcast
