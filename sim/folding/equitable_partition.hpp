#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ringcast {

/// A graph whose vertices have colours and whose edges have labels; each edge is seen from both
/// ends, under a label for each.
class ColouredGraph {
 public:
  using Colour = std::array<std::uint64_t, 2>;

  [[nodiscard]] int add_vertex(Colour colour);
  /// From now on `a` has a neighbour b under `label_at_a`, and b has a under `label_at_b`. Equal
  /// edges count as often as they are added.
  void add_edge(int a, int label_at_a, int b, int label_at_b);

  [[nodiscard]] int vertices() const { return static_cast<int>(colours_.size()); }
  struct Neighbour {
    int vertex;
    int label;
    int label_there;  // under which the neighbour sees this vertex
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
  /// Found when first asked for, after which no edge may be added.
  [[nodiscard]] const Adjacency& adjacency() const;
  [[nodiscard]] Colour colour(int vertex) const {
    return colours_[static_cast<std::size_t>(vertex)];
  }

 private:
  struct Edge {
    int a;
    int label_at_a;
    int b;
    int label_at_b;
  };
  std::vector<Colour> colours_;
  mutable std::vector<Edge> edges_;  // until adjacency_ is found
  mutable Adjacency adjacency_;
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
