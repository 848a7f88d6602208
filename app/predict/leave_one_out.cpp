#include "app/predict/leave_one_out.hpp"

#include <algorithm>
#include <vector>

#include <fmt/ranges.h>

#include "app/common/counted.hpp"
#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "topology/links/link_class.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {
namespace {

/// Values of the file itself do not change.
template <typename Quantity>
void replace(Quantity& value, Quantity of_class, Quantity without) {
  if (value == of_class) value = without;
}

void replace_staging(ClusterSpec& cluster, std::string_view set) {
  for (NodeTypeSpec& type : cluster.node_types) {
    for (SocketSpec& socket : type.sockets)
      replace(socket.staging_bandwidth, BytesPerSecond{1e9 * measured_constant(epyc_staging)},
              BytesPerSecond{1e9 * measured_constant(epyc_staging, set)});
  }
}

}  // namespace

std::string sample_name(const PublishedSet& set) {
  return set.scenario.file.stem().string();
}

Scenario without_samples_of(std::string_view set, Scenario scenario) {
  const std::vector<LinkClass> without = link_classes_without(set);
  const int pcie = generation_of_pcie(scenario.cluster).value_or(oldest_pcie);
  for (CableSpec* const cable : cables_of(scenario.cluster)) {
    const LinkClass* const known = find_link_class(cable->base_class);
    if (known == nullptr) continue;
    const LinkClass other = link_class_in(without, known->name, set);
    const bool direct =
        cable->bandwidth != known->achievable && cable->bandwidth == known->direct_achievable;
    const BytesPerSecond staged =
        known->is_network ? kernel_limit(*known, cable->bandwidth, pcie) : known->kernel_achievable;
    replace(cable->bandwidth, direct ? known->direct_achievable : known->achievable,
            direct ? other.direct_achievable : other.achievable);
    replace(cable->latency, known->latency, other.latency);
    replace(cable->peer_bandwidth, known->peer_achievable, other.peer_achievable);
    replace(cable->peer_bandwidth, BytesPerSecond{1e9 * measured_constant(amd_nic_peers)},
            BytesPerSecond{1e9 * measured_constant(amd_nic_peers, set)});
    replace(cable->kernel_bandwidth, staged,
            known->is_network ? kernel_limit(other, cable->bandwidth, pcie, set)
                              : other.kernel_achievable);
  }
  replace_staging(scenario.cluster, set);
  for (const std::string_view copies : {tcp_copy, google_copy, efa_copy}) {
    replace(scenario.transport.socket_copy_rate, BytesPerSecond{1e9 * measured_constant(copies)},
            BytesPerSecond{1e9 * measured_constant(copies, set)});
  }
  replace(scenario.transport.socket_latency, Seconds{1e-6 * measured_constant(tcp_message)},
          Seconds{1e-6 * measured_constant(tcp_message, set)});
  const auto is_sampled = [set](const MeasuredConstant& each) { return each.comes_from(set); };
  if (scenario.transport.tuner != Tuner::none &&
      std::ranges::any_of(measured_constants(), is_sampled)) {
    scenario.transport.left_out = set;
  }
  return scenario;
}

std::string constants_text() {
  std::vector<std::string_view> single;
  for (const MeasuredConstant& constant : measured_constants())
    if (constant.samples.size() == 1) single.push_back(constant.name);
  return fmt::format("# {} fitted on machines; on a single one: {}\n",
                     counted(measured_constants().size(), "constant"), fmt::join(single, "; "));
}

}  // namespace ringcast
