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
  return nodes == 1 || nics == 0 ? per_node : std::min(nics, per_node);
}

namespace {

constexpr Bytes short_chunk{64 << 10};
constexpr Bytes usual_chunk{128 << 10};
constexpr Bytes long_chunk{256 << 10};

int usual_switched_channels(const NcclMachine& machine) {
  if (machine.gpus.generation != GpuGeneration::blackwell) return 16;
  return (machine.nodes > 1 ? 32 : 24) * (machine.gpus.rubin ? 2 : 1);
}

/// `fast`: NICs of at least 96 GB/s; others have at least 48.
SwitchBuffers tuned_switch_buffers(const NcclMachine& machine, bool fast) {
  const int per_node = machine.ranks / machine.nodes;
  if (machine.nodes == 2) {
    if (per_node <= 4) return {32, long_chunk};
    const bool near = !fast && per_node <= 8 && machine.near_nics;
    return {32, near || per_node >= 16 ? short_chunk : usual_chunk};
  }
  if (!fast) return {24, machine.near_nics ? short_chunk : usual_chunk};
  if (per_node <= 8) return {24, long_chunk};
  return {32, per_node < 32 ? usual_chunk : short_chunk};
}

}  // namespace

SwitchBuffers NcclMachine::switch_buffers() const {
  constexpr double rounding = 1 - 1e-9;
  const bool is_tuned = nodes > 1 && gpus.generation == GpuGeneration::blackwell &&
                        version >= nccl_tables::first_blackwell && nic_rate() >= rounding * 48e9;
  if (is_tuned) return tuned_switch_buffers(*this, nic_rate() >= rounding * 96e9);
  return {usual_switched_channels(*this), nodes >= 4 ? short_chunk : usual_chunk};
}

bool NcclMachine::sums_in_switches() const {
  if (ranks / nodes == 2 && version < nccl_tables::first_sums_of_two) return false;
  return switch_sums &&
         version >= (nodes == 1 ? nccl_tables::first_nvls : nccl_tables::first_nvls_tree);
}

bool switches_combine(Reduction reduction) {
  const bool wide =
      reduction.type == ElementType::float32 || reduction.type == ElementType::float64;
  const Operation operation = reduction.operation;
  return operation == Operation::sum ||
         (!wide && (operation == Operation::min || operation == Operation::max));
}

int NcclMachine::channels() const {
  constexpr BytesPerSecond fast{45e9};
  constexpr int many = 16;
  int channels = 2 * search.rings;
  if (gpus.generation >= GpuGeneration::hopper && nodes > 1 && search.ring_rate > fast &&
      channels < many) {
    channels *= 2;
  }
  const bool raises = nvls && version < nccl_tables::first_own_switch_channels;
  return std::max({std::min(channels, limits.most_channels), limits.least_channels,
                   raises ? usual_switched_channels(*this) : 0});
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
