#include "real/gpu/device_job.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "real/gpu/device_compute.hpp"
#include "real/gpu/device_endpoint.hpp"

namespace ringcast {
namespace {

/// The staging buffers of two messages in flight, one in each direction. Allocating more during a
/// run may synchronize with all work of the device.
constexpr std::size_t buffers_at_first = 8;

bool is_staged(const DeviceRoute& route) {
  return route.path == MessagePath::staged;
}

/// Collective. Tells if messages within a host are staged: they may take ten times as long.
void remark_on_staged(Wire& wire, const std::vector<DeviceRoute>& routes,
                      const DeviceOptions& options) {
  std::array<std::uint32_t, 2> counts{};  // of this rank's peers on its host: staged, all
  for (std::size_t peer = 0; peer < routes.size(); ++peer) {
    const Rank rank{static_cast<int>(peer)};
    if (rank == wire.rank() || !wire.is_on_same_host(rank)) continue;
    if (is_staged(routes[peer])) ++counts[0];
    ++counts[1];
  }
  const std::vector<std::byte> all = wire.gather(std::as_bytes(std::span{counts}));
  std::array<std::uint32_t, 2> sums{};
  for (std::size_t at = 0; at < all.size(); at += sizeof(counts)) {
    std::memcpy(counts.data(), all.data() + at, sizeof(counts));
    sums[0] += counts[0];
    sums[1] += counts[1];
  }
  if (wire.rank() == Rank{0} && sums[0] > 0 && options.remark) {
    options.remark(fmt::format(
        "{} of {} ways between ranks of one host lead through its memory: CUDA does not open the "
        "memory of one's GPU for the other (expected GPUs that both ranks see; --path ipc says "
        "which)",
        sums[0], sums[1]));
  }
}

}  // namespace

DeviceJob::DeviceJob(Wire& wire, Device& device, Reduction reduction, const DeviceOptions& options)
    : wire_{&wire},
      device_{&device},
      reduction_{reduction},
      options_{options},
      routes_{find_routes(wire, device, options.path)},
      staging_{device, options.segment} {
  if (options.path == DevicePath::automatic) remark_on_staged(wire, routes_, options);
  if (wire.size() > 1 && std::ranges::any_of(routes_, is_staged)) {
    staging_.pinned.prepare(buffers_at_first);
    staging_.scratch.prepare(buffers_at_first / 2);
  }
}

void DeviceJob::run(const RankProgram& program) {
  ++runs_;
  const std::unique_ptr<Watch> watch = wire_->begin_run(runs_, options_.timeout);
  // Freed after the run, when all ranks have closed the memory of others that they opened.
  std::optional<DeviceMemory> memory;
  watch->run([&] {
    memory.emplace(*device_);
    const MoveTools tools{wire_, &staging_, reduction_, options_.reduce_on};
    DeviceTraffic traffic{runs_, tools, *device_, *memory, routes_};
    DeviceEndpoint network{*wire_, traffic, *watch, size_of(reduction_.type), options_.timeout};
    DeviceReducer reducer{tools, *device_, *memory};
    DeviceProcessor processor{*device_, [&network] { network.make_progress(); }};
    RankContext self{network, *memory, reducer, processor};
    program(self);
  });
}

}  // namespace ringcast
