#include <algorithm>

#include <fmt/format.h>

#include "app/config/cluster/cluster_parts.hpp"

namespace ringcast {

namespace {

// Counts saturate here: they nest, so their product could overflow any integer.
constexpr std::int64_t uncountable = std::int64_t{1} << 40U;

std::int64_t times(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > uncountable / b ? uncountable : a * b;
}

void add(std::int64_t& sum, std::int64_t more) {
  sum = std::min(sum + more, uncountable);
}

void count(const DeviceSpec& device, std::int64_t copies, NodeParts& parts) {
  const std::int64_t devices = times(copies, device.count);
  switch (device.kind) {
    case VertexKind::gpu:
      add(parts.gpus, devices);
      break;
    case VertexKind::nic:
      add(parts.nics, devices);
      break;
    default:
      add(parts.switches, devices);
      break;
  }
  for (const DeviceSpec& below : device.devices)
    count(below, devices, parts);
}

}  // namespace

NodeParts parts_of(const NodeTypeSpec& type) {
  NodeParts parts;
  for (const SocketSpec& socket : type.sockets) {
    add(parts.sockets, socket.count);
    add(parts.processes, times(socket.count, socket.processes));
    for (const RootComplexSpec& root : socket.root_complexes) {
      const std::int64_t roots = times(socket.count, root.count);
      add(parts.roots, roots);
      for (const DeviceSpec& device : root.devices)
        count(device, roots, parts);
    }
  }
  for (const std::int64_t some :
       {parts.sockets, parts.roots, parts.switches, parts.gpus, parts.nics, parts.processes}) {
    add(parts.total, some);
  }
  return parts;
}

void check_parts(const InputNode& node, const NodeTypeSpec& type) {
  const NodeParts parts = parts_of(type);
  if (parts.total > most_parts_of_a_node) {
    node.fail("too many parts in one node", fmt::format("at most {}", most_parts_of_a_node));
  }
  if (std::max(parts.gpus, parts.processes) > most_ranks_of_a_node) {
    node.fail("too many GPUs or processes in one node",
              fmt::format("at most {}", most_ranks_of_a_node));
  }
}

}  // namespace ringcast
