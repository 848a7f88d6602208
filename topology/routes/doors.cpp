#include "topology/routes/doors.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "topology/cluster/index.hpp"

namespace ringcast::detail {

std::vector<int> fabric_parts(const Cluster& cluster) {
  std::vector<int> parts(cluster.vertices.size());
  std::iota(parts.begin(), parts.end(), 0);
  const auto root = [&parts](int at) {
    while (parts[index(at)] != at) {
      at = parts[index(at)] = parts[index(parts[index(at)])];
    }
    return at;
  };
  const auto is_switch = [&cluster](int at) { return cluster.vertices[index(at)].node < 0; };
  for (const Cable& cable : cluster.cables) {
    if (is_switch(cable.a) && is_switch(cable.b)) {
      parts[index(root(cable.a))] = root(cable.b);
    }
  }
  for (int at = 0; index(at) < parts.size(); ++at) {
    parts[index(at)] = is_switch(at) ? root(at) : -1;
  }
  return parts;
}

std::vector<Door> nearest_in_parts(std::vector<Door> doors, const std::vector<int>& parts) {
  const std::vector<Door> all = doors;
  const auto is_beaten = [&](const Door& door, int past) {
    const int part = parts[index(past)];
    return part >= 0 && std::ranges::any_of(all, [&](const Door& other) {
             return other.cost < door.cost &&
                    std::ranges::find(other.beyond, part, [&](int beyond) {
                      return parts[index(beyond)];
                    }) != other.beyond.end();
           });
  };
  std::erase_if(doors, [&](const Door& door) {
    return std::ranges::all_of(door.beyond, [&](int past) { return is_beaten(door, past); });
  });
  return doors;
}

std::pair<std::vector<Door>, std::vector<Door>> nearest_doors(const std::vector<Door>& out,
                                                              const std::vector<Door>& in,
                                                              const std::vector<int>& parts) {
  const auto joined = [&parts](const Door& a, const Door& b) {
    return std::ranges::any_of(a.beyond, [&](int past_a) {
      return std::ranges::any_of(b.beyond, [&](int past_b) {
        const int part = parts[index(past_a)];
        return part >= 0 ? part == parts[index(past_b)] : past_a == b.vertex && past_b == a.vertex;
      });
    });
  };
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  for (const Door& from : out) {
    for (const Door& to : in) {
      if (from.cost + to.cost < lowest && joined(from, to)) {
        lowest = from.cost + to.cost;
      }
    }
  }
  std::pair<std::vector<Door>, std::vector<Door>> nearest;
  const auto is_nearest = [&](const Door& from, const Door& to) {
    return from.cost + to.cost == lowest && joined(from, to);
  };
  std::ranges::copy_if(out, std::back_inserter(nearest.first), [&](const Door& from) {
    return std::ranges::any_of(in, [&](const Door& to) { return is_nearest(from, to); });
  });
  std::ranges::copy_if(in, std::back_inserter(nearest.second), [&](const Door& to) {
    return std::ranges::any_of(out, [&](const Door& from) { return is_nearest(from, to); });
  });
  return nearest;
}

}  // namespace ringcast::detail
