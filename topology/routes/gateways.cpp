#include "topology/routes/gateways.hpp"

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

std::vector<Gateway> nearest_in_parts(std::vector<Gateway> gateways,
                                      const std::vector<int>& parts) {
  const std::vector<Gateway> all = gateways;
  const auto is_beaten = [&](const Gateway& gateway, int past) {
    const int part = parts[index(past)];
    return part >= 0 && std::ranges::any_of(all, [&](const Gateway& other) {
             return other.cost < gateway.cost &&
                    std::ranges::find(other.beyond, part, [&](int beyond) {
                      return parts[index(beyond)];
                    }) != other.beyond.end();
           });
  };
  std::erase_if(gateways, [&](const Gateway& gateway) {
    return std::ranges::all_of(gateway.beyond, [&](int past) { return is_beaten(gateway, past); });
  });
  return gateways;
}

std::pair<std::vector<Gateway>, std::vector<Gateway>> nearest_gateways(
    const std::vector<Gateway>& out, const std::vector<Gateway>& in,
    const std::vector<int>& parts) {
  const auto joined = [&parts](const Gateway& a, const Gateway& b) {
    return std::ranges::any_of(a.beyond, [&](int past_a) {
      return std::ranges::any_of(b.beyond, [&](int past_b) {
        const int part = parts[index(past_a)];
        return part >= 0 ? part == parts[index(past_b)] : past_a == b.vertex && past_b == a.vertex;
      });
    });
  };
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  for (const Gateway& from : out) {
    for (const Gateway& to : in) {
      if (from.cost + to.cost < lowest && joined(from, to)) {
        lowest = from.cost + to.cost;
      }
    }
  }
  std::pair<std::vector<Gateway>, std::vector<Gateway>> nearest;
  const auto is_nearest = [&](const Gateway& from, const Gateway& to) {
    return from.cost + to.cost == lowest && joined(from, to);
  };
  std::ranges::copy_if(out, std::back_inserter(nearest.first), [&](const Gateway& from) {
    return std::ranges::any_of(in, [&](const Gateway& to) { return is_nearest(from, to); });
  });
  std::ranges::copy_if(in, std::back_inserter(nearest.second), [&](const Gateway& to) {
    return std::ranges::any_of(out, [&](const Gateway& from) { return is_nearest(from, to); });
  });
  return nearest;
}

}  // namespace ringcast::detail
