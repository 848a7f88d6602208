#include "topology/nccl/rccl_programs.hpp"

#include <algorithm>

namespace ringcast::detail {
namespace {

bool has_program(const NcclMachine& machine, const TransportProfile& profile, Bytes size) {
  constexpr std::uint64_t element = 4;
  const std::uint64_t bytes = size.count();
  const std::uint64_t pieces = bytes <= 65536 ? 256 : 512;
  return machine.xgmi_mesh && machine.nodes == 1 && machine.ranks == 8 &&
         profile.gpus_per_process == 1 && bytes > 0 && bytes <= 524287 &&
         bytes % (pieces * element) == 0;
}

}  // namespace

std::optional<NcclChoice> rccl_program(const NcclMachine& machine, const TransportProfile& profile,
                                       Bytes size) {
  const auto ring =
      std::ranges::find(profile.protocols, std::string{"ring/LL"}, &Protocol::full_name);
  if (ring == profile.protocols.end() || !has_program(machine, profile, size)) return std::nullopt;
  NcclChoice choice{*ring};
  choice.protocol.algorithm = "parameter-server";
  const double ranks = machine.ranks;
  const BytesPerSecond rate = ring->efficiency * (ranks / (2 * (ranks - 1))) * machine.in_node;
  choice.estimate = ring->call_overhead + 2 * ring->latency_of(PathKind::nvlink) + size / rate;
  return choice;
}

}  // namespace ringcast::detail
