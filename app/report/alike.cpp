#include "app/report/alike.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace ringcast::detail {

namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// A name cut where digits begin and end: `node`, `12`, `.nic`, `0`.
std::vector<std::string> pieces_of(const std::string& name) {
  std::vector<std::string> pieces;
  for (const char c : name) {
    if (pieces.empty() || is_digit(pieces.back().back()) != is_digit(c)) {
      pieces.emplace_back();
    }
    pieces.back().push_back(c);
  }
  return pieces;
}

/// Whether a piece is the number that follows another. Numbers of many digits do not count.
bool follows(const std::string& before, const std::string& after) {
  const auto is_number = [](const std::string& text) {
    return text.size() < 10 && is_digit(text.front());
  };
  return is_number(before) && is_number(after) && std::stoll(before) + 1 == std::stoll(after);
}

/// The only piece in which two names differ, if it is a number and counts up by one.
std::optional<std::size_t> counting_piece(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = pieces_of(before);
  const std::vector<std::string> b = pieces_of(after);
  if (a.size() != b.size()) {
    return std::nullopt;
  }
  std::optional<std::size_t> differing;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) {
      continue;
    }
    if (differing || !follows(a[i], b[i])) {
      return std::nullopt;
    }
    differing = i;
  }
  return differing;
}

std::vector<std::string> runs_of(std::span<const std::string> names) {
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < names.size();) {
    std::size_t last = first;
    std::optional<std::size_t> counting;
    while (last + 1 < names.size()) {
      const auto piece = counting_piece(names[last], names[last + 1]);
      if (!piece || (counting && counting != piece)) {
        break;
      }
      counting = piece;
      ++last;
    }
    if (last == first + 1) {
      last = first;  // two names are as short one by one
    }
    runs.push_back(first == last ? names[first]
                                 : fmt::format("{} .. {}", names[first], names[last]));
    first = last + 1;
  }
  return runs;
}

/// What each node is like, as text: nodes are alike if their texts are equal.
std::vector<std::string> descriptions(const Cluster& cluster, int nodes) {
  std::vector<std::string> of_node(index(nodes));
  for (int node = 0; node < nodes && index(node) < cluster.node_types.size(); ++node) {
    of_node[index(node)] = cluster.node_types[index(node)] + "\n";
  }
  for (const Vertex& vertex : cluster.vertices) {
    if (vertex.node >= 0) {
      fmt::format_to(std::back_inserter(of_node[index(vertex.node)]), "{} {}\n",
                     local_name(vertex.name), name_of(vertex.kind));
    }
  }
  for (const Cable& cable : cluster.cables) {
    const Vertex& a = cluster.vertices[index(cable.a)];
    const Vertex& b = cluster.vertices[index(cable.b)];
    const auto add = [&cable](std::string& to, const std::string& ends) {
      fmt::format_to(std::back_inserter(to), "{} {} {} {}\n", ends, cable.bandwidth.value(),
                     cable.latency.count(), cable.link_class);
    };
    if (a.node == b.node && a.node >= 0) {
      add(of_node[index(a.node)], local_name(a.name) + " " + local_name(b.name));
      continue;
    }
    for (const Vertex* end : {&a, &b}) {
      if (end->node >= 0) {
        add(of_node[index(end->node)], local_name(end->name));
      }
    }
  }
  return of_node;
}

std::vector<std::string> node_names(const Cluster& cluster, int nodes) {
  std::vector<std::string> names(index(nodes));
  for (const Vertex& vertex : cluster.vertices) {
    if (vertex.node >= 0 && names[index(vertex.node)].empty()) {
      const std::string owner = owner_of(vertex.name);
      names[index(vertex.node)] = owner.empty() ? fmt::format("node{}", vertex.node) : owner;
    }
  }
  return names;
}

std::string label_of(const std::vector<int>& nodes, const std::vector<std::string>& names,
                     const Cluster& cluster) {
  std::vector<std::string> own;
  own.reserve(nodes.size());
  for (const int node : nodes) {
    own.push_back(names[index(node)]);
  }
  const bool has_type = index(nodes.front()) < cluster.node_types.size();
  const std::string type = has_type ? cluster.node_types[index(nodes.front())] : "";
  if (nodes.size() == 1) {
    return has_type ? fmt::format("{} ({})", own.front(), type) : own.front();
  }
  return has_type ? fmt::format("{} ({} x {})", in_short(own), nodes.size(), type)
                  : fmt::format("{} ({} alike)", in_short(own), nodes.size());
}

}  // namespace

std::string owner_of(const std::string& name) {
  const std::size_t point = name.find('.');
  return point == std::string::npos ? "" : name.substr(0, point);
}

std::string local_name(const std::string& name) {
  const std::size_t point = name.find('.');
  return point == std::string::npos ? name : name.substr(point + 1);
}

std::string in_short(std::span<const std::string> names) {
  const std::vector<std::string> runs = runs_of(names);
  constexpr std::size_t most = 4;
  if (runs.size() <= most) {
    return fmt::format("{}", fmt::join(runs, ", "));
  }
  return fmt::format("{}, {}, ..., {}", names.front(), names[1], names.back());
}

std::string rate_of(const Cable& cable) {
  return fmt::format("{} {}", to_text(cable.bandwidth), cable.link_class);
}

std::vector<AlikeNodes> alike_nodes(const Cluster& cluster) {
  int nodes = 0;
  for (const Vertex& vertex : cluster.vertices) {
    nodes = std::max(nodes, vertex.node + 1);
  }
  const std::vector<std::string> names = node_names(cluster, nodes);
  const std::vector<std::string> described = descriptions(cluster, nodes);
  std::vector<AlikeNodes> sets;
  std::map<std::string_view, std::size_t> known;
  for (int node = 0; node < nodes; ++node) {
    if (names[index(node)].empty()) {
      continue;  // a number that no vertex uses
    }
    const auto [place, is_new] = known.emplace(described[index(node)], sets.size());
    if (is_new) {
      sets.emplace_back();
    }
    sets[place->second].nodes.push_back(node);
  }
  for (AlikeNodes& set : sets) {
    set.label = label_of(set.nodes, names, cluster);
  }
  return sets;
}

}  // namespace ringcast::detail
