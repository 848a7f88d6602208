#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/scenario/training.hpp"
#include "engine/numbers/element.hpp"
#include "engine/schedule/ring_order.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// A ring order of a scenario; orders() evaluates it for a number of ranks.
struct RingChoice {
  /// One of ring_rules() (`by-rank`, `reversed`, `interleaved`, `shuffled`, `nccl`, `searched`), or
  /// the file's name of the explicit orders below.
  std::string name;
  /// One permutation per channel, or one for all; empty for a rule.
  std::vector<std::vector<Rank>> given;
};

/// One experiment, fully resolved: no defaults left to apply, no units left to parse. The cells of
/// its sweep are ranks x sizes x algorithms x ring_orders x channels; those of a training, instead
/// of sizes, its batches, buckets and overlaps.
struct Scenario {
  std::filesystem::path file;
  std::string name;
  ClusterSpec cluster;
  TransportProfile transport;
  std::vector<int> ranks;    // each 1 .. GPUs of the cluster; in a measurement from 1 on
  std::vector<Bytes> sizes;  // each a multiple of the element size
  std::vector<std::string> algorithms;
  Reduction reduction;
  std::vector<RingChoice> ring_orders;
  std::vector<int> channels;           // each 1 or more; empty: as many as the rule has orders
  std::optional<Bytes> segment_size;   // a multiple of the element size
  bool asks_for_whole_chunks = false;  // by `segment_size: whole`
  std::uint64_t seed = 0;
  std::vector<int> parameter_servers;  // nodes with a server each; empty: all
  bool servers_on_hosts = false;     // on the CPU next to the node's first rank, else on that rank
  bool served_at_once = false;       // CollectiveOptions::serve_at_once
  std::optional<Training> training;  // then there are no sizes
  /// The positions of values that can be refused only after reading, by key and value: for
  /// `algorithm tree` e.g. `rails.yaml:7:12: algorithm`. Values without an entry are defaults.
  std::map<std::string, std::string> positions = {};
  /// Cables that are slower or missing, as degrade() reads them; predictions only.
  std::string degraded = {};
  /// Assumptions of the reader that the user should know, a line each; empty: none.
  std::string note = {};
};

inline constexpr std::uint64_t largest_seed = std::numeric_limits<std::int64_t>::max();

/// The prefix of messages about the value: its position, or the key alone for a default.
[[nodiscard]] std::string position_of(const Scenario& scenario, const std::string& key,
                                      const std::string& value);

/// The tuner of the transport chooses; without a tuner the fastest predicted algorithm is taken.
inline constexpr std::string_view auto_algorithm = "auto";
/// The rings that NCCL builds on the topology, one per disjoint path; predictions only.
inline constexpr std::string_view nccl_rings = "nccl";
/// The rings that a search finds to be fastest on the topology, as many as that needs.
inline constexpr std::string_view searched_rings = "searched";

/// For training only: workers wait for the servers, never for each other.
inline constexpr std::string_view asynchronous_algorithm = "parameter-server-async";
/// Whether the algorithm uses parameter servers.
[[nodiscard]] bool has_servers(std::string_view algorithm);

/// Options of the command line that replace keys of the file, with the same units and checks.
struct ScenarioOverrides {
  std::optional<std::string> ranks = std::nullopt;  // "8,16,40"
  std::optional<std::string> nodes = std::nullopt;  // "0-3,16", of the job
  std::optional<std::string> gpus = std::nullopt;   // "4-7", of each node
  std::optional<std::string> sizes = std::nullopt;  // "1MiB,64MiB"
  std::optional<std::string> min = std::nullopt, max = std::nullopt,
                             factor = std::nullopt;  // a geometric series, as nccl-tests' -b -e -f
  std::optional<std::string> transport = std::nullopt;  // "nccl-2.26", or a file
  std::optional<std::string> nccl_env = std::nullopt;   // "NCCL_ALGO=Ring NCCL_P2P_LEVEL=PHB"
  std::optional<std::string> algorithm = std::nullopt;  // "ring,..."
  std::optional<std::string> protocol = std::nullopt;   // "LL,LL128"
  std::optional<std::string> ring = std::nullopt;       // "by-rank,interleaved"
  std::optional<std::string> channels = std::nullopt;   // "1,8"
  std::optional<std::string> segment_size = std::nullopt;
  std::optional<std::string> data_type = std::nullopt;
  std::optional<std::string> bucket_size = std::nullopt;  // "4MiB,64MiB"
  std::optional<std::string> overlap = std::nullopt;
};

/// The use of a scenario. A measurement has as many ranks as are started, whatever the cluster file
/// says, and algorithms of other libraries.
enum class Purpose { prediction, measurement };

/// Reads and checks a scenario with the cluster and transport files it names (paths relative to the
/// scenario file). Throws ScenarioError "file:line:column: key: problem (expected ...)", or
/// "--option: problem (expected ...)" for an override.
[[nodiscard]] Scenario read_scenario(const std::filesystem::path& file,
                                     const ScenarioOverrides& overrides = {},
                                     Purpose purpose = Purpose::prediction);
[[nodiscard]] TransportProfile read_transport(const std::filesystem::path& file);

/// The orders of all channels for `ranks` ranks; `node_of[r]` is the node of rank r.
/// by-rank: 0 1 2 ...; reversed: ... 2 1 0; interleaved: the first rank of each node, then the
/// second of each, ... (crosses the network at every hop: the worst case of a naive placement);
/// shuffled: a random permutation fixed by `seed`; nccl, searched: by-rank, until the topology is
/// known.
[[nodiscard]] std::vector<RingOrder> orders(const RingChoice& choice, int ranks, int channels,
                                            const std::vector<int>& node_of, std::uint64_t seed);
/// The rules' names, for messages and help.
[[nodiscard]] const std::vector<std::string>& ring_rules();
/// The algorithms that can only be measured: `mpi` is MPI_Allreduce.
[[nodiscard]] const std::vector<std::string>& measured_only_names();

}  // namespace ringcast
