// Reads the files of scenarios/published/.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/common/mapped.hpp"
#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/catalogue_transport.hpp"
#include "app/config/scenario/fit_on_reader.hpp"
#include "app/config/scenario/published_set.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/scenario/sweep_reader.hpp"
#include "app/config/scenario/transport_reader.hpp"
#include "app/config/yaml/file_kind.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "engine/collectives/transfers.hpp"
#include "engine/schedule/bus_bandwidth.hpp"
#include "topology/cluster/part_of_cluster.hpp"

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
                             Purpose::prediction);
  }
};

/// Half a unit of the last digit of the text: `6.11 GB/s` was between 6.105 and 6.115.
template <typename Quantity>
Quantity rounding_of(const std::string& text, Quantity (*parse)(std::string_view)) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::size_t point = std::min(text.find('.'), end);
  const std::size_t digits = point == end ? 0 : end - point - 1;
  return parse(fmt::format("0.{}5{}", std::string(digits, '0'), text.substr(end)));
}

/// Checks a time and a bus bandwidth against each other: one may be a typing error.
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
  return node.one_of("transport", names_of(context.transports, &AliasedTransport::alias));
}

/// Numbers of the cluster's GPUs, one for each rank.
std::vector<int> read_gpu_list(const InputNode& list, int gpus_there, int ranks) {
  std::vector<int> numbers;
  for (const InputNode& item : list.items()) {
    const int number = item.integer(0, gpus_there - 1);
    if (std::ranges::find(numbers, number) != numbers.end()) {
      item.fail(fmt::format("GPU {} is repeated", number), "each GPU once");
    }
    numbers.push_back(number);
  }
  if (numbers.size() != static_cast<std::size_t>(ranks)) {
    list.fail(fmt::format("{} for {}", counted(numbers.size(), "GPU"), counted(ranks, "rank")),
              "a GPU for each rank, e.g. [0, 4]");
  }
  return numbers;
}

PublishedRow read_row(const InputNode& node, const RowContext& context) {
  node.allow_keys_of("rows entry");
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
  row.algorithm =
      algorithm ? read_measured_algorithm(*algorithm) : context.default_of(row.transport);
  if (algorithm) row.algorithm_position = algorithm->position();
  if (is_transfer(row.algorithm) && row.ranks != 2) {
    ranks.fail(fmt::format("{} for {}", counted(row.ranks, "rank"), row.algorithm), "2");
  }
  if (const auto gpus = node.find("gpus")) row.gpus = read_gpu_list(*gpus, context.gpus, row.ranks);
  read_judged(node, row);
  return row;
}

std::vector<PublishedRow> read_rows(const InputNode& node, const RowContext& context) {
  return mapped(node.items(), [&](const InputNode& item) { return read_row(item, context); });
}

void refuse_second_rows(const InputNode& node, const PublishedSet& set) {
  const auto cell_of = [&set](const PublishedRow& row) {
    return std::tuple{row.ranks, row.size, row.transport, row.algorithm, gpus_of(set, row)};
  };
  std::set<decltype(cell_of(set.rows.front()))> cells;
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    if (cells.insert(cell_of(set.rows[i])).second) continue;
    node.items()[i].fail(fmt::format("a second row of {}", to_text(set.rows[i])),
                         "each once, or another transport, algorithm or gpus");
  }
}

/// Reads `judged_from`: rows with smaller buffers are not judged.
void read_judged_from(const InputNode& node, std::vector<PublishedRow>& rows) {
  node.allow_keys_of("judged_from");
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
    const int count = static_cast<int>(list.items().size());
    if (ranks != std::to_string(count)) {
      list.fail(fmt::format("{} GPUs for {} ranks", count, printable(ranks)),
                "a list of as many GPUs as the key says ranks, e.g. 2: [0, 4]");
    }
    std::vector<int> numbers = read_gpu_list(list, gpus_there, count);
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
    read_segment_size(*segment, scenario);
  }
}

std::vector<AliasedTransport> read_transports(const InputNode& node,
                                              const std::filesystem::path& folder,
                                              const ClusterSpec& cluster) {
  std::vector<AliasedTransport> transports;
  for (const auto& [alias, value] : node.entries()) {
    TransportProfile profile = read_transport(named_transport(value, folder, cluster));
    RingChoice order = default_ring_order(profile, Purpose::prediction);
    transports.push_back({alias, std::move(profile), std::move(order)});
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
  scenario.name = node.require("name", "a text").name();
  set.source = node.require("source", "who published the measurements, and where").text();
  if (const auto note = node.find("note")) set.note = note->text();
  const InputNode cluster_node =
      resolved(node.require("cluster", "the cluster file of the machine"), folder);
  scenario.cluster = read_cluster(cluster_node);
  const int cluster_gpus = count_ranks(scenario.cluster);
  set.cluster_file = cluster_node.document_name();
  const InputNode transport_node = named_transport(
      node.require("transport", "the transport file of the software"), folder, scenario.cluster);
  scenario.transport = read_transport(transport_node);
  set.transport_file = transport_node.document_name();
  if (const auto transports = node.find("transports")) {
    set.transports = read_transports(*transports, folder, scenario.cluster);
  }
  scenario.reduction = read_reduction(node, {});
  const auto algorithm = node.find("algorithm");
  if (algorithm) keep_positions(*algorithm, "algorithm", scenario);
  const RowContext context{
      cluster_gpus, scenario.reduction.type,
      algorithm ? std::optional{read_measured_algorithm(*algorithm)} : std::nullopt,
      scenario.transport, set.transports};
  scenario.algorithms = {context.default_of("")};
  const InputNode rows = node.require("rows", "a list of {ranks, size, time}");
  set.rows = read_rows(rows, context);
  if (const auto from = node.find("judged_from")) read_judged_from(*from, set.rows);
  if (const auto gpus = node.find("gpus")) set.gpus = read_gpus(*gpus, cluster_gpus, set.rows);
  refuse_second_rows(rows, set);
  read_shared(node, scenario, set.rows);
  if (node.find("ring_order")) {
    for (AliasedTransport& each : set.transports)
      each.ring_order = scenario.ring_orders.front();
  }
  if (const auto fit = node.find("fit_on")) read_fit_on(*fit, set);
  return set;
}

}  // namespace ringcast
