#include "topology/import/device_partitions.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace ringcast::detail {

namespace {

using Kind = DeviceRelation::Kind;

constexpr std::array levels{Level::pix, Level::pxb, Level::phb, Level::node};

bool is_near(Kind kind) {
  return kind >= Kind::pix && kind <= Kind::node;
}

/// Whether devices with this relation are in the same part on a level. Kinds and levels ascend by
/// distance.
bool joins(Kind kind, Level level) {
  return is_near(kind) &&
         static_cast<int>(kind) - static_cast<int>(Kind::pix) <= static_cast<int>(level);
}

/// Whether two devices are certainly in different sockets. SYS between all devices is no evidence,
/// as virtual machines show it; it is reliable if one of the two is near a third device. If an
/// NVLink hides the relation, that of a third device decides.
bool are_apart(const TopoMatrix& matrix, std::size_t a, std::size_t b) {
  for (std::size_t c = 0; c < matrix.devices.size(); ++c) {
    const DeviceRelation& of_a = matrix.between(a, c);
    const DeviceRelation& of_b = matrix.between(b, c);
    if (is_near(of_a.kind) || is_near(of_b.kind)) {
      const bool one_is_far = of_a.kind == Kind::sys || of_b.kind == Kind::sys;
      if (matrix.between(a, b).kind == Kind::sys || one_is_far) {
        return true;
      }
    }
  }
  return false;
}

bool has_same_affinity(const TopoMatrix& matrix, std::size_t a, std::size_t b) {
  const std::string& affinity = matrix.devices[a].affinity;
  return !affinity.empty() && affinity == matrix.devices[b].affinity;
}

bool affinities_differ(const TopoMatrix& matrix) {
  std::set<std::string> affinities;
  for (const TopoMatrix::Device& device : matrix.devices) {
    if (!device.affinity.empty()) affinities.insert(device.affinity);
  }
  return affinities.size() > 1;
}

/// NVLinks and virtual machines hide the PCIe relation of two GPUs; then GPUs of one affinity are
/// in one socket. In a job that is limited to some processors all GPUs have the same affinity.
bool affinity_joins(const TopoMatrix& matrix, std::size_t a, std::size_t b) {
  const Kind kind = matrix.between(a, b).kind;
  return (kind == Kind::nvlink || kind == Kind::sys) && has_same_affinity(matrix, a, b) &&
         (affinities_differ(matrix) || !are_apart(matrix, a, b));
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
  std::iota(each.begin(), each.end(), 0);
  part_of_.assign(levels.size(), each);
  for_each_pair(matrix, [&](std::size_t a, std::size_t b) {
    const Kind kind = matrix.between(a, b).kind;
    for (const Level level : levels) {
      if (joins(kind, level)) {
        join(level, a, b);
      }
    }
    if (affinity_joins(matrix, a, b)) {
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
  std::string limited;
  std::string nearer;
  for_each_pair(matrix, [&](std::size_t a, std::size_t b) {
    const DeviceRelation& between = matrix.between(a, b);
    const auto say = [&](std::string& doubt, bool applies, std::string_view what) {
      if (!applies || !doubt.empty()) return;
      doubt = fmt::format("{} and {} are {} to each other, but {}", matrix.devices[a].label,
                          matrix.devices[b].label, name_of(between), what);
    };
    const bool apart = between.kind == Kind::sys && has_same_affinity(matrix, a, b);
    say(hidden, apart && affinity_joins(matrix, a, b),
        "of one affinity, as in virtual machines; they are taken to be in one socket, each on a "
        "root complex of its own");
    say(limited, apart && !together(Level::node, a, b),
        "of one affinity, as in a job limited to some processors; they are taken to be in "
        "different sockets");
    const bool joined = std::ranges::any_of(levels, [&](Level level) {
      return is_near(between.kind) && together(level, a, b) && !joins(between.kind, level);
    });
    say(nearer, joined, "nearer through other devices, which is taken");
  });
  std::vector<std::string> doubts{hidden, limited, nearer};
  std::erase(doubts, "");
  return doubts;
}

}  // namespace ringcast::detail
