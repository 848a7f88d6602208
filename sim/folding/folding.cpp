#include "sim/folding/folding.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Colour = ColouredGraph::Colour;

/// A colour that differs wherever one of these numbers does (two chains of multiply and shift).
class ColourOf {
 public:
  explicit ColourOf(std::uint64_t kind) { add(kind); }
  ColourOf& add(std::uint64_t word) {
    colour_[0] = (colour_[0] ^ word) * 0x9E3779B97F4A7C15U;
    colour_[0] ^= colour_[0] >> 32U;
    colour_[1] = (colour_[1] + word) * 0xD6E8FEB86659FD93U;
    colour_[1] ^= colour_[1] >> 29U;
    return *this;
  }
  ColourOf& add(double number) { return add(std::bit_cast<std::uint64_t>(number)); }
  ColourOf& add(Seconds time) { return add(time.count()); }
  [[nodiscard]] Colour get() const { return colour_; }

 private:
  Colour colour_{1, 1};
};

enum class Kind : std::uint64_t { rank, stream, copy, link };
ColourOf colour_of(Kind kind) {
  return ColourOf{static_cast<std::uint64_t>(kind)};
}

Colour colour_of(const TransferPath& path) {
  ColourOf colour = colour_of(Kind::stream);
  colour.add(path.overhead).add(path.main.limit.value()).add(path.lent_share);
  colour.add(path.time_per_byte).add(path.fill_seconds_per_byte);
  for (const TransferPath::Protocol& each : path.protocols) {
    colour.add(each.latency).add(each.efficiency);
  }
  return colour.add(path.copy_down ? 1.0 : 0.0).add(path.copy_up ? 1.0 : 0.0).get();
}

// Labels of edges: a rank numbers its streams; a stream sees that number and whether it begins or
// ends there. Copies are numbered behind all streams, links have no number.
int label_at_stream(int place, bool begins) {
  return 2 * place + (begins ? 0 : 1);
}
constexpr int first_copy_label = 1 << 28;
constexpr int link_label = -1;
constexpr int flow_label = -2;

}  // namespace

/// The graph of a job: first its ranks, then its streams, its copies, and the links that they
/// cross.
class Folding::Graph {
 public:
  Graph(const Folding& job, bool fold) : job_{&job} {
    add_ranks(fold);
    for (const TransferPath* const path : job.path_of_) {
      static_cast<void>(graph_.add_vertex(colour_of(*path)));
    }
    for (const Copy& copy : job.copies_) {
      const auto direction = static_cast<std::uint64_t>(copy.direction);
      ColourOf colour = colour_of(Kind::copy);
      colour.add(direction).add(copy.leg.latency).add(copy.leg.limit.value());
      static_cast<void>(graph_.add_vertex(colour.get()));
    }
    add_links();
    graph_.connect([this](const auto& visit) {
      visit_uses(visit);
      for_each_flow([&](int flow, const Leg& leg) {
        for (const LinkId link : leg.links) {
          visit({flow, link_label, vertex_of_[index_of(link)], flow_label});
        }
      });
    });
  }

  [[nodiscard]] const ColouredGraph& graph() const { return graph_; }
  [[nodiscard]] int first_flow() const { return job_->ranks(); }
  [[nodiscard]] int first_link() const {
    return first_flow() + static_cast<int>(job_->path_of_.size() + job_->copies_.size());
  }
  [[nodiscard]] LinkId link_of(int vertex) const {
    return links_[static_cast<std::size_t>(vertex - first_link())];
  }

