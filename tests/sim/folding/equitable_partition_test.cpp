#include "sim/folding/equitable_partition.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

constexpr ColouredGraph::Colour plain{0, 0};

using Edges = std::vector<ColouredGraph::Edge>;

void connect(ColouredGraph& graph, const Edges& edges) {
  graph.connect([&edges](const auto& visit) { std::ranges::for_each(edges, visit); });
}

Edges ring_edges(int vertices) {
  Edges edges;
  for (int i = 0; i < vertices; ++i) {
    edges.push_back({i, 0, (i + 1) % vertices, 1});  // the next, the previous
  }
  return edges;
}

ColouredGraph ring(int vertices) {
  ColouredGraph graph;
  for (int i = 0; i < vertices; ++i) {
    static_cast<void>(graph.add_vertex(plain));
  }
  connect(graph, ring_edges(vertices));
  return graph;
}

/// The definition: vertices are alike until something distinguishes them, round by round.
int classes_by_definition(const ColouredGraph& graph) {
  const ColouredGraph::Adjacency adjacency = graph.adjacency();
  std::vector<int> class_of(static_cast<std::size_t>(graph.vertices()), 0);
  std::size_t classes = 1;
  while (true) {
    std::map<std::tuple<ColouredGraph::Colour, int, std::multiset<std::pair<int, int>>>, int>
        numbers;
    std::vector<int> finer;
    for (int v = 0; v < graph.vertices(); ++v) {
      std::multiset<std::pair<int, int>> seen;
      for (const auto& each : adjacency.of(v)) {
        seen.emplace(graph.labels_of(each).here, class_of[static_cast<std::size_t>(each.vertex)]);
      }
      finer.push_back(
          numbers
              .try_emplace({graph.colour(v), class_of[static_cast<std::size_t>(v)], seen},
                           static_cast<int>(numbers.size()))
              .first->second);
    }
    class_of = finer;
    if (numbers.size() == classes) {
      return static_cast<int>(classes);
    }
    classes = numbers.size();
  }
}

TEST(EquitablePartition, HasOneClassForARing) {
  for (const int vertices : {1, 2, 3, 8, 1000}) {
    const ColouredGraph graph = ring(vertices);

    EXPECT_EQ(equitable_partition(graph).classes(), 1) << vertices;
  }
}

// A coloured vertex of a ring of n tells all others apart by their distance from it, in the
// direction of the ring: n classes.
TEST(EquitablePartition, TellsTheVerticesOfARingApartByOneThatDiffers) {
  for (const int vertices : {2, 3, 8, 1000}) {
    ColouredGraph graph;
    for (int i = 0; i < vertices; ++i) {
      static_cast<void>(graph.add_vertex(plain));
    }
    const int other = graph.add_vertex({1, 0});
    Edges edges = ring_edges(vertices);
    edges.push_back({0, 2, other, 3});
    connect(graph, edges);

    const Partition partition = equitable_partition(graph);

    EXPECT_EQ(partition.classes(), vertices + 1);
    EXPECT_TRUE(is_equitable(graph, partition));
  }
}

// The two halves of a ring of 4 k, with every other vertex coloured in pairs, repeat: 4 classes.
TEST(EquitablePartition, FindsAPeriod) {
  ColouredGraph graph;
  for (std::uint64_t i = 0; i < 400; ++i) {
    static_cast<void>(graph.add_vertex({i % 4 == 0 ? 1U : 0U, 0}));
  }
  connect(graph, ring_edges(400));

  EXPECT_EQ(equitable_partition(graph).classes(), 4);
}

TEST(EquitablePartition, CountsRepeatedEdges) {
  ColouredGraph graph;
  Edges edges;
  const int hub = graph.add_vertex({1, 0});
  for (int leaf = 0; leaf < 6; ++leaf) {
    const int vertex = graph.add_vertex(plain);
    for (int times = 0; times <= leaf % 2; ++times) {
      edges.push_back({vertex, 0, hub, 0});
    }
  }
  connect(graph, edges);

  const Partition partition = equitable_partition(graph);

  EXPECT_EQ(partition.classes(), 3);  // the hub, three leaves with one edge, three with two
  EXPECT_EQ(partition.class_of[1], partition.class_of[3]);
  EXPECT_NE(partition.class_of[1], partition.class_of[2]);
}

TEST(EquitablePartition, IsTheCoarsestOnRandomGraphs) {
  std::mt19937 random{1};
  for (int graphs = 0; graphs < 500; ++graphs) {
    ColouredGraph graph;
    const auto vertices = 1 + static_cast<int>(random() % 24);
    for (int v = 0; v < vertices; ++v) {
      static_cast<void>(graph.add_vertex({random() % 8 == 0 ? 1U : 0U, 0}));
    }
    Edges edges;
    for (auto left = random() % 48; left > 0; --left) {
      const auto a = static_cast<int>(random() % static_cast<unsigned>(vertices));
      const auto b = static_cast<int>(random() % static_cast<unsigned>(vertices));
      const auto label_at_b = static_cast<int>(random() % 2);
      edges.push_back({a, static_cast<int>(random() % 2), b, label_at_b});
    }
    connect(graph, edges);

    const Partition partition = equitable_partition(graph);

    EXPECT_EQ(partition.classes(), classes_by_definition(graph)) << graphs;
  }
}

TEST(IsEquitable, SeesVerticesThatDiffer) {
  const ColouredGraph graph = ring(4);

  EXPECT_TRUE(is_equitable(graph, {{0, 1, 0, 1}, {0, 1}}));
  EXPECT_FALSE(is_equitable(graph, {{0, 0, 1, 1}, {0, 2}}));  // 0 comes before its own class
  EXPECT_FALSE(is_equitable(graph, {{0, 0, 0, 1}, {0, 3}}));
}

TEST(IsEquitable, SeesColoursThatDiffer) {
  ColouredGraph graph;
  static_cast<void>(graph.add_vertex(plain));
  static_cast<void>(graph.add_vertex({1, 0}));
  connect(graph, {});

  EXPECT_FALSE(is_equitable(graph, {{0, 0}, {0}}));
  EXPECT_TRUE(is_equitable(graph, {{0, 1}, {0, 1}}));
}

}  // namespace
}  // namespace ringcast
