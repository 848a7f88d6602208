#include "sim/folding/equitable_partition.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "engine/numbers/mixed_bits.hpp"

// Colour refinement in rounds. Each vertex whose class is new adds its class to the signatures of
// its neighbours. A class splits into parts of equal signatures; the largest part keeps the class's
// number and adds nothing in the next round. So the class of a vertex that changes class is at most
// half as large as before: a vertex does so at most log2(n) times, and each edge is visited that
// often from each end.
//
// Why the largest part may be omitted: before the split, the members of any class have equally many
// neighbours in the class that splits. Those in its largest part are that number less those in the
// other parts, so the other parts suffice to tell members apart.
//
// A signature is a multiset of (label, new class). It is represented by a sum of 128-bit hashes,
// which does not depend on the order; is_equitable() counts neighbours and so detects a collision.
namespace ringcast {
namespace {

using Word = std::uint64_t;
using Sum = ColouredGraph::Colour;

Sum hash_of(int label, int neighbour_class) {
  const Word word = static_cast<Word>(static_cast<std::uint32_t>(label)) << 32U |
                    static_cast<std::uint32_t>(neighbour_class);
  return {mixed(word + splitmix_step), mixed(~word * 0xD6E8FEB86659FD93U)};
}

class Refinement {
 public:
  explicit Refinement(const ColouredGraph& graph)
      : graph_{&graph},
        adjacency_{&graph.adjacency()},
        partition_{std::vector<int>(static_cast<std::size_t>(graph.vertices())), {}},
        signature_of_(static_cast<std::size_t>(graph.vertices()), -1) {
    std::map<Sum, int> numbers;
    for (int vertex = 0; vertex < graph.vertices(); ++vertex) {
      const auto [entry, is_new] = numbers.emplace(graph.colour(vertex), classes());
      if (is_new) {
        add_class();
      }
      class_of(vertex) = entry->second;
      ++sizes_[static_cast<std::size_t>(entry->second)];
      members_[static_cast<std::size_t>(entry->second)].push_back(vertex);
    }
  }

  Partition run() {
    std::vector<int> changed(partition_.class_of.size());
    std::iota(changed.begin(), changed.end(), 0);
    while (!changed.empty()) {
      add_signatures(changed);
      changed = split();
    }
    partition_.first_of.assign(sizes_.size(), -1);
    for (std::size_t vertex = partition_.class_of.size(); vertex-- > 0;) {
      const auto own = static_cast<std::size_t>(partition_.class_of[vertex]);
      partition_.first_of[own] = static_cast<int>(vertex);
    }
    return std::move(partition_);
  }

 private:
  /// The signature of a vertex in this round; only neighbours of vertices of new classes have one.
  struct Signature {
    int own;  // class
    int vertex;
    Sum sum;
  };

  [[nodiscard]] int& class_of(int vertex) {
    return partition_.class_of[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] int& signature_of(int vertex) {
    return signature_of_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] int classes() const { return static_cast<int>(sizes_.size()); }
  void add_class() {
    sizes_.push_back(0);
    members_.emplace_back();
  }

  void add_signatures(const std::vector<int>& changed) {
    for (const int vertex : changed) {
      const int own = class_of(vertex);
      for (const ColouredGraph::Neighbour& each : adjacency_->of(vertex)) {
        const Sum word = hash_of(graph_->labels_of(each).there, own);
        int& index = signature_of(each.vertex);
        if (index < 0) {
          index = static_cast<int>(signatures_.size());
          signatures_.push_back({class_of(each.vertex), each.vertex, {}});
        }
        Sum& sum = signatures_[static_cast<std::size_t>(index)].sum;
        sum[0] += word[0];
        sum[1] += word[1];
      }
    }
  }

  /// Splits the classes of vertices with signatures; returns the vertices that changed class.
  std::vector<int> split() {
    std::ranges::sort(signatures_, [](const Signature& a, const Signature& b) {
      return a.own != b.own ? a.own < b.own : a.sum < b.sum;
    });
    std::vector<int> changed;
    for (std::size_t begin = 0; begin < signatures_.size();) {
      std::size_t end = begin;
      while (end < signatures_.size() && signatures_[end].own == signatures_[begin].own) {
        ++end;
      }
      split_class(std::span{signatures_}.subspan(begin, end - begin), changed);
      begin = end;
    }
    for (const Signature& each : signatures_) {
      signature_of(each.vertex) = -1;
    }
    signatures_.clear();
    return changed;
  }

  /// `members`: those of one class with signatures, sorted by signature.
  void split_class(std::span<const Signature> members, std::vector<int>& changed) {
    struct Part {
      std::size_t begin;
      std::size_t size;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i == 0 || members[i].sum != members[i - 1].sum) {
        parts.push_back({i, 0});
      }
      ++parts.back().size;
    }
    const auto old = static_cast<std::size_t>(members.front().own);
    const std::size_t rest = sizes_[old] - members.size();
    const auto largest = std::ranges::max_element(parts, {}, &Part::size);
    const bool rest_stays = rest >= largest->size;
    if (!rest_stays && rest > 0) {
      move_to_new_class(without_signature(old), changed);
    }
    for (auto part = parts.begin(); part != parts.end(); ++part) {
      if (part != largest || rest_stays) {
        std::vector<int> moving;
        for (const Signature& each : members.subspan(part->begin, part->size)) {
          moving.push_back(each.vertex);
        }
        move_to_new_class(std::move(moving), changed);
      }
    }
  }

