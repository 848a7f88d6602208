#include "real/gpu/host_gpus.hpp"

#include <set>
#include <utility>

namespace ringcast {

std::vector<HostGpus> gpus_of_hosts(const std::vector<RankGpu>& ranks) {
  std::vector<HostGpus> hosts;
  std::set<std::pair<int, std::string>> seen;
  for (const auto& [host, node, model, id] : ranks) {
    const auto place = static_cast<std::size_t>(node);
    if (place >= hosts.size()) hosts.push_back({host, model});
    ++hosts[place].ranks;
    if (!id.empty() && seen.insert({node, id}).second) ++hosts[place].gpus;
  }
  return hosts;
}

}  // namespace ringcast
