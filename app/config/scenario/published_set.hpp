#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/input_node.hpp"

namespace ringcast {

/// One all-reduce, or transfer between two ranks, that others measured.
struct PublishedRow {
  int ranks = 2;  // 2 .. GPUs of the cluster
  Bytes size;     // more than 0, a multiple of the element size
  Seconds measured{0};
  std::string algorithm;  // an all-reduce, `auto`, or a transfer (engine/collectives/transfers.hpp)
  std::string algorithm_position = {};  // where the row names it; empty: the set's
  /// The alias of the software that the row was measured with; empty for the set's own.
  std::string transport;
  /// Which GPUs the ranks had, in order; empty: those that the set says.
  std::vector<int> gpus = {};
  /// Parameters were fitted on it: its error says nothing about other machines.
  bool fitted = false;
  /// Why the row is shown but not judged.
  std::optional<std::string> not_judged;
};

/// Whether the row's error counts for the set: not if it was fitted on, if there is a reason
/// against, or if other software than the set's was measured.
[[nodiscard]] bool is_judged(const PublishedRow& row);
/// Whether only its other software keeps it from being judged: such rows are reported separately.
[[nodiscard]] bool is_apart(const PublishedRow& row);

/// `16 ranks, 4 MiB`, and the alias of its software if it has one.
[[nodiscard]] std::string to_text(const PublishedRow& row);

/// A software stack that rows name by its alias.
struct AliasedTransport {
  std::string alias;
  TransportProfile profile;
};

/// A number of the cluster's or a transport's file that was fitted on rows of the set.
struct FittedInput {
  std::string name;  // as `predict --why` names it
  std::string from;  // where its first guess came from
};

/// Measurements that others published, with the machine that they were made on.
struct PublishedSet {
  std::string source;
  std::string note;  // may be empty
  /// All that the rows share. Its ranks and sizes are those of all rows; its algorithm and
  /// transport are those of rows that name none; it has one ring order.
  Scenario scenario;
  /// The files that hold the cluster and the transport; the set's own where it does.
  std::filesystem::path cluster_file;
  std::filesystem::path transport_file;
  std::vector<AliasedTransport> transports;
  std::vector<PublishedRow> rows;
  /// By the number of ranks: which GPUs they were, in order, where they were not the first.
  std::map<int, std::vector<int>> gpus;
  std::vector<FittedInput> fitted_numbers;
};

/// Reads and checks a published set with the cluster and transport files it names (paths relative
/// to its own). Throws ScenarioError "file:line:column: key: problem (expected ...)".
[[nodiscard]] PublishedSet read_published_set(const std::filesystem::path& file);
[[nodiscard]] PublishedSet read_published_set(const InputNode& node);

/// The scenario of one cell that `row`, which is of `set`, measured.
[[nodiscard]] Scenario scenario_of(const PublishedSet& set, const PublishedRow& row);

}  // namespace ringcast