 private:
  void add_ranks(bool fold) {
    for (int rank = 0; rank < job_->ranks(); ++rank) {
      const ProgramShape& shape = job_->run_.ranks[static_cast<std::size_t>(rank)].shape;
      ColourOf colour = colour_of(Kind::rank);
      colour.add(shape.hash[0]).add(shape.hash[1]).add(rank < job_->gpus_ ? 1.0 : 0.0);
      static_cast<void>(graph_.add_vertex(colour.add(fold ? 0.0 : 1.0 + rank).get()));
    }
  }
  template <typename Visit>
  void for_each_flow(const Visit& visit) const {
    int vertex = first_flow();
    for (const TransferPath* const path : job_->path_of_) {
      visit(vertex++, path->main);
    }
    for (const Copy& copy : job_->copies_) {
      visit(vertex++, copy.leg);
    }
  }
  /// Only those that are crossed.
  void add_links() {
    const std::span<const Link> links = job_->paths_->topology().links();
    vertex_of_.resize(links.size(), -1);
    for_each_flow([&](int /*flow*/, const Leg& leg) {
      for (const LinkId link : leg.links) {
        int& vertex = vertex_of_[index_of(link)];
        if (vertex >= 0) continue;
        vertex = graph_.add_vertex(
            colour_of(Kind::link).add(links[index_of(link)].bandwidth.value()).get());
        links_.push_back(link);
      }
    });
  }
  /// Visits the streams and copies that each rank uses.
  template <typename Visit>
  void visit_uses(const Visit& visit) const {
    for (int rank = 0; rank < job_->ranks(); ++rank) {
      const auto& streams = job_->run_.ranks[static_cast<std::size_t>(rank)].streams;
      for (std::size_t i = 0; i < streams.size(); ++i) {
        const bool begins =
            job_->run_.streams[static_cast<std::size_t>(streams[i])].from == Rank{rank};
        const int place = static_cast<int>(i);
        visit({rank, place, first_flow() + streams[i], label_at_stream(place, begins)});
      }
    }
    int vertex = first_flow() + static_cast<int>(job_->path_of_.size());
    for (const Copy& copy : job_->copies_) {
      const int label = first_copy_label + static_cast<int>(copy.direction);
      visit({copy.rank, label, vertex++, label});
    }
  }

  const Folding* job_;
  ColouredGraph graph_;
  std::vector<int> vertex_of_;  // of each link that is crossed
  std::vector<LinkId> links_;   // by vertex
};

Folding::Folding(const TransferPaths& paths, int gpus, DryRun run, bool fold)
    : paths_{&paths}, gpus_{gpus}, run_{std::move(run)} {
  for (const StreamKey& key : run_.streams) {
    path_of_.push_back(&paths.between(key.from, key.to));
  }
  find_copies();
  const Graph graph{*this, fold};
  const Partition partition = equitable_partition(graph.graph());
  expect(is_equitable(graph.graph(), partition), "a job of {} ranks is folded wrongly", ranks());
  make_job(graph, partition);
}

void Folding::find_copies() {
  const TransportProfile& profile = paths_->profile();
  std::vector<std::map<CopyDirection, bool>> known(run_.ranks.size());
  const auto add = [&](Rank rank, CopyDirection direction) {
    if (!std::exchange(known[static_cast<std::size_t>(index_of(rank))][direction], true)) {
      copies_.push_back({index_of(rank), direction, paths_->copy_leg(rank, direction)});
    }
  };
  for (const CopyDirection direction :
       {CopyDirection::to_host, CopyDirection::on_host, CopyDirection::to_device}) {
    for (int rank = 0; profile.copies(direction) > 0 && rank < gpus_; ++rank) {
      add(Rank{rank}, direction);
    }
  }
  for (std::size_t i = 0; i < path_of_.size(); ++i) {
    if (path_of_[i]->copy_down) {
      add(run_.streams[i].from, CopyDirection::to_host);
    }
    if (path_of_[i]->copy_up) {
      add(run_.streams[i].to, CopyDirection::to_device);
    }
  }
}

