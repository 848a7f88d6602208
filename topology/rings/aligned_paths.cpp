// A node that has lost one of its eight NICs has seven paths, and their numbers are no longer
// those of the other nodes' paths:
//
//   node 0   1-0  0-1  3-2  2-3  5-4  4-5  7-6  6-7
//   node 5   1-0  0-1  2-3  5-4  4-5  7-6  6-7          the NIC of GPU 3 is missing
//
// If paths are connected by their numbers, four rings change rails there and share the uplinks of
// some leaves. If they are connected by their ends, ring 3-2 has no path through node 5 and comes
// last:
//
//   node 0   1-0  0-1  2-3  5-4  4-5  7-6  6-7  3-2
//   node 5   1-0  0-1  2-3  5-4  4-5  7-6  6-7  -
#include "topology/rings/aligned_paths.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ringcast::detail {

namespace {

/// The paths at the places of those in `widest` with the same ends, the others at free places.
std::vector<NodePath> aligned_with(const std::vector<NodePath>& widest,
                                   std::vector<NodePath> paths) {
  std::vector<NodePath> placed(widest.size());
  for (std::size_t at = 0; at < widest.size(); ++at) {
    const auto same_ends = [&](const NodePath& path) {
      return path.front() == widest[at].front() && path.back() == widest[at].back();
    };
    if (const auto found = std::ranges::find_if(paths, same_ends); found != paths.end()) {
      placed[at] = std::move(*found);
      paths.erase(found);
    }
  }
  for (auto free = placed.begin(); NodePath & path : paths) {
    free = std::ranges::find_if(free, placed.end(), &NodePath::empty);
    *free = std::move(path);
  }
  return placed;
}

/// The paths in an order of their places. An empty place gets one of the other paths, first of
/// those that are not among the first `rings`.
std::vector<NodePath> in_order(const std::vector<NodePath>& paths,
                               const std::vector<std::size_t>& order, std::size_t rings) {
  std::vector<NodePath> spare;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = order[(i + rings) % order.size()];
    if (!paths[at].empty()) spare.push_back(paths[at]);
  }
  std::vector<NodePath> ordered;
  ordered.reserve(order.size());
  for (std::size_t taken = 0; const std::size_t at : order) {
    ordered.push_back(paths[at].empty() ? spare[taken++ % spare.size()] : paths[at]);
  }
  return ordered;
}

using Path = std::vector<Rank>;

/// Whether the GPUs of a path reach each other through NVSwitches.
bool is_switched(const TransferPaths& paths, const Path& path) {
  const TransferPath& hop = paths.between(path.front(), path.back());
  return hop.kind == PathKind::nvlink && hop.main.links.size() > 1;
}

/// Whether ring i can close over the last GPU of ring i + shift, for all i: it must not be an end
/// of the ring's own path through the last node.
bool are_free(const RingPaths& rings, std::size_t shift) {
  for (std::size_t i = 0; i < rings.size(); ++i) {
    const Rank third = rings[(i + shift) % rings.size()].back().back();
    const Path& own = rings[i].back();
    if (third == own.front() || third == own.back()) return false;
  }
  return true;
}

Path moved_to_end(Path path, Rank rank) {
  std::erase(path, rank);
  path.push_back(rank);
  return path;
}

}  // namespace

void align_paths(std::map<int, std::vector<NodePath>>& paths_of_shapes) {
  const auto count = [](const auto& shape) { return shape.second.size(); };
  const std::vector<NodePath> widest = std::ranges::max_element(paths_of_shapes, {}, count)->second;
  const std::size_t rings = count(*std::ranges::min_element(paths_of_shapes, {}, count));
  std::vector<int> missing(widest.size());
  for (auto& [shape, paths] : paths_of_shapes) {
    paths = aligned_with(widest, std::move(paths));
    for (std::size_t at = 0; at < widest.size(); ++at) {
      missing[at] += paths[at].empty() ? 1 : 0;
    }
  }
  std::vector<std::size_t> order(widest.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return missing[at]; });
  for (auto& [shape, paths] : paths_of_shapes) {
    paths = in_order(paths, order, rings);
  }
}

void close_over_third_rail(const TransferPaths& paths, RingPaths& rings) {
  const std::vector<Path>& first = rings.front();
  const std::size_t nodes = first.size();
  if (nodes < 3 || nodes % 2 == 0 || first.back().size() != first[nodes - 2].size() ||
      !is_switched(paths, first.back()) || !is_switched(paths, first[nodes - 2]) ||
      paths.between(first.back().back(), first.front().front()).level <=
          paths.between(first.front().back(), first[1].front()).level) {
    return;
  }
  const RingPaths whole = rings;
  for (std::size_t shift = 1; shift < whole.size(); ++shift) {
    if (!are_free(whole, shift)) continue;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const std::vector<Path>& other = whole[(i + shift) % whole.size()];
      rings[i][nodes - 2] = moved_to_end(whole[i][nodes - 2], other[nodes - 2].front());
      rings[i].back() = moved_to_end(whole[i].back(), other.back().back());
      std::ranges::reverse(rings[i].back());
    }
    return;
  }
}

}  // namespace ringcast::detail
