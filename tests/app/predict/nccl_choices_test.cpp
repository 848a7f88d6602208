#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "app/config/cluster/cluster_reader.hpp"
#include "app/config/scenario/catalogue_transport.hpp"
#include "app/config/scenario/transport_reader.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/nccl/nccl_tuner.hpp"
#include "topology/rings/channel_rings.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

const std::filesystem::path root = RINGCAST_SOURCE_DIR;

/// A choice and the size from which on NCCL makes it: "tree/LL x 4", or "in-switch/Simple".
using Choices = std::map<std::uint64_t, std::string>;
/// A cluster, its nodes, and the GPUs of each; 0: all.
using Job = std::tuple<std::string, int, int>;

std::map<Job, Choices> recorded_choices() {
  std::ifstream file{root / "tests/nccl/choices-2.28.9.csv"};
  std::map<Job, Choices> jobs;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream fields{line};
    std::vector<std::string> field(7);
    for (std::string& text : field)
      std::getline(fields, text, ',');
    const int gpus = field[2].empty() ? 0 : std::stoi(field[2]);
    const std::string channels = field[6].empty() ? "" : " x " + field[6];
    jobs[{field[0], std::stoi(field[1]), gpus}][std::stoull(field[3])] =
        field[4] + "/" + field[5] + channels;
  }
  return jobs;
}

/// What we choose for each power of two from 8 bytes to 8 GiB.
Choices our_choices(const Job& job) {
  const auto& [name, nodes, gpus] = job;
  const std::filesystem::path made_up = root / "tests/nccl/clusters" / (name + ".yaml");
  const bool own = std::filesystem::exists(made_up);
  ClusterSpec cluster =
      read_cluster(own ? made_up : root / "scenarios/clusters" / (name + ".yaml"));
  cluster.nodes = {cluster.nodes.front()};
  cluster.nodes.front().count = nodes;
  const TransportProfile nccl = read_transport(transport_option("nccl-2.28", cluster));
  const Topology topology{build_cluster(cluster)};
  const TransferPaths paths{topology, nccl,
                            places_of_ranks(topology, gpus > 0 ? gpus : topology.ranks(), nccl)};
  const NcclMachine machine = nccl_machine(paths, channel_rings(paths));
  Choices choices;
  for (std::uint64_t size = 8; size <= std::uint64_t{8} << 30U; size *= 2) {
    const NcclChoice choice = nccl_choices(machine, nccl, Bytes{size}).front();
    const bool switched = choice.protocol.algorithm == "in-switch";
    choices[size] =
        choice.protocol.full_name() + (switched ? "" : " x " + std::to_string(choice.channels));
  }
  return choices;
}

// NCCL 2.28.9 itself chose the same (tests/nccl/README.md).
TEST(NcclChoices, AreThoseOfNccl) {
  const std::map<Job, Choices> jobs = recorded_choices();
  ASSERT_EQ(jobs.size(), 116U);
  for (const auto& [job, recorded] : jobs) {
    std::string first;  // difference
    for (const auto& [size, ours] : our_choices(job)) {
      const std::string& theirs = std::prev(recorded.upper_bound(size))->second;
      if (ours != theirs && first.empty()) {
        first = std::to_string(size) + ": " + ours + ", NCCL's " + theirs;
      }
    }
    EXPECT_EQ(first, "") << std::get<0>(job) << ", " << std::get<1>(job) << " nodes, "
                         << std::get<2>(job) << " GPUs of each";
  }
}

}  // namespace
}  // namespace ringcast
