#include <nlohmann/json.hpp>

#include "app/common/mapped.hpp"
#include "app/report/json_text.hpp"
#include "app/report/show.hpp"
#include "app/report/unit_json.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {

namespace {

using Json = nlohmann::ordered_json;

/// A rate of zero is no limit.
Json limit_or_null(BytesPerSecond rate) {
  return rate.value() > 0 ? Json(rate) : Json{};
}

/// As CUDA writes it, 9.0; null for other GPUs than NVIDIA's, and unknown ones.
Json capability_of(const GpuModel* model) {
  return model == nullptr || model->is_amd() ? Json{} : Json(model->capability / 10.0);
}

Json vertex_json(const Vertex& vertex) {
  return {{"name", vertex.name},
          {"kind", name_of(vertex.kind)},
          {"node", vertex.node < 0 ? Json{} : Json(vertex.node)},
          {"memory_bytes_per_s", limit_or_null(vertex.memory)},
          {"staging_bandwidth_bytes_per_s", limit_or_null(vertex.staging_bandwidth)},
          {"gpu", vertex.gpu.empty() ? Json{} : Json(vertex.gpu)},
          {"compute_capability", capability_of(vertex.model)}};
}

Json cable_json(const Cluster& cluster, const Cable& cable) {
  const auto name = [&cluster](int vertex) { return cluster.vertex(vertex).name; };
  return {{"a", name(cable.a)},
          {"b", name(cable.b)},
          {"link_class", cable.link_class},
          {"bandwidth_bytes_per_s", cable.bandwidth},
          {"latency_s", cable.latency},
          {"peer_bandwidth_bytes_per_s", limit_or_null(cable.peer_bandwidth)},
          {"both_ways_bytes_per_s", limit_or_null(cable.both_ways)},
          {"kernel_bandwidth_bytes_per_s", limit_or_null(cable.kernel_bandwidth)}};
}

}  // namespace

Json json_of(const Topology& topology) {
  const Cluster& cluster = topology.cluster();
  Json ranks = Json::array();
  for (int rank = 0; rank < topology.ranks(); ++rank)
    ranks.push_back(cluster.vertex(topology.vertex_of(Rank{rank})).name);
  const auto of_cable = [&cluster](const Cable& cable) { return cable_json(cluster, cable); };
  return {{"schema_version", 1},
          {"kind", "cluster"},
          {"name", cluster.name},
          {"ranks", std::move(ranks)},
          {"vertices", mapped(cluster.vertices, vertex_json)},
          {"cables", mapped(cluster.cables, of_cable)}};
}

std::string cluster_json(const Topology& topology) {
  return text_of(json_of(topology), 2) + "\n";
}

}  // namespace ringcast
