#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// One all-reduce, or transfer between two ranks, with a published time.
struct PublishedRow {
  int ranks = 2;  // 2 .. GPUs of the cluster
  Bytes size;     // more than 0, a multiple of the element size
  Seconds measured{0};
  std::string algorithm;  // an all-reduce, `auto`, or a transfer (engine/collectives/transfers.hpp)
  std::string algorithm_position = {};  // where the row names it; empty: the set's
  /// The alias of the transport that the row was measured with; empty: that of the set.
  std::string transport;
  /// The GPUs of the ranks, in order; empty: PublishedSet::gpus.
  std::vector<int> gpus = {};
  /// Whether parameters were fitted on it: its error then says nothing about other machines.
  bool fitted = false;
  /// Why the row is shown, but left out of the set's errors.
  std::optional<std::string> not_judged;
};

/// Whether the row counts for the set's errors: parameters were not fitted on it, it has no
/// not_judged, and it was measured with the set's transport.
[[nodiscard]] bool is_judged(const PublishedRow& row);
/// Whether the row would be judged but for its transport: such rows are summarised separately.
[[nodiscard]] bool is_of_other_transport(const PublishedRow& row);

/// `16 ranks, 4 MiB`, and the alias of its transport if it has one.
[[nodiscard]] std::string to_text(const PublishedRow& row);

/// A transport that rows name by its alias.
struct AliasedTransport {
  std::string alias;
  TransportProfile profile;
  RingChoice ring_order;  // the file's; absent there, the default of this transport
};

/// An input number of the cluster or a transport that was fitted on rows of the set.
struct FittedInput {
  std::string name;  // InputNumber::name
  std::string from;  // the source of its initial value
};

/// Measurements that others published, with the machine that they were made on.
struct PublishedSet {
  std::string source;
  std::string note;  // may be empty
  /// The common part of the rows. It has the ranks and sizes of all rows, the algorithm and
  /// transport of rows that name none, and one ring order.
  Scenario scenario;
  /// The files that contain the cluster and the transport; the set's own file if that does.
  std::filesystem::path cluster_file;
  std::filesystem::path transport_file;
  std::vector<AliasedTransport> transports;
  std::vector<PublishedRow> rows;
  /// By number of ranks: the GPUs of the ranks, in order, if not the first of the cluster.
  std::map<int, std::vector<int>> gpus;
  std::vector<FittedInput> fitted_numbers;
};

/// Reads and checks a published set with the cluster and transport files it names (paths relative
/// to its own). Throws ScenarioError "file:line:column: key: problem (expected ...)".
[[nodiscard]] PublishedSet read_published_set(const std::filesystem::path& file);
[[nodiscard]] PublishedSet read_published_set(const InputNode& node);

/// Whether the number of this name (input_numbers.hpp) is one of the transport.
[[nodiscard]] bool is_of_transport(const std::string& number);
/// The canonical path of the file that has this number of the set: the cluster's or the
/// transport's.
[[nodiscard]] std::filesystem::path file_of(const std::string& number, const PublishedSet& set);

/// The GPUs of the row's ranks, in order: its own, else the set's for as many ranks; empty for the
/// first ones of the cluster.
[[nodiscard]] std::vector<int> gpus_of(const PublishedSet& set, const PublishedRow& row);

/// The scenario with the one cell of `row`, a row of `set`.
[[nodiscard]] Scenario scenario_of(const PublishedSet& set, const PublishedRow& row);

}  // namespace ringcast
