#include "app/predict/network_plugins.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "app/config/scenario/catalogue_transport.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/nccl/aws_tuner.hpp"

namespace ringcast {

EfaChunk efa_chunk_of(const TransportProfile& profile, const ClusterSpec& cluster,
                      const NcclMachine& machine) {
  const LinkClassNames classes = link_classes_of(cluster);
  if (machine.nodes == 1 || !machine.near_nics || !has_class(classes, "efa-")) return {};
  const bool flushes = machine.gpus.generation < GpuGeneration::hopper;
  const Seconds time{1e-6 * measured_constant(flushes ? efa_flush : efa_chunk, profile.left_out)};
  if (flushes) return {.flush = time};
  const bool late = has_class(classes, "efa-200g") || has_class(classes, "efa-400g");
  return {.beside = time, .switched = late ? Seconds{0} : time};
}

TransportProfile with_plugin(TransportProfile profile, const ClusterSpec& cluster, bool is_open,
                             Seconds flush) {
  const LinkClassNames classes = link_classes_of(cluster);
  // The plugin's settings, unless only_protocols has others.
  const bool simple_alone =
      plugin_allows_simple_alone(classes) &&
      std::ranges::all_of(std::array{"LL", "LL128", "Simple"}, [&](std::string_view name) {
        return std::ranges::find(profile.protocols, name, &Protocol::name) !=
               profile.protocols.end();
      });
  const bool has_rings = profile.has_protocols_of("ring");
  const bool no_switches = is_open && has_rings && has_class(classes, "tcpxo-");
  const bool only_rings = is_open && has_rings && has_class(classes, "tcpx-");
  std::erase_if(profile.protocols, [&](const Protocol& protocol) {
    return (simple_alone && protocol.name != "Simple") ||
           (no_switches && protocol.algorithm == "in-switch") ||
           (only_rings && protocol.algorithm != "ring");
  });
  for (Protocol& protocol : profile.protocols) {
    protocol.latencies[PathKind::network] += flush;
  }
  return profile;
}

namespace {

std::optional<AwsInstance> aws_instance(const ClusterSpec& cluster, GpuGeneration generation) {
  const LinkClassNames classes = link_classes_of(cluster);
  if (generation == GpuGeneration::hopper) {
    if (has_class(classes, "efa-100g")) return AwsInstance::p5;
    if (has_class(classes, "efa-200g")) return AwsInstance::p5en;
  }
  if (generation != GpuGeneration::blackwell || !has_class(classes, "efa-400g")) return {};
  // B300 differ from B200 by their PCIe.
  return has_class(classes, "pcie-6.0") ? AwsInstance::p6_b300 : AwsInstance::p6_b200;
}

}  // namespace

void ask_plugin(std::vector<NcclChoice>& choices, const Scenario& scenario,
                const NcclMachine& machine, Bytes size) {
  const TransportProfile& transport = scenario.transport;
  const auto instance = aws_instance(scenario.cluster, machine.gpus.generation);
  const NcclVersion first_asking =
      transport.is_narrowed ? first_with_cost_tables : first_with_tuner_plugins;
  if (!instance || transport.nccl_version < first_asking) return;
  const auto chosen =
      aws_choice(*instance, transport.efa_tuner, machine.nodes, machine.ranks, size);
  const auto found = std::ranges::find_if(
      choices, [&](const NcclChoice& choice) { return choice.protocol.full_name() == chosen; });
  if (found != choices.end()) std::rotate(choices.begin(), found, found + 1);
}

}  // namespace ringcast
