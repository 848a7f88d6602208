#include "app/report/ring_export.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/config/scenario/ring_choice_reader.hpp"
#include "tests/app/report/exported_job.hpp"
#include "tests/app/temporary_folder.hpp"
#include "topology/rings/channel_rings.hpp"

namespace ringcast {
namespace {

using namespace machines;
using ring_files::Device;
using ring_files::Job;
using ring_files::ring;

std::vector<int> from_rank_0(const RingOrder& order) {
  std::vector<int> ranks;
  for (int i = 0; i < order.size(); ++i) {
    ranks.push_back(index_of(order.rank_at((order.position_of(Rank{0}) + i) % order.size())));
  }
  return ranks;
}

/// The rings that NCCL makes of the files: each host's part, joined in the order of the hosts.
std::vector<std::vector<int>> joined(const Job& job, const std::vector<RingFile>& files,
                                     const std::vector<std::string>& hosts, int gpus) {
  std::vector<std::vector<Device>> channels;
  for (const std::string& host : hosts) {
    const auto own = std::ranges::find(files, host, &RingFile::host);
    const RingFile& file = own == files.end() ? files.front() : *own;
    const ring_files::Graph graph = ring_files::read_nccl_graph(file.text, gpus);
    channels.resize(graph.channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i)
      for (const int gpu : graph.channels[i].gpus)
        channels[i].push_back({host, gpu});
  }
  std::vector<std::vector<int>> rings;
  for (const std::vector<Device>& channel : channels)
    rings.push_back(job.ranks_of(channel));
  return rings;
}

std::vector<std::vector<int>> all_from_rank_0(const std::vector<RingOrder>& rings) {
  std::vector<std::vector<int>> all;
  std::ranges::transform(rings, std::back_inserter(all), from_rank_0);
  return all;
}

TEST(NcclGraph, OfOneHostHasTheRingsAndNoNics) {
  const Job job{cluster_of(dgx1(), 1)};
  const std::vector<RingOrder> rings = channel_rings(job.paths());
  const std::vector<RingFile> files = job.files("nccl-graph", rings);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(joined(job, files, {"node0"}, 8), all_from_rank_0(rings));
  const ring_files::Graph graph = ring_files::read_nccl_graph(files[0].text, 8);
  EXPECT_FALSE(graph.crosses_nics);
  EXPECT_TRUE(graph.channels.front().nics.empty());
  // 48 GB/s of all channels together.
  EXPECT_NEAR(graph.speed_gb, 48.0 / static_cast<double>(rings.size()), 1e-3);
}

TEST(NcclGraph, WritesDevicesInHexadecimal) {
  const Job job{cluster_of(dgx2(), 1)};
  const std::string text = job.text("nccl-graph", {RingOrder::identity(16)});
  EXPECT_NE(text.find("<gpu dev=\"0xa\"/>"), std::string::npos);
  EXPECT_EQ(joined(job, {{"", text}}, {"node0"}, 16), all_from_rank_0({RingOrder::identity(16)}));
}

TEST(NcclGraph, OfSeveralHostsJoinsToTheSameRingsOverTheirNics) {
  for (const int nodes : {2, 3, 4}) {
    const Job job{on_one_switch(eight_rails(), nodes)};
    const std::vector<RingOrder> rings = channel_rings(job.paths());
    const std::vector<RingFile> files = job.files("nccl-graph", rings);
    EXPECT_EQ(joined(job, files, job.map().hosts, 8), all_from_rank_0(rings)) << nodes;
    // Each pair of a GPU and a NIC has its own PCIe switch: the ends of a channel use theirs.
    const ring_files::Graph graph = ring_files::read_nccl_graph(files[0].text, 8);
    for (const ring_files::Channel& channel : graph.channels) {
      EXPECT_EQ(channel.nics, (std::vector<int>{channel.gpus.front(), channel.gpus.back()}));
    }
    EXPECT_TRUE(graph.crosses_nics);
  }
}

TEST(NcclGraph, LeavesTheOrderOfTheHostsToTheHostfile) {
  const Job job{on_one_switch(dgx1(), 3)};
  std::vector<int> order;
  for (const int node : {0, 2, 1})
    for (const int gpu : {3, 2, 1, 0, 4, 5, 6, 7})
      order.push_back(8 * node + gpu);
  const std::vector<RingOrder> rings{ring(order)};
  const std::vector<RingFile> files = job.files("nccl-graph", rings);
  EXPECT_EQ(files.size(), 1U);  // each host has the same part
  EXPECT_EQ(joined(job, files, {"node0", "node2", "node1"}, 8), all_from_rank_0(rings));
}

TEST(NcclGraph, RefusesWhatNcclCannotJoin) {
  const Job job{on_one_switch(least(), 4)};
  EXPECT_EQ(job.refused("nccl-graph", {ring({0, 1, 2, 3}), ring({0, 2, 1, 3})}),
            "--export nccl-graph: ring 2 visits the hosts in another order than ring 1 (expected "
            "one order for all rings, as NCCL has it, for example with --channels 1)");
  EXPECT_EQ(job.refused("nccl-graph", std::vector<RingOrder>(33, ring({0, 1, 2, 3}))),
            "--export nccl-graph: 33 rings (expected at most 32)");
  const Job two{on_one_switch(single_root(), 2)};
  std::vector<int> alternating;
  for (int i = 0; i < 10; ++i)
    alternating.insert(alternating.end(), {i, 10 + i});
  EXPECT_EQ(two.refused("nccl-graph", {ring(alternating)}),
            "--export nccl-graph: ring 1 visits a host more than once (expected rings that visit "
            "each host once)");
  EXPECT_EQ(two.refused("hostfile", {ring(alternating)}),
            "--export hostfile: the ring visits a host more than once: 20 visits of 2 hosts "
            "(expected rankfile or slurm for such a ring)");
  const Job processes{on_one_switch(cpu_node(2, 2), 2)};
  EXPECT_EQ(processes.refused("nccl-graph", {RingOrder::identity(8)}),
            "--export nccl-graph: the ranks are processes (expected a cluster with GPUs)");
}

/// Node 0 from its third GPU on, then node 2, then node 1 backwards.
RingOrder by_host_on_three_nodes() {
  return ring(
      {2, 3, 0, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 15, 14, 13, 12, 11, 10, 9, 8});
}

TEST(Hostfile, HasTheHostsAndGpusInTheOrderOfTheRing) {
  const Job job{on_one_switch(dgx1(), 3)};
  const RingOrder order = by_host_on_three_nodes();
  const std::string text = job.text("hostfile", {order});
  EXPECT_EQ(job.ranks_of(ring_files::read_hostfile(text)), from_rank_0(order));
  EXPECT_EQ(text,
            "# hosts in the order of the ring: mpirun --hostfile FILE --map-by slot\n"
            "# on node0: CUDA_VISIBLE_DEVICES=2,3,0,1,4,5,6,7\n"
            "# on node1: CUDA_VISIBLE_DEVICES=7,6,5,4,3,2,1,0\n"
            "node0 slots=8\nnode2 slots=8\nnode1 slots=8\n");
}

TEST(Rankfile, ReadsBackToTheRing) {
  const Job job{on_one_switch(dgx1(), 3)};
  const RingOrder order = by_host_on_three_nodes();
  EXPECT_EQ(job.ranks_of(ring_files::read_rankfile(job.text("rankfile", {order}))),
            from_rank_0(order));
  const Job two{on_one_switch(single_root(), 2)};
  std::vector<int> alternating;
  for (int i = 0; i < 10; ++i)
    alternating.insert(alternating.end(), {i, 10 + i});
  EXPECT_EQ(two.ranks_of(ring_files::read_rankfile(two.text("rankfile", {ring(alternating)}))),
            alternating);
}

TEST(Rankfile, GivesEachProcessACoreAndEachGpuItsSocket) {
  // Two sockets with two processes each: rank 3 is the second process of socket 1.
  const Job processes{on_one_switch(cpu_node(2, 2), 1)};
  const auto lines = ring_files::read_rank_lines(processes.text("rankfile", {ring({0, 3, 1, 2})}));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1].slot, "1:1");
  EXPECT_EQ(lines[2].slot, "0:1");
  const Job gpus{on_one_switch(dual_root(), 1)};
  const auto of_gpus = ring_files::read_rank_lines(gpus.text("rankfile", {RingOrder::identity(8)}));
  EXPECT_EQ(of_gpus.at(3).slot, "0:*");
  EXPECT_EQ(of_gpus.at(4).slot, "1:*");
}

