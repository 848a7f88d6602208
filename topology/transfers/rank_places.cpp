#include "topology/transfers/rank_places.hpp"

#include <fmt/format.h>

#include "engine/numbers/error.hpp"

namespace ringcast {

std::vector<int> places_of_ranks(const Topology& topology, int ranks,
                                 const TransportProfile& profile) {
  std::vector<int> places;
  places.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const int own = topology.vertex_of(Rank{rank});
    const Vertex& vertex = topology.cluster().vertex(own);
    const bool process = vertex.kind == VertexKind::process;
    if (process && profile.buffers == BufferPlace::host_copies) {
      throw ScenarioError{
          fmt::format("transport {}: copies buffers between GPU and host, but {} is a process "
                      "(expected buffers on the device or the host)",
                      profile.name, vertex.name)};
    }
    if (process && !profile.shm) {
      throw ScenarioError{
          fmt::format("transport {}: has no shared memory, but {} is a process (expected GPUs, or "
                      "shm: true)",
                      profile.name, vertex.name)};
    }
    const bool stays = process || profile.buffers == BufferPlace::device;
    places.push_back(stays ? own : topology.host_of(own));
  }
  return places;
}

std::vector<int> places_of_job(const Topology& topology, int ranks, const TransportProfile& profile,
                               const std::vector<int>& hosts) {
  expect(ranks > 0 && ranks <= topology.ranks(), "{} ranks on {} GPUs", ranks, topology.ranks());
  std::vector<int> places = places_of_ranks(topology, ranks, profile);
  places.insert(places.end(), hosts.begin(), hosts.end());
  return places;
}

}  // namespace ringcast
