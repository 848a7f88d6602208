// The paths between the GPUs of a node, as a table.
#include <vector>

#include <fmt/format.h>

#include "app/report/show.hpp"
#include "app/report/text_table.hpp"

namespace ringcast {
namespace {

constexpr int most_shown = 16;

const Vertex& vertex_of(const TransferPaths& paths, Rank rank) {
  const Topology& topology = paths.topology();
  return topology.cluster().vertex(topology.vertex_of(rank));
}

/// The ranks that the table shows: those of the first node, and the first of the next.
std::vector<Rank> shown_ranks(const TransferPaths& paths) {
  std::vector<Rank> shown;
  for (int rank = 0; rank < paths.ranks(); ++rank) {
    const bool first_node = vertex_of(paths, Rank{rank}).node == vertex_of(paths, Rank{0}).node;
    if (first_node && rank < most_shown) {
      shown.push_back(Rank{rank});
    } else if (!first_node) {
      shown.push_back(Rank{rank});
      break;
    }
  }
  return shown;
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
  const std::string rate =
      seconds_per_byte > 0 ? fmt::format("{:.3g}", 1e-9 / seconds_per_byte) : std::string{"-"};
  return fmt::format("{}{} {}", level, staged ? "*" : "", rate);
}

constexpr std::string_view legend = R"(
X    itself
NVL  over NVLink
PIX  through one PCIe switch
PXB  through several PCIe switches
PHB  past a root complex
SYS  across the sockets
NET  between nodes
MEM  through host memory, where the ranks' buffers are (processes: one core's copy)
*    staged: copied to host memory and from there
The number is what one transfer by itself reaches, in GB/s; transfers at once share cables.
)";

}  // namespace

std::string path_matrix(const TransferPaths& paths) {
  const std::vector<Rank> ranks = shown_ranks(paths);
  const auto name = [&](Rank rank) { return vertex_of(paths, rank).name; };
  std::vector<Column<Rank>> columns{{"from", name, Hidden::never, true}};
  for (const Rank to : ranks)
    columns.push_back({name(to), [&paths, to](Rank from) { return cell(paths, from, to); }});
  std::string text =
      fmt::format("Transfer paths under {}\n\n{}", paths.profile().name, table_of(columns, ranks));
  if (static_cast<int>(ranks.size()) < paths.ranks()) {
    const int more = paths.ranks() - static_cast<int>(ranks.size());
    text += fmt::format("and {} more {}\n", more,
                        vertex_of(paths, Rank{0}).kind == VertexKind::gpu ? "GPUs" : "processes");
  }
  return text + std::string{legend};
}

}  // namespace ringcast
