#pragma once

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "engine/collectives/allreduce_algorithms.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/transfers/rank_places.hpp"
#include "topology/transfers/transfer_path.hpp"

/// Random jobs on machines as they are built, for comparisons of ways to find a time.
namespace ringcast::testing {

/// An all-reduce on all GPUs of a cluster.
struct RandomJob {
  ClusterSpec cluster;
  TransportProfile profile;
  std::string algorithm;
  CollectiveOptions options;
  int ranks = 0;
  Bytes size{};
  /// The cluster has this cable with so many times its bandwidth, as a defect.
  int changed_cable = -1;
  double changed_by = 1;
  /// This rank begins later than the others.
  std::optional<Rank> straggler = {};
  Seconds late{0};
  /// Each node's switch is ranks behind the GPUs, as many as there are GPUs.
  bool has_switch_ranks = false;
  std::string text;

  [[nodiscard]] Topology topology() const {
    Cluster built = build_cluster(cluster);
    if (changed_cable >= 0) {
      Cable& cable = built.cables.at(static_cast<std::size_t>(changed_cable) % built.cables.size());
      cable.bandwidth = changed_by * cable.bandwidth;
    }
    return Topology{std::move(built)};
  }
  /// The vertices of the ranks that are no GPUs.
  [[nodiscard]] std::vector<int> hosts(const Topology& topology) const {
    std::vector<int> switches;
    for (std::size_t i = 0; has_switch_ranks && i < options.node_of.size(); ++i) {
      const std::vector<Vertex>& vertices = topology.cluster().vertices;
      const int node = options.node_of[i];
      const auto found = std::ranges::find_if(vertices, [&](const Vertex& vertex) {
        return vertex.kind == VertexKind::nvswitch && vertex.node == node;
      });
      switches.push_back(static_cast<int>(found - vertices.begin()));
    }
    return switches;
  }
  [[nodiscard]] RankProgram program() const {
    return [algorithm = std::shared_ptr<const Collective>{make_allreduce(algorithm, options)},
            size = size, straggler = straggler, late = late](RankContext& self) {
      if (self.network.rank() == straggler) {
        self.processor.compute(late).wait();
      }
      algorithm->run({self.memory.allocate(size), size.count() / 4}, self);
    };
  }
};

class RandomJobs {
 public:
  explicit RandomJobs(unsigned seed) : random_{seed} {}

