#include <nlohmann/json.hpp>

#include "app/common/mapped.hpp"
#include "app/report/json_text.hpp"
#include "app/report/ring_comparison.hpp"
#include "app/report/unit_json.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::ordered_json;

// A picture of more ranks shows hosts, not GPUs.
constexpr int most_ranks_with_paths = 256;

Json bound_json(const BandwidthBound& bound) {
  return {{"busbw_bytes_per_s", bound.busbw}, {"reason", bound.reason}};
}

/// A line of CSV; without the rings themselves.
Json order_json(const RingComparison& comparison, const ComparedMachine& machine,
                const ComparedRings& order) {
  const std::vector<std::string> bottlenecks = bottlenecks_of(machine, order);
  return {{"machine", machine.changes.empty() ? "whole" : "degraded"},
          {"ring_order", order.name},
          {"ranks", comparison.cell.ranks},
          {"size_bytes", comparison.cell.size},
          {"transport", comparison.cell.transport},
          {"channels", order.found.rings.size()},
          {"time_s", order.row ? Json(order.row->time) : Json{}},
          {"busbw_bytes_per_s", order.row ? Json(busbw_of(order, comparison.cell)) : Json{}},
          {"links_busbw_bytes_per_s", order.found.busbw},
          {"bottleneck", bottlenecks.empty() ? Json{} : Json(bottlenecks.front())},
          {"proved_optimal", order.found.proved_optimal}};
}

/// The numbers of each ring's ranks.
Json rings_json(const std::vector<RingOrder>& rings) {
  return mapped(rings, [](const RingOrder& ring) {
    return mapped(ring.ranks(), [](Rank rank) { return index_of(rank); });
  });
}

/// The names of the vertices that a message passes.
Json path_json(const TransferPaths& paths, Rank from, Rank to) {
  const Topology& topology = paths.topology();
  const auto name = [&](int vertex) { return topology.cluster().vertex(vertex).name; };
  Json json = Json::array();
  for (const LinkId link : paths.between(from, to).main.links) {
    if (topology.links()[index_of(link)].kind != LinkKind::direction) continue;
    if (json.empty()) json.push_back(name(topology.begin_of(link)));
    json.push_back(name(topology.end_of(link)));
  }
  return json;
}

/// The path of each hop of each ring, for a picture.
Json paths_json(const TransferPaths& paths, const std::vector<RingOrder>& rings) {
  return mapped(rings, [&](const RingOrder& ring) {
    return mapped(ring.ranks(), [&](Rank rank) { return path_json(paths, rank, ring.next(rank)); });
  });
}

Json machine_json(const RingComparison& comparison, const ComparedMachine& machine) {
  const auto with_rings = [&](const ComparedRings& order) {
    Json json = order_json(comparison, machine, order);
    json["rings"] = rings_json(order.found.rings);
    if (comparison.cell.ranks <= most_ranks_with_paths) {
      json["paths"] = paths_json(*machine.paths, order.found.rings);
    }
    return json;
  };
  return {{"changes", machine.changes},
          {"bounds",
           {{"rings", bound_json(machine.ring_bound)},
            {"any_algorithm", bound_json(machine.algorithm_bound)}}},
          {"orders", mapped(machine.orders, with_rings)},
          {"cluster", json_of(*machine.topology)}};
}

}  // namespace

std::string to_json(const RingComparison& comparison) {
  const auto json_of_machine = [&](const ComparedMachine& machine) {
    return machine_json(comparison, machine);
  };
  const Json json = {{"schema_version", Result::schema_version},
                     {"kind", "rings"},
                     {"provenance", json_of(comparison.provenance)},
                     {"seed", comparison.search.seed},
                     {"time_limit_s", comparison.search.time_limit},
                     {"machines", mapped(comparison.machines, json_of_machine)}};
  return text_of(json, 1) + "\n";
}

std::string to_csv(const RingComparison& comparison) {
  Json rows = Json::array();
  for (const ComparedMachine& machine : comparison.machines)
    for (const ComparedRings& order : machine.orders)
      rows.push_back(order_json(comparison, machine, order));
  return csv_of(rows);
}

}  // namespace ringcast
