#include "topology/import/device_partitions.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ringcast::detail {

namespace {

using Kind = DeviceRelation::Kind;

constexpr std::array levels{Level::pix, Level::pxb, Level::phb, Level::node};

/// True if devices of this relation are together on a level.
bool joins(Kind kind, Level level) {
  switch (kind) {
    case Kind::pix:
      return true;
    case Kind::pxb:
      return level >= Level::pxb;
    case Kind::phb:
      return level >= Level::phb;
    case Kind::node:
      return level >= Level::node;
    default:
      return false;
  }
}

/// NVLink hides the PCIe relation of two GPUs, as virtual machines do; the affinity tells the
/// socket.
bool same_affinity(const TopoMatrix& matrix, std::size_t a, std::size_t b) {
  const std::string& affinity = matrix.devices[a].affinity;
  return !affinity.empty() && affinity == matrix.devices[b].affinity;
}

/// Calls visit(a, b) for each pair of devices.
template <typename Visit>
void for_each_pair(const TopoMatrix& matrix, const Visit& visit) {
  for (std::size_t a = 0; a < matrix.devices.size(); ++a) {
    for (std::size_t b = a + 1; b < matrix.devices.size(); ++b) {
      visit(a, b);
    }
  }
}

}  // namespace

DevicePartitions::DevicePartitions(const TopoMatrix& matrix) {
  Group each(matrix.devices.size());
  for (std::size_t i = 0; i < each.size(); ++i) {
    each[i] = i;
  }
  part_of_.assign(levels.size(), each);
  for_each_pair(matrix, [&](std::size_t a, std::size_t b) {
    const Kind kind = matrix.between(a, b).kind;
    for (const Level level : levels) {
      if (joins(kind, level)) {
        join(level, a, b);
      }
    }
    if ((kind == Kind::nvlink || kind == Kind::sys) && same_affinity(matrix, a, b)) {
      join(Level::node, a, b);
    }
  });
}

void DevicePartitions::join(Level level, std::size_t a, std::size_t b) {
  std::vector<std::size_t>& part_of = part_of_[static_cast<std::size_t>(level)];
  const std::size_t joined = part_of[a];
  std::ranges::replace(part_of, std::size_t{part_of[b]}, joined);
}

bool DevicePartitions::together(Level level, std::size_t a, std::size_t b) const {
  const std::vector<std::size_t>& part_of = part_of_[static_cast<std::size_t>(level)];
  return part_of[a] == part_of[b];
}

std::vector<Group> DevicePartitions::parts(Level level, const Group& devices) const {
  std::vector<Group> parts;
  for (const std::size_t device : devices) {
    const auto own = std::ranges::find_if(
        parts, [&](const Group& part) { return together(level, part.front(), device); });
    (own == parts.end() ? parts.emplace_back() : *own).push_back(device);
  }
  return parts;
}

std::vector<std::string> DevicePartitions::doubts(const TopoMatrix& matrix) const {
  std::string hidden;
  std::string nearer;
  for_each_pair(matrix, [&](std::size_t a, std::size_t b) {
    const DeviceRelation& between = matrix.between(a, b);
    const auto pair = [&] {
      return fmt::format("{} and {} are {} to each other, but ", matrix.devices[a].label,
                         matrix.devices[b].label, name_of(between));
    };
    if (hidden.empty() && between.kind == Kind::sys && same_affinity(matrix, a, b)) {
      hidden = pair() +
               "of one affinity, as in virtual machines; they are taken to be in one socket, each "
               "on a root complex of its own";
    }
    for (const Level level : levels) {
      const bool tells = between.kind >= Kind::pix && between.kind <= Kind::node;
      if (nearer.empty() && tells && together(level, a, b) && !joins(between.kind, level)) {
        nearer = pair() + "nearer through other devices, which is taken";
      }
    }
  });
  std::vector<std::string> doubts;
  for (const std::string& doubt : {hidden, nearer}) {
    if (!doubt.empty()) {
      doubts.push_back(doubt);
    }
  }
  return doubts;
}

}  // namespace ringcast::detail
