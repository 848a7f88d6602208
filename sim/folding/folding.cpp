#include "sim/folding/folding.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// `pick` chooses one of two latencies.
template <typename Pick>
void take_latencies(TransferPath& path, const TransferPath& other, const Pick& pick) {
  for (std::size_t i = 0; i < path.protocols.size(); ++i) {
    Seconds& own = path.protocols[i].latency;
    own = pick(own, other.protocols[i].latency);
  }
  if (path.rendezvous) {
    Seconds& own = path.rendezvous->handshake;
    own = pick(own, other.rendezvous->handshake);
  }
}

}  // namespace

Folding::Folding(const TransferPaths& paths, int gpus, DryRun run, Symmetry symmetry)
    : paths_{&paths}, gpus_{gpus}, run_{std::move(run)} {
  for (const StreamKey& key : run_.streams) {
    path_of_.push_back(&paths.between(key.from, key.to));
  }
  find_copies();
  const JobGraph graph{{paths, gpus, run_, path_of_, copies_}, symmetry};
  const Partition partition = equitable_partition(graph.graph());
  expect(is_equitable(graph.graph(), partition), "a job of {} ranks is folded wrongly", ranks());
  make_job(graph, partition);
  if (symmetry == Symmetry::but_latency) find_latencies();
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

void Folding::make_job(const JobGraph& graph, const Partition& partition) {
  const auto class_of = [&](int vertex) {
    return static_cast<std::size_t>(partition.class_of[static_cast<std::size_t>(vertex)]);
  };
  // The vertices of a class are of one kind. The classes of each kind are numbered in the order of
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
      job_.stream_of.add(run_.streams[static_cast<std::size_t>(stream)],
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
void Folding::add_flows(const JobGraph& graph, const std::vector<int>& flow_reps,
                        const NumberOf& number_of) {
  for (std::size_t i = 0; i < flow_reps.size(); ++i) {
    const auto flow = static_cast<std::size_t>(flow_reps[i] - graph.first_flow());
    job_.routes.push_back({{}, graph.limit_of(flow_reps[i])});
    if (flow < path_of_.size()) {
      const StreamKey& key = run_.streams[flow];
      job_.streams.push_back(
          {number_of(index_of(key.from)), number_of(index_of(key.to)), path_of_[flow]});
    } else {
      const RankCopy& copy = copies_[flow - path_of_.size()];
      job_.copies[static_cast<std::size_t>(number_of(copy.rank))][copy.direction] =
          static_cast<int>(i);
    }
  }
}

void Folding::find_latencies() {
  for (const FluidJob::Stream& stream : job_.streams) {
    quickest_.push_back(*stream.path);
    slowest_.push_back(*stream.path);
  }
  for (std::size_t i = 0; i < path_of_.size(); ++i) {
    const auto own = static_cast<std::size_t>(stream_class_[i]);
    take_latencies(quickest_[own], *path_of_[i], [](auto a, auto b) { return std::min(a, b); });
    take_latencies(slowest_[own], *path_of_[i], [](auto a, auto b) { return std::max(a, b); });
  }
  const bool differ = !std::ranges::equal(quickest_, slowest_, [](const auto& a, const auto& b) {
    return a.rendezvous == b.rendezvous && a.protocols == b.protocols;
  });
  if (!differ) {
    quickest_.clear();
    slowest_.clear();
  }
  for (std::size_t i = 0; i < slowest_.size(); ++i) {
    job_.streams[i].path = &slowest_[i];
  }
}

FluidJob Folding::quickest_job() const {
  FluidJob job = job_;
  for (std::size_t i = 0; i < job.streams.size(); ++i) {
    job.streams[i].path = &quickest_path(i);
  }
  return job;
}

template <typename NumberOf>
void Folding::add_crossings(const JobGraph& graph, const std::vector<int>& link_reps,
                            const NumberOf& number_of) {
  const ColouredGraph::Adjacency& adjacency = graph.graph().adjacency();
  for (std::size_t i = 0; i < link_reps.size(); ++i) {
    const auto flows = adjacency.of(link_reps[i]);
    std::map<int, int> times;
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
