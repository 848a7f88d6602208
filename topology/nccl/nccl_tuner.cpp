#include "topology/nccl/nccl_tuner.hpp"

#include <algorithm>
#include <utility>

#include "topology/nccl/nccl_costs.hpp"
#include "topology/nccl/nccl_estimate.hpp"
#include "topology/nccl/nccl_tables.hpp"
#include "topology/nccl/rccl_programs.hpp"
#include "topology/nccl/rccl_tables.hpp"

namespace ringcast {

int NcclMachine::heads() const {
  const int per_node = ranks / nodes;
  return nodes == 1 || cards == 0 ? per_node : std::min(cards, per_node);
}

int NcclMachine::switched_channels() const {
  if (generation != GpuGeneration::blackwell) return 16;
  return nodes > 1 ? 32 : 24;
}

int NcclMachine::channels() const {
  constexpr BytesPerSecond fast{45e9};
  constexpr int many = 16;
  int channels = 2 * rings;
  if (generation >= GpuGeneration::hopper && nodes > 1 && ring_rate > fast && channels < many) {
    channels *= 2;
  }
  const bool raises = nvls && version < nccl_tables::first_own_switch_channels;
  return raises ? std::max(channels, switched_channels()) : channels;
}

std::vector<NcclChoice> nccl_choices(const NcclMachine& machine, const TransportProfile& profile,
                                     Bytes size, std::optional<std::string_view> algorithm) {
  std::vector<NcclChoice> choices;
  for (const Protocol& protocol : profile.protocols) {
    if (algorithm && protocol.algorithm != *algorithm) continue;
    const detail::NcclEstimate estimate{machine, profile, protocol, size};
    if (estimate.is_possible()) {
      choices.push_back(detail::nccl_costs(estimate, machine, profile, size));
    }
  }
  std::ranges::stable_sort(choices, {}, &NcclChoice::estimate);
  if (detail::is_rccl_between_nodes(machine) && !choices.empty()) {
    const std::string& fastest = choices.front().protocol.algorithm;
    const auto taken = std::ranges::find_if(choices, [&](const NcclChoice& choice) {
      return choice.protocol.algorithm == fastest &&
             choice.protocol.name == rccl_tables::protocol_for(machine, size);
    });
    if (taken != choices.end()) std::rotate(choices.begin(), taken, taken + 1);
  }
  if (algorithm) return choices;
  if (auto program = detail::rccl_program(machine, profile, size)) {
    choices.insert(choices.begin(), *std::move(program));
  }
  return choices;
}

}  // namespace ringcast