void Folding::make_job(const Graph& graph, const Partition& partition) {
  const auto class_of = [&](int vertex) {
    return static_cast<std::size_t>(partition.class_of[static_cast<std::size_t>(vertex)]);
  };
  // Classes contain one kind of vertex each; here they are numbered by kind, in the sequence of
  // their first members.
  std::vector<int> number(partition.first_of.size(), -1);
  std::vector<int> flow_reps;
  std::vector<int> link_reps;
  for (int vertex = 0; vertex < graph.graph().vertices(); ++vertex) {
    int& own = number[class_of(vertex)];
    if (own >= 0) {
      continue;
    }
    if (vertex < graph.first_flow()) {
      own = static_cast<int>(job_.ranks.size());
      job_.ranks.push_back(Rank{vertex});
    } else if (vertex < graph.first_link()) {
      own = static_cast<int>(flow_reps.size());
      flow_reps.push_back(vertex);
    } else {
      own = static_cast<int>(link_reps.size());
      link_reps.push_back(vertex);
    }
  }
  const auto number_of = [&](int vertex) { return number[class_of(vertex)]; };

  for (int rank = 0; rank < ranks(); ++rank) {
    rank_class_.push_back(number_of(rank));
  }
  job_.copies.resize(job_.ranks.size());
  add_flows(graph, flow_reps, number_of);
  for (const Rank rank : job_.ranks) {
    for (const int stream : run_.ranks[static_cast<std::size_t>(index_of(rank))].streams) {
      job_.stream_of.emplace(run_.streams[static_cast<std::size_t>(stream)],
                             number_of(graph.first_flow() + stream));
    }
  }
  stream_class_.reserve(path_of_.size());
  for (std::size_t i = 0; i < path_of_.size(); ++i) {
    stream_class_.push_back(number_of(graph.first_flow() + static_cast<int>(i)));
  }
  add_crossings(graph, link_reps, number_of);
}

template <typename NumberOf>
void Folding::add_flows(const Graph& graph, const std::vector<int>& flow_reps,
                        const NumberOf& number_of) {
  for (std::size_t i = 0; i < flow_reps.size(); ++i) {
    const auto flow = static_cast<std::size_t>(flow_reps[i] - graph.first_flow());
    if (flow < path_of_.size()) {
      const StreamKey& key = run_.streams[flow];
      job_.streams.push_back(
          {number_of(index_of(key.from)), number_of(index_of(key.to)), path_of_[flow]});
      job_.routes.push_back({{}, path_of_[flow]->main.limit});
    } else {
      const Copy& copy = copies_[flow - path_of_.size()];
      job_.routes.push_back({{}, copy.leg.limit});
      job_.copies[static_cast<std::size_t>(number_of(copy.rank))][copy.direction] =
          static_cast<int>(i);
    }
  }
}

template <typename NumberOf>
void Folding::add_crossings(const Graph& graph, const std::vector<int>& link_reps,
                            const NumberOf& number_of) {
  const ColouredGraph::Adjacency& adjacency = graph.graph().adjacency();
  for (std::size_t i = 0; i < link_reps.size(); ++i) {
    const auto flows = adjacency.of(link_reps[i]);
    std::map<int, double> times;
    for (const ColouredGraph::Neighbour& flow : flows) {
      times[number_of(flow.vertex)] += 1;
    }
    for (const auto& [flow, count] : times) {
      job_.routes[static_cast<std::size_t>(flow)].crossings.push_back({static_cast<int>(i), count});
    }
    job_.bandwidths.push_back(
        paths_->topology().links()[index_of(graph.link_of(link_reps[i]))].bandwidth);
  }
}

std::vector<PairTraffic> Folding::traffic(const std::vector<StreamTraffic>& of_job) const {
  std::vector<PairTraffic> all;
  all.reserve(run_.streams.size());
  for (std::size_t i = 0; i < run_.streams.size(); ++i) {
    const StreamTraffic& one = of_job[static_cast<std::size_t>(stream_class_[i])];
    all.push_back({run_.streams[i].from, run_.streams[i].to, one.messages, Bytes{one.bytes},
                   Bytes{one.on_cables}, 1});
  }
  return all;
}

}  // namespace ringcast