TEST(SlurmHosts, AreTheHostsOfTheRanksInTheOrderOfTheRing) {
  const Job job{on_one_switch(least(), 3)};
  EXPECT_EQ(job.text("slurm", {ring({1, 0, 2})}), "node0\nnode2\nnode1\n");
}

TEST(Torchrun, NumbersTheNodesInTheOrderOfTheRing) {
  const Job job{on_one_switch(dgx1(), 3)};
  const RingOrder order = by_host_on_three_nodes();
  EXPECT_EQ(job.ranks_of(ring_files::read_torchrun(job.text("torchrun", {order}))),
            from_rank_0(order));
}

TEST(Torchrun, NamesTheGpusOfAJobThatDoesNotUseAll) {
  const Job job{on_one_switch(dgx1(), 2), 12};
  const std::string text = job.text("torchrun", {RingOrder::identity(12)});
  EXPECT_NE(text.find("node1: CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nnodes=2 --node-rank=1 "
                      "--nproc-per-node=4 --master-addr=node0"),
            std::string::npos);
  EXPECT_EQ(job.ranks_of(ring_files::read_torchrun(text)), from_rank_0(RingOrder::identity(12)));
}

TEST(Torchrun, LeavesTheGpusOfSeveralRingsToTheGraphFile) {
  const Job job{on_one_switch(dgx1(), 2)};
  const std::vector<RingOrder> rings{ring({1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
                                     RingOrder::identity(16)};
  const std::string text = job.text("torchrun", rings);
  EXPECT_EQ(text.find("CUDA_VISIBLE_DEVICES"), std::string::npos);
  EXPECT_EQ(job.ranks_of(ring_files::read_torchrun(text)), from_rank_0(RingOrder::identity(16)));
}

TEST(RingOrderFile, IsReadBackAsTheSameRings) {
  const Job job{cluster_of(dgx1(), 1)};
  const std::vector<RingOrder> rings = channel_rings(job.paths());
  const TemporaryFolder folder;
  folder.write("rings.yaml", job.text("ringcast", rings));
  const std::vector<int> ranks{8};
  const std::vector<int> any_channels;
  const RingDemands demands{ranks, any_channels, std::nullopt, std::nullopt};
  const auto option = InputNode::from_option_list("--ring", (folder / "rings.yaml").string());
  const std::vector<RingChoice> choices = read_ring_choices(option, demands, {});
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].name, "rings");
  ASSERT_EQ(choices[0].given.size(), rings.size());
  for (std::size_t i = 0; i < rings.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(choices[0].given[i], rings[i].ranks()));
  }
}

TEST(RingExport, RefusesNamesThatAShellWouldRead) {
  const Job job{on_one_switch(least(), 2), 2, {"alpha", "b; rm"}};
  EXPECT_EQ(
      job.refused("torchrun", {RingOrder::identity(2)}),
      "--export torchrun: the node \"b; rm\" has no name of a host (expected letters, digits, "
      "dots, dashes and underscores; --hostfile names the hosts)");
}

TEST(RingExport, OfOneRankIsAFileOfOneLine) {
  const Job job{cluster_of(least(), 1)};
  const std::vector<RingOrder> rings{RingOrder::identity(1)};
  EXPECT_EQ(job.text("slurm", rings), "node0\n");
  EXPECT_EQ(joined(job, job.files("nccl-graph", rings), {"node0"}, 1),
            (std::vector<std::vector<int>>{{0}}));
}

}  // namespace
}  // namespace ringcast
