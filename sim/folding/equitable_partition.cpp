#include "sim/folding/equitable_partition.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

// Colour refinement in rounds. The vertices whose class is new tell their neighbours; a class whose
// members hear different things splits, and its largest part keeps its number: so each time that a
// vertex changes its class, that is half as large at most, and it speaks log2(n) times.
//
// Why the largest part may stay silent: before the split, all members of a class have as many
// neighbours in the class that splits. What they have in its silent part is that number less what
// they have in the others.
//
// What a vertex hears is a multiset of (label, new class). It is summarized by a sum of 128-bit
// hashes, which does not depend on the sequence; is_equitable() counts, and so excludes a
// collision.
namespace ringcast {
namespace {

using Word = std::uint64_t;
using Sum = ColouredGraph::Colour;

/// Splitmix64's finalizer (Steele, Lea and Flood 2014).
Word mixed(Word x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

Sum hash_of(int label, int heard) {
  const Word word = static_cast<Word>(static_cast<std::uint32_t>(label)) << 32U |
                    static_cast<std::uint32_t>(heard);
  return {mixed(word + 0x9E3779B97F4A7C15U), mixed(~word * 0xD6E8FEB86659FD93U)};
}

class Refinement {
 public:
  explicit Refinement(const ColouredGraph& graph)
      : graph_{&graph},
        adjacency_{&graph.adjacency()},
        partition_{std::vector<int>(static_cast<std::size_t>(graph.vertices())), {}},
        listener_of_(static_cast<std::size_t>(graph.vertices()), -1) {
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
      tell(changed);
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
  /// A vertex that has heard something in this round.
  struct Listener {
    int own;  // class
    int vertex;
    Sum heard;
  };

  [[nodiscard]] int& class_of(int vertex) {
    return partition_.class_of[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] int& listener_of(int vertex) {
    return listener_of_[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] int classes() const { return static_cast<int>(sizes_.size()); }
  void add_class() {
    sizes_.push_back(0);
    members_.emplace_back();
  }

  void tell(const std::vector<int>& changed) {
    for (const int speaker : changed) {
      const int own = class_of(speaker);
      for (const ColouredGraph::Neighbour& each : adjacency_->of(speaker)) {
        const Sum word = hash_of(graph_->labels_of(each).there, own);
        int& listener = listener_of(each.vertex);
        if (listener < 0) {
          listener = static_cast<int>(listeners_.size());
          listeners_.push_back({class_of(each.vertex), each.vertex, {}});
        }
        Sum& heard = listeners_[static_cast<std::size_t>(listener)].heard;
        heard[0] += word[0];
        heard[1] += word[1];
      }
    }
  }

  /// Splits the classes of those who have heard something; returns who changed class.
  std::vector<int> split() {
    std::ranges::sort(listeners_, [](const Listener& a, const Listener& b) {
      return a.own != b.own ? a.own < b.own : a.heard < b.heard;
    });
    std::vector<int> changed;
    for (std::size_t begin = 0; begin < listeners_.size();) {
      std::size_t end = begin;
      while (end < listeners_.size() && listeners_[end].own == listeners_[begin].own) {
        ++end;
      }
      split_class(std::span{listeners_}.subspan(begin, end - begin), changed);
      begin = end;
    }
    for (const Listener& each : listeners_) {
      listener_of(each.vertex) = -1;
    }
    listeners_.clear();
    return changed;
  }

  /// `members` of one class, those who heard the same beside each other; the others heard nothing.
  void split_class(std::span<const Listener> members, std::vector<int>& changed) {
    struct Part {
      std::size_t begin;
      std::size_t size;
    };
    std::vector<Part> parts;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i == 0 || members[i].heard != members[i - 1].heard) {
        parts.push_back({i, 0});
      }
      ++parts.back().size;
    }
    const auto old = static_cast<std::size_t>(members.front().own);
    const std::size_t silent = sizes_[old] - members.size();
    const auto largest = std::ranges::max_element(parts, {}, &Part::size);
    const bool silent_stay = silent >= largest->size;
    if (!silent_stay && silent > 0) {
      move_to_new_class(silent_of(old), changed);
    }
    for (auto part = parts.begin(); part != parts.end(); ++part) {
      if (part != largest || silent_stay) {
        std::vector<int> moving;
        for (const Listener& each : members.subspan(part->begin, part->size)) {
          moving.push_back(each.vertex);
        }
        move_to_new_class(std::move(moving), changed);
      }
    }
  }

  /// The members of a class that have heard nothing. Forgets those who have left it: they are
  /// passed over once.
  std::vector<int> silent_of(std::size_t old) {
    std::erase_if(members_[old],
                  [&](int vertex) { return class_of(vertex) != static_cast<int>(old); });
    std::vector<int> silent;
    std::ranges::copy_if(members_[old], std::back_inserter(silent),
                         [this](int vertex) { return listener_of(vertex) < 0; });
    return silent;
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
  std::vector<std::vector<int>> members_;  // of each class, with some who have left it
  std::vector<Listener> listeners_;
  std::vector<int> listener_of_;  // of each vertex; -1: it has heard nothing
};

}  // namespace

int ColouredGraph::add_vertex(Colour colour) {
  colours_.push_back(colour);
  return vertices() - 1;
}

int ColouredGraph::number_of(Labels labels) {
  const auto [entry, is_new] = numbers_.emplace(labels, static_cast<int>(labels_.size()));
  if (is_new) labels_.push_back(labels);
  return entry->second;
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
