#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "topology/routes/topology.hpp"

namespace ringcast::detail {

/// A directed cut: its capacity, and the links that it consists of.
struct TransferCut {
  BytesPerSecond capacity;
  std::vector<LinkId> links;
};

/// A directed graph of rates, some of whose arcs are links, and its minimum cuts (Boost.Graph).
class FlowNetwork {
 public:
  /// Bytes per second. An unlimited arc, 1.8 PB/s, exceeds the sum of a node's links; five thousand
  /// of them, one for each rank of a node, do not overflow.
  using Rate = std::int64_t;
  static constexpr Rate unlimited = std::numeric_limits<Rate>::max() / 5'000;

  FlowNetwork();
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;
  ~FlowNetwork();

  std::size_t add_vertex();
  void connect(std::size_t from, std::size_t to, Rate rate);
  /// TransferCut::links has the link if the cut separates the two vertices. Its rate is part of a
  /// connect(), which may sum the rates of parallel links.
  void name_link(LinkId link, std::size_t from, std::size_t to) {
    links_.push_back({link, from, to});
  }

  /// The narrowest cut between two vertices.
  [[nodiscard]] TransferCut cut(std::size_t from, std::size_t to);
  /// The narrowest cut that separates any of these vertices from others, in either direction;
  /// nothing for fewer than two.
  [[nodiscard]] std::optional<TransferCut> narrowest_cut(std::span<const std::size_t> vertices);

 private:
  class Graph;
  struct NamedLink {
    LinkId link;
    std::size_t from;
    std::size_t to;
  };

  std::unique_ptr<Graph> graph_;
  std::vector<NamedLink> links_;
};

}  // namespace ringcast::detail
