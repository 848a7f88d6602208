#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "engine/numbers/flat_numbers.hpp"

namespace ringcast {

/// A graph with coloured vertices and labelled edges; an edge has one label at each end.
class ColouredGraph {
 public:
  using Colour = std::array<std::uint64_t, 2>;

  [[nodiscard]] int add_vertex(Colour colour);
  /// `b` is a neighbour of `a` under `label_at_a`, and `a` one of `b` under `label_at_b`.
  struct Edge {
    int a;
    int label_at_a;
    int b;
    int label_at_b;
  };
  /// Adds all edges, once, after all vertices. for_each_edge(visit) visits each edge, and a
  /// multiple edge several times. It is called twice, to count and to fill, so that edges are not
  /// stored elsewhere.
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
  /// The pair of labels is one number, to save memory: neighbours take half of a graph.
  struct Neighbour {
    int vertex;
    int labels;
    friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
  };
  /// The neighbours of all vertices, one vertex after the other.
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
    int there;  // at the neighbour's end
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
  FlatNumbers<std::uint64_t, FibonacciHash> numbers_;
};

/// A division of vertices into classes.
struct Partition {
  std::vector<int> class_of;
  std::vector<int> first_of;  // of each class: one of its vertices
  [[nodiscard]] int classes() const { return static_cast<int>(first_of.size()); }
};

/// The coarsest equitable partition that refines the colours: the vertices of a class have the same
/// colour and, for each class and label, the same number of neighbours. Colour refinement,
/// O(m log n) for m edges and n vertices (Cardon and Crochemore 1982, "Partitioning a graph in
/// O(|A| log2 |V|)").
[[nodiscard]] Partition equitable_partition(const ColouredGraph& graph);

/// Whether a partition is equitable and refines the colours, by counting neighbours.
[[nodiscard]] bool is_equitable(const ColouredGraph& graph, const Partition& partition);

}  // namespace ringcast
