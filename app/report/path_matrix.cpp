// The paths between the GPUs of a node, as a table.
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "app/common/counted.hpp"
#include "app/report/alike.hpp"
#include "app/report/show.hpp"
#include "app/report/text_table.hpp"

namespace ringcast {
namespace {

constexpr std::size_t most_shown = 16;

const Vertex& vertex_of(const TransferPaths& paths, Rank rank) {
  const Topology& topology = paths.topology();
  return topology.cluster().vertex(topology.vertex_of(rank));
}

/// The ranks that the table of a node shows: its own, and the first of the other nodes.
std::vector<Rank> shown_ranks(const TransferPaths& paths, int node) {
  std::vector<Rank> own;
  std::optional<Rank> other;
  for (int i = 0; i < paths.ranks(); ++i) {
    const Rank rank{i};
    if (vertex_of(paths, rank).node != node) {
      if (!other) other = rank;
    } else if (own.size() < most_shown) {
      own.push_back(rank);
    }
  }
  if (other && !own.empty()) own.push_back(*other);
  return own;
}

/// `PIX 12.2`, staged `SYS* 6.0`; between nodes `NET 4.3`.
std::string cell(const TransferPaths& paths, Rank from, Rank to) {
  if (from == to) return "X";
  const TransferPath& path = paths.between(from, to);
  double seconds_per_byte = time_per_byte(paths.topology(), path.main).count();
  for (const std::optional<Leg>& copy : {path.copy_down, path.copy_up})
    if (copy) seconds_per_byte += time_per_byte(paths.topology(), *copy).count();
  const std::string_view level = path.kind == PathKind::network       ? "NET"
                                 : path.kind == PathKind::host_memory ? "MEM"
                                                                      : name_of(path.level);
  const bool staged = path.staged_by_sender || path.staged_by_receiver;
  const double rate = seconds_per_byte > 0 ? 1e-9 / seconds_per_byte : 0;
  constexpr double three_digits = 100;
  const std::string text = rate <= 0              ? "-"
                           : rate >= three_digits ? fmt::format("{:.0f}", rate)
                                                  : fmt::format("{:.3g}", rate);
  return fmt::format("{}{} {}", level, staged ? "*" : "", text);
}

std::string table_between(const TransferPaths& paths, const std::vector<Rank>& ranks) {
  const auto name = [&](Rank rank) { return vertex_of(paths, rank).name; };
  std::vector<Column<Rank>> columns{{"from", name, Hidden::never, true}};
  for (const Rank to : ranks)
    columns.push_back({name(to), [&paths, to](Rank from) { return cell(paths, from, to); }});
  return table_of(columns, ranks);
}

constexpr std::string_view legend = R"(
X    itself
NVL  over NVLink
PIX  through one PCIe switch
PXB  through several PCIe switches
PHB  past a root complex
SYS  across the sockets
NET  between nodes{}
MEM  through host memory, where the ranks' buffers are (processes: one core's copy)
*    staged: copied to host memory and from there
The number is what one transfer by itself reaches, in GB/s; transfers at once share cables.
)";

}  // namespace

std::string path_matrix(const TransferPaths& paths) {
  std::string text = fmt::format("Transfer paths under {}\n", paths.profile().name);
  std::set<Rank> shown;
  for (const detail::AlikeNodes& alike : detail::alike_nodes(paths.topology().cluster())) {
    const std::vector<Rank> ranks = shown_ranks(paths, alike.nodes.front());
    if (!ranks.empty()) text += "\n" + table_between(paths, ranks);
    shown.insert(ranks.begin(), ranks.end());
  }
  const int more = paths.ranks() - static_cast<int>(shown.size());
  if (more > 0) {
    const bool are_gpus = vertex_of(paths, Rank{0}).kind == VertexKind::gpu;
    text += fmt::format("and {}\n", counted(more, are_gpus ? "more GPU" : "more process"));
  }
  return text + fmt::format(legend,
                            paths.splits_nodes() ? ", and in one where NCCL uses the network" : "");
}

}  // namespace ringcast