  /// The members of a class without signatures. Removes those that have left the class from its
  /// list: each is visited once.
  std::vector<int> without_signature(std::size_t old) {
    std::erase_if(members_[old],
                  [&](int vertex) { return class_of(vertex) != static_cast<int>(old); });
    std::vector<int> rest;
    std::ranges::copy_if(members_[old], std::back_inserter(rest),
                         [this](int vertex) { return signature_of(vertex) < 0; });
    return rest;
  }

  void move_to_new_class(std::vector<int> vertices, std::vector<int>& changed) {
    const int number = classes();
    sizes_[static_cast<std::size_t>(class_of(vertices.front()))] -= vertices.size();
    add_class();
    sizes_.back() = vertices.size();
    for (const int vertex : vertices) {
      class_of(vertex) = number;
    }
    changed.insert(changed.end(), vertices.begin(), vertices.end());
    members_.back() = std::move(vertices);
  }

  const ColouredGraph* graph_;
  const ColouredGraph::Adjacency* adjacency_;
  Partition partition_;
  std::vector<std::size_t> sizes_;
  std::vector<std::vector<int>> members_;  // of each class, and some that have left it
  std::vector<Signature> signatures_;
  std::vector<int> signature_of_;  // of each vertex; -1: no signature
};

}  // namespace

int ColouredGraph::add_vertex(Colour colour) {
  colours_.push_back(colour);
  return vertices() - 1;
}

int ColouredGraph::number_of(Labels labels) {
  const auto word = [](int label) { return std::uint64_t{static_cast<std::uint32_t>(label)}; };
  const auto [number, is_new] =
      numbers_.add(word(labels.here) << 32U | word(labels.there), static_cast<int>(labels_.size()));
  if (is_new) labels_.push_back(labels);
  return number;
}

Partition equitable_partition(const ColouredGraph& graph) {
  return Refinement{graph}.run();
}

bool is_equitable(const ColouredGraph& graph, const Partition& partition) {
  const ColouredGraph::Adjacency& adjacency = graph.adjacency();
  using Counted = std::vector<ColouredGraph::Neighbour>;  // the neighbours' classes
  const auto counted = [&](int vertex) {
    const auto neighbours = adjacency.of(vertex);
    Counted classes{neighbours.begin(), neighbours.end()};
    for (ColouredGraph::Neighbour& each : classes) {
      each.vertex = partition.class_of[static_cast<std::size_t>(each.vertex)];
    }
    std::ranges::sort(classes);
    return classes;
  };
  std::vector<Counted> of_class;
  of_class.reserve(partition.first_of.size());
  for (const int first : partition.first_of) {
    of_class.push_back(counted(first));
  }
  for (int vertex = 0; vertex < graph.vertices(); ++vertex) {
    const auto own = static_cast<std::size_t>(partition.class_of[static_cast<std::size_t>(vertex)]);
    if (graph.colour(vertex) != graph.colour(partition.first_of[own]) ||
        counted(vertex) != of_class[own]) {
      return false;
    }
  }
  return true;
}

}  // namespace ringcast
