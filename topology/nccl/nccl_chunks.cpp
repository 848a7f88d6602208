#include "topology/nccl/nccl_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "topology/links/measured_constants.hpp"
#include "topology/nccl/nccl_tables.hpp"

namespace ringcast::detail {
namespace {

constexpr double most_pieces = 256;
// The data in an eighth of LL's buffer (NCCL_LL_LINES_PER_THREAD in src/include/device.h).
constexpr double chunk_of_ll = 32 << 10;

/// Rings of Simple that are together no faster than PCIe 3.0 (ncclTopoTuneModel()).
bool has_half_the_threads(const NcclMachine& machine) {
  constexpr BytesPerSecond pcie{12e9};
  return !machine.rccl && machine.version < nccl_tables::first_full_threads &&
         machine.search.ring_rate > BytesPerSecond{0} &&
         machine.search.rings * machine.search.ring_rate <= pcie;
}

/// The least number of bytes of the buffer for a channel; zero: no minimum.
std::uint64_t least_of_a_channel(const NcclMachine& machine, const Protocol& protocol) {
  if (machine.rccl || machine.version < nccl_tables::first_least_traffic) return 0;
  const std::uint64_t traffic =
      machine.version < nccl_tables::first_more_traffic ? 16U << 10U : 32U << 10U;
  return traffic / (protocol.name == "LL" ? 8 : 2);
}

int heads_of_channel(const NcclMachine& machine) {
  return std::min(machine.heads(), nccl_tables::most_heads);
}

double all_switched_heads(const NcclMachine& machine) {
  return machine.switch_buffers().channels * heads_of_channel(machine);
}

double switched_chunk(const NcclMachine& machine, double size) {
  const double concurrent = all_switched_heads(machine);
  auto chunk = static_cast<double>(machine.switch_buffers().chunk.count());
  const auto limit = [&](double loops, double most) {
    if (size < loops * concurrent * chunk) chunk = std::min(chunk, most);
  };
  if (machine.nodes == 1) {
    limit(64, 64 << 10);
    limit(8, 32 << 10);
    limit(2, 16 << 10);
  } else {
    limit(16, 128 << 10);
    limit(4, 64 << 10);
    limit(1, 32 << 10);
  }
  return chunk;
}

}  // namespace

Bytes pieces(double count, double whole) {
  return Bytes{static_cast<std::uint64_t>(
      std::max(64.0, std::ceil(whole / std::clamp(std::round(count), 1.0, most_pieces))))};
}

Bytes shard_pieces(double count, double whole) {
  constexpr double widest = 8;  // bytes of an element
  const Bytes piece = pieces(count, whole + widest);
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(piece.count()) / widest)) *
         Bytes{static_cast<std::uint64_t>(widest)};
}

double switched_efficiency(const NcclMachine& machine, std::string_view left_out) {
  if (machine.ranks / machine.nodes <= nccl_tables::most_heads)
    return measured_constant(switched_rate, left_out);
  return measured_constant(
      machine.nodes == 1 ? switched_rate_of_racks : switched_rate_between_racks, left_out);
}

SwitchedPipeline switched_pipeline(const NcclMachine& machine, Bytes size, BytesPerSecond within,
                                   BytesPerSecond rate, std::string_view left_out) {
  const auto bytes = static_cast<double>(size.count());
  const int per_node = machine.ranks / machine.nodes;
  const double heads = heads_of_channel(machine);
  const double loop = all_switched_heads(machine) * switched_chunk(machine, bytes);
  const double round = std::clamp(bytes, 1.0, loop);
  // A chunk is copied into the buffer that the switch reads, crosses the switch both ways in one
  // pass of loads and stores, and is copied out.
  const double filling = measured_constant(machine.gpus.generation == GpuGeneration::blackwell
                                               ? switched_fill_blackwell
                                               : switched_fill_hopper,
                                           left_out);
  const Seconds hidden = std::max(Seconds{0}, size / rate - size / within);
  if (machine.nodes == 1) {
    constexpr double own = 1.4;  // segments with which our program fills
    const Seconds pass{round * (per_node + 1) / per_node / within.value()};
    const double first_heads = std::min(heads, measured_constant(switched_fill_heads, left_out));
    return {shard_pieces(bytes / loop, bytes / per_node), (filling - own) * pass,
            bytes / loop * heads + filling * first_heads, hidden};
  }
  const double in_node = round / within.value();
  const double across = round / machine.between.value();
  const double crossings = 2 * floor_log2(machine.nodes) - std::clamp(2 - bytes / loop, 0.0, 1.0);
  const double fill = filling * in_node + crossings * across - std::max(in_node, across);
  const double piece = std::max(round / 4, bytes / most_pieces);
  return {shard_pieces(bytes / piece, bytes / per_node / 2),
          Seconds{fill * std::max(0.0, 1 - piece / round)}, bytes / loop * heads, hidden,
          2.0 * floor_log2(machine.nodes) * machine.switch_buffers().channels};
}

Bytes pass_of_a_channel(const NcclMachine& machine, const Protocol& protocol) {
  const std::uint64_t threads = machine.rccl ? 256 : 512;
  const std::uint64_t threads_of_ll128 = machine.rccl ? 256 : 640;
  if (protocol.name == "LL") return Bytes{threads * 8};
  if (protocol.name == "LL128") return Bytes{threads_of_ll128 * 8};
  return Bytes{threads * 64};
}

LineCosts line_costs(const NcclMachine& machine, const Protocol& protocol, Bytes size,
                     int channels) {
  const bool tree = protocol.algorithm == "tree";
  const bool ll = protocol.name == "LL";
  const auto bytes = static_cast<double>(size.count());
  const double hop = tree ? bytes : bytes / machine.ranks;
  const auto lines_of = [&](double share) {
    return std::min(hop, share * channels) / (ll ? 0.5 : 0.9375);
  };
  const double rate = channels * nccl_tables::at(nccl_tables::ring_ll128, machine);
  const double first = lines_of(static_cast<double>(pass_of_a_channel(machine, protocol).count()));
  const double at_once = tree ? first / std::min(channels, machine.ranks / machine.nodes) : first;
  return {Seconds{std::max(0.0, 2 * first / rate - at_once / machine.in_node.value())},
          Seconds{ll ? lines_of(chunk_of_ll) / rate : 0}};
}

int channels_in_use(const NcclMachine& machine, const Protocol& protocol, Bytes size) {
  std::uint64_t share = pass_of_a_channel(machine, protocol).count();
  if (protocol.algorithm == "ring") {
    if (protocol.name == "LL") share *= static_cast<std::uint64_t>(machine.ranks);
    if (protocol.name == "Simple" && has_half_the_threads(machine)) share /= 2;
  }
  const auto most = static_cast<std::uint64_t>(machine.channels());
  const auto used = std::clamp<std::uint64_t>(size.count() / share, 1, most);
  const std::uint64_t least = least_of_a_channel(machine, protocol);
  if (least == 0) return static_cast<int>(used);
  // Whole cells of `least` bytes are divided evenly.
  const auto divided_up = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
  const std::uint64_t cells = std::max<std::uint64_t>(divided_up(size.count(), least), 1);
  return static_cast<int>(divided_up(cells, divided_up(cells, used)));
}

}  // namespace ringcast::detail