  /// Equal nodes, each rank with as much to do: every chunk has equally many elements.
  RandomJob regular() {
    RandomJob job;
    const int gpus = pick({1, 2, 4, 8});
    const int nodes = gpus == 8 ? pick({2, 3, 4}) : pick({2, 3, 4, 6, 8});
    job.ranks = gpus * nodes;
    job.cluster = cluster(nodes, gpus);
    job.profile = profile();
    choose_algorithm(job, nodes, gpus);
    const auto parts = static_cast<std::uint64_t>(job.ranks) *
                       static_cast<std::uint64_t>(job.options.channels.size());
    const std::uint64_t elements = parts * pick<std::uint64_t>({16, 960, 30'720});
    job.size = Bytes{4 * elements};
    // SimGrid takes minutes for millions of messages; the segments of a chunk repeat each other.
    constexpr double most_messages = 1e4;
    while (job.options.segment_size &&
           allreduce_message_count(job.algorithm, job.options, elements, 4_B) > most_messages &&
           *job.options.segment_size < job.size) {
      job.options.segment_size = 4 * *job.options.segment_size;
    }
    job.text = fmt::format("{} nodes of {}, {}, {} channels, {}{}, {}", nodes, gpus, job.algorithm,
                           job.options.channels.size(), to_text(job.size),
                           job.options.segment_size ? " in segments" : "", job.cluster.name);
    return job;
  }
  /// Chunks that differ by one element, if there are several.
  RandomJob uneven() {
    RandomJob job = regular();
    const std::uint64_t chunks = allreduce_chunk_count(job.algorithm, job.options);
    const std::uint64_t more = random_() % chunks;
    job.size += more * 4_B;
    job.text += fmt::format(" and {} elements", more);
    return job;
  }
  /// One cable of other bandwidth.
  RandomJob with_a_changed_cable() {
    RandomJob job = regular();
    job.changed_cable = static_cast<int>(random_() % 100'000);
    job.changed_by = pick({0.5, 0.9, 3.0});
    job.text += fmt::format(", cable {} times {}", job.changed_cable, job.changed_by);
    return job;
  }
  /// One rank is late by about as long as a message takes.
  RandomJob with_a_straggler() {
    RandomJob job = regular();
    job.straggler = Rank{static_cast<int>(random_() % static_cast<unsigned>(job.ranks))};
    job.late = pick({1_us, 17_us, 300_us});
    job.text += fmt::format(", rank {} late by {}", index_of(*job.straggler), to_text(job.late));
    return job;
  }
  /// Trees whose sums go up before results come down, with less or more in flight.
  RandomJob reducing_first() {
    RandomJob job = regular();
    while (job.algorithm != "tree") {
      job = regular();
    }
    job.options.reduce_first = true;
    job.options.in_flight = pick({256_KiB, 8_MiB});
    job.text += fmt::format(", sums first, {} in flight", to_text(*job.options.in_flight));
    return job;
  }
  /// The switches of the nodes add.
  RandomJob in_switch() {
    RandomJob job = regular();
    while (!job.cluster.node_types.front().nvswitch) {
      job = regular();
    }
    job.algorithm = "in-switch";
    job.profile.p2p = PathLevel::sys;
    job.has_switch_ranks = true;
    for (int part = 0; part < job.ranks; ++part) {
      job.options.servers.push_back(Rank{job.ranks + part});
    }
    job.text += ", instead in the switches";
    return job;
  }
  /// Two ranks have changed places in all rings.
  RandomJob with_a_swapped_pair() {
    RandomJob job = regular();
    const auto one = static_cast<std::size_t>(random_()) % static_cast<std::size_t>(job.ranks);
    const auto other = static_cast<std::size_t>(random_()) % static_cast<std::size_t>(job.ranks);
    for (RingOrder& order : job.options.channels) {
      std::vector<Rank> ranks{order.ranks().begin(), order.ranks().end()};
      std::swap(ranks[one], ranks[other]);
      order = RingOrder{ranks};
    }
    job.text += fmt::format(", places {} and {} swapped", one, other);
    return job;
  }

 private:
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + random_() % values.size());
  }
  CableSpec cable(double gigabytes, double microseconds) {
    return {"custom", BytesPerSecond{gigabytes * 1e9}, Seconds{microseconds * 1e-6}, "test"};
  }

  ClusterSpec cluster(int nodes, int gpus) {
    ClusterSpec spec;
    const int nics = gpus == 1 ? 1 : pick({1, 2, gpus});
    NodeTypeSpec type{
        .name = "node", .sockets = {}, .socket_cable = {}, .nvlinks = {}, .nvswitch = {}};
    const int sockets = gpus > 1 && nics > 1 ? pick({1, 2}) : 1;
    SocketSpec socket;
    socket.count = sockets;
    socket.memory = BytesPerSecond{pick({0.0, 40e9})};
    RootComplexSpec root;
    root.cable = cable(pick({16.0, 30.0}), 0.3);
    DeviceSpec gpu{VertexKind::gpu, gpus / sockets, cable(12, 0.2), {}};
    DeviceSpec nic{VertexKind::nic, std::max(1, nics / sockets), cable(12, 0.2), {}};
    if (pick({true, false})) {
      root.devices = {{VertexKind::pcie_switch, 1, cable(14, 0.1), {gpu, nic}}};
    } else {
      root.devices = {gpu, nic};
    }
    socket.root_complexes = {root};
    type.sockets = {socket};
    if (sockets > 1) {
      type.socket_cable = cable(20, 0.4);
    }
    const bool nvlink = gpus > 1 && pick({true, false});
    if (nvlink) {
      type.nvswitch = NvswitchSpec{4, cable(25, 0.5)};
    }
    spec.node_types = {type};
    spec.nodes = {{"node", nodes}};
    const int rails = pick({1, nic.count * sockets});
    if (pick({true, false})) {
      spec.single_switch = SingleSwitchSpec{rails, cable(10, 1)};
      spec.name = "one switch";
    } else {
      const int radix = pick({6, 12});
      spec.fat_tree = FatTreeSpec{2, radix, pick({1.0, 2.0}), rails, cable(10, 1), cable(10, 0.7)};
      spec.name = fmt::format("fat tree of radix {}", radix);
    }
    spec.name += fmt::format(", {} cards, {} sockets, {} rails{}", nic.count * sockets, sockets,
                             rails, nvlink ? ", NVLink" : "");
    return spec;
  }

  TransportProfile profile() {
    TransportProfile profile{.name = "test", .source = "test"};
    profile.p2p = pick<std::optional<PathLevel>>({PathLevel::sys, PathLevel::phb, std::nullopt});
    profile.gdr = pick<std::optional<PathLevel>>({PathLevel::sys, PathLevel::pix, std::nullopt});
    profile.pipelined_staging = pick({true, true, false});
    profile.staging_buffer = pick({0_B, 64_KiB});
    profile.message_overhead = pick({0_us, 3_us});
    profile.call_overhead = pick({0_us, 10_us});
    profile.reduce_rate = pick({0_GBps, 5_GBps, 100_GBps});
    profile.reduce_overhead = pick({0_us, 2_us});
    profile.fused_reduction = pick({true, false});
    if (pick({true, false})) {
      profile.eager_limit = 8_KiB;
      profile.rendezvous_handshake = 4_us;
    }
    return profile;
  }

  void choose_algorithm(RandomJob& job, int nodes, int gpus) {
    job.algorithm = pick<std::string>({"ring", "ring", "ring", "two-way-ring", "hierarchical-ring",
                                       "tree", "recursive-halving-doubling", "all-to-all",
                                       "single-reducer", "parameter-server"});
    const int channels = pick({1, 1, 2, gpus});
    for (int channel = 0; channel < channels; ++channel) {
      // Channel c enters each node at GPU c and goes round it: its own NIC where each has one.
      std::vector<Rank> order;
      for (int node = 0; node < nodes; ++node) {
        for (int i = 0; i < gpus; ++i) {
          order.push_back(Rank{node * gpus + (i + channel) % gpus});
        }
      }
      job.options.channels.emplace_back(order);
    }
    for (int rank = 0; rank < job.ranks; ++rank) {
      job.options.node_of.push_back(rank / gpus);
    }
    if (pick({true, false, false})) {
      job.options.segment_size = pick({4_KiB, 32_KiB});
    }
  }

  std::mt19937 random_;
};

}  // namespace ringcast::testing
