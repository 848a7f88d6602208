#include "real/gpu/device_routes.hpp"

#include <cstring>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr Bytes probe_size = 2_MiB;  // the granularity of CUDA IPC

/// An optional handle, copied as bytes.
struct Offered {
  bool is_there = false;
  SharedHandle handle;
};

Offered offer_of(Device& device, std::byte* memory) {
  try {
    return {true, device.share(memory)};
  } catch (const TransportError&) {
    return {};  // this device cannot share memory: its messages take other paths
  }
}

bool can_open(Device& device, const Offered& offered) {
  if (!offered.is_there) return false;
  try {
    return device.open(offered.handle) != nullptr;
  } catch (const TransportError&) {
    return false;
  }
}

/// Returns for each rank whether it can open the memory of this one.
std::vector<bool> find_openers(Wire& wire, Device& device) {
  const auto ranks = static_cast<std::size_t>(wire.size());
  const auto self = static_cast<std::size_t>(index_of(wire.rank()));
  const OwnedBytes probe = device.allocate(probe_size);
  const Offered mine = offer_of(device, probe.get());
  const std::vector<std::byte> offers = wire.gather(std::as_bytes(std::span{&mine, 1}));
  std::vector<std::byte> opened(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    Offered theirs;
    std::memcpy(&theirs, offers.data() + peer * sizeof(theirs), sizeof(theirs));
    const bool is_on_same_host = peer != self && wire.is_on_same_host(Rank{static_cast<int>(peer)});
    opened[peer] =
        std::byte{is_on_same_host && can_open(device, theirs) ? std::uint8_t{1} : std::uint8_t{0}};
  }
  // After all have answered, no rank has the probe open.
  const std::vector<std::byte> answers = wire.gather(opened);
  std::vector<bool> openers(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    openers[peer] = peer == self || answers[peer * ranks + self] != std::byte{0};
  }
  return openers;
}

DeviceRoute route_to(Rank peer, const Wire& wire, DevicePath wanted, bool opens) {
  const bool is_aware = wire.takes_device_memory();
  switch (wanted) {
    case DevicePath::ipc:
      if (opens) return {MessagePath::ipc};
      return {MessagePath::ipc,
              fmt::format("path ipc: rank {} {} rank {} (expected path staged, or auto)",
                          index_of(peer),
                          wire.is_on_same_host(peer) ? "cannot open the device memory of"
                                                     : "is not on the host of",
                          index_of(wire.rank()))};
    case DevicePath::cuda_aware:
      if (is_aware) return {MessagePath::cuda_aware};
      return {MessagePath::cuda_aware,
              "path cuda-aware: this MPI does not say that it takes device memory, as Open MPI can "
              "(expected path staged, or auto)"};
    case DevicePath::staged:
      return {MessagePath::staged};
    case DevicePath::automatic:
      break;
  }
  return {opens ? MessagePath::ipc : is_aware ? MessagePath::cuda_aware : MessagePath::staged};
}

}  // namespace

std::vector<DeviceRoute> find_routes(Wire& wire, Device& device, DevicePath wanted) {
  const auto ranks = static_cast<std::size_t>(wire.size());
  const bool may_open = wanted == DevicePath::automatic || wanted == DevicePath::ipc;
  const std::vector<bool> openers =
      may_open ? find_openers(wire, device) : std::vector<bool>(ranks);
  std::vector<DeviceRoute> routes;
  routes.reserve(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    routes.push_back(route_to(Rank{static_cast<int>(peer)}, wire, wanted, openers[peer]));
  }
  return routes;
}

}  // namespace ringcast
