#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace ringcast {

/// A graph whose vertices have colours and whose edges have labels; each edge is seen from both
/// ends, under a label for each.
class ColouredGraph {
 public:
  using Colour = std::array<std::uint64_t, 2>;

  [[nodiscard]] int add_vertex(Colour colour);
  /// `a` has a neighbour b under `label_at_a`, and b has a under `label_at_b`.
  struct Edge {
    int a;
    int label_at_a;
    int b;
    int label_at_b;
  };
  /// Adds all edges of the vertices: for_each_edge(visit) visits each; equal ones count as often as
  /// they are visited. It is called twice, so that nobody needs to keep them. Once.
  template <typename ForEachEdge>
  void connect(const ForEachEdge& for_each_edge) {
    std::vector<std::size_t>& begin = adjacency_.begin;
    begin.assign(colours_.size() + 1, 0);
    for_each_edge([&](const Edge& edge) {
      ++begin[static_cast<std::size_t>(edge.a) + 1];
      ++begin[static_cast<std::size_t>(edge.b) + 1];
    });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    adjacency_.neighbours.resize(begin.back());
    std::vector<std::size_t> next{begin.begin(), begin.end() - 1};
    const auto add = [&](int vertex, const Neighbour& neighbour) {
      adjacency_.neighbours[next[static_cast<std::size_t>(vertex)]++] = neighbour;
    };
    std::optional<Labels> last;  // many edges in succession have the same
    int at_a = 0;
    int at_b = 0;
    for_each_edge([&](const Edge& edge) {
      const Labels labels{edge.label_at_a, edge.label_at_b};
      if (last != labels) {
        last = labels;
        at_a = number_of(labels);
        at_b = number_of({labels.there, labels.here});
      }
      add(edge.a, {edge.b, at_a});
      add(edge.b, {edge.a, at_b});
    });
  }

  [[nodiscard]] int vertices() const { return static_cast<int>(colours_.size()); }
  /// Half of what a graph takes is neighbours: both labels of an edge are one number.
  struct Neighbour {
    int vertex;
    int labels;
    friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
  };
  /// The neighbours of each vertex, as it sees them: one after the other.
  struct Adjacency {
    std::vector<std::size_t> begin;
    std::vector<Neighbour> neighbours;
    [[nodiscard]] std::span<const Neighbour> of(int vertex) const {
      const auto at = static_cast<std::size_t>(vertex);
      return std::span{neighbours}.subspan(begin[at], begin[at + 1] - begin[at]);
    }
  };
  [[nodiscard]] const Adjacency& adjacency() const { return adjacency_; }
  struct Labels {
    int here;
    int there;  // under which the neighbour sees the vertex
    friend auto operator<=>(const Labels&, const Labels&) = default;
  };
  [[nodiscard]] Labels labels_of(const Neighbour& neighbour) const {
    return labels_[static_cast<std::size_t>(neighbour.labels)];
  }
  [[nodiscard]] Colour colour(int vertex) const {
    return colours_[static_cast<std::size_t>(vertex)];
  }

 private:
  [[nodiscard]] int number_of(Labels labels);

  std::vector<Colour> colours_;
  Adjacency adjacency_;
  std::vector<Labels> labels_;  // by number
  std::map<Labels, int> numbers_;
};

/// A division of vertices into classes.
struct Partition {
  std::vector<int> class_of;
  std::vector<int> first_of;  // of each class: one of its vertices
  [[nodiscard]] int classes() const { return static_cast<int>(first_of.size()); }
};

/// The coarsest equitable partition that is finer than the colours: the vertices of a class have
/// one colour, and as many neighbours of each class under each label. Colour refinement: O(m log n)
/// for m edges (Cardon and Crochemore 1982, "Partitioning a graph in O(|A| log2 |V|)").
[[nodiscard]] Partition equitable_partition(const ColouredGraph& graph);

/// Whether a partition is equitable and finer than the colours, by counting.
[[nodiscard]] bool is_equitable(const ColouredGraph& graph, const Partition& partition);

}  // namespace ringcast
