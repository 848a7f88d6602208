#include <algorithm>

#include <fmt/format.h>

#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {

void add_nvlinks(const std::vector<AddressedNvlinks>& all, HostHardware& host) {
  const std::map<std::string, int> gpus = gpu_numbers(host);
  NvlinkRates rates;
  for (const AddressedNvlinks& links : all) {
    const int gpu = gpus.at(links.gpu);
    const auto peer = gpus.find(links.target);
    if (links.to_switch) {
      rates.to_switches[gpu] = rates.to_switches[gpu] + links.rate;
    } else if (peer == gpus.end() || links.target == links.gpu) {
      host.remarks.push_back(fmt::format(
          "GPU {}: {} NVLinks to {} are left out, {}", links.gpu, links.count, links.target,
          links.target == links.gpu ? "which is itself" : "which is no GPU of the file"));
    } else {
      BytesPerSecond& known = rates.between[std::minmax(gpu, peer->second)];
      known = std::max(known, links.rate);
    }
  }
  ringcast::add_nvlinks(rates, host);
}

}  // namespace ringcast::detail
