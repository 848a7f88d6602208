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

TunedNics NcclMachine::tuned_nics() const {
  constexpr double rounding = 1 - 1e-9;
  if (nodes == 1 || generation != GpuGeneration::blackwell ||
      version < nccl_tables::first_blackwell) {
    return TunedNics::none;
  }
  const BytesPerSecond all = expected_between > BytesPerSecond{0} ? expected_between : between;
  const double each = all.value() / heads();
  if (each >= rounding * 96e9) return TunedNics::of_96_gb_per_s;
  return each >= rounding * 48e9 ? TunedNics::of_48_gb_per_s : TunedNics::none;
}

int NcclMachine::switched_channels() const {
  if (generation != GpuGeneration::blackwell) return 16;
  if (nodes == 1) return rubin ? 48 : 24;
  const bool narrow = ranks / nodes <= 8 || tuned_nics() == TunedNics::of_48_gb_per_s;
  if (tuned_nics() != TunedNics::none) return nodes > 2 && narrow ? 24 : 32;
  return rubin ? 64 : 32;
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
