#include "app/config/yaml/known_keys.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

const std::vector<KeyTable>& key_tables() {
  static const std::vector<KeyTable> tables = {
      {"cluster", {"name", "source", "links", "node_types", "nodes", "fabric"}},
      {"link",
       {"class", "bandwidth", "latency", "peer_bandwidth", "kernel_bandwidth", "both_ways",
        "source"}},
      {"node type",
       {"cpu", "gpu", "gpudirect", "sockets", "socket_link", "nics", "nvlinks", "nvswitch"}},
      {"socket", {"count", "memory", "processes", "process_link", "caches", "root_complexes"}},
      {"caches entry", {"touched", "bandwidth", "reduce_rate", "lent_rate"}},
      {"root complex", {"count", "link", "devices"}},
      {"device", {"kind", "count", "link", "devices"}},
      {"nics entry", {"at", "count", "link"}},
      {"nvlinks entry", {"between", "links", "link"}},
      {"nvswitch", {"links_per_gpu", "link", "nodes"}},
      {"nodes entry", {"type", "count"}},
      {"fabric of kind switch", {"kind", "rails", "link"}},
      {"fabric of kind fat-tree",
       {"kind", "levels", "radix", "oversubscription", "rails", "link", "uplink"}},
      {"fabric of kind explicit", {"kind", "switches", "cables"}},
      {"cables entry", {"from", "to", "link"}},
      {"transport",
       {"name",
        "source",
        "base",
        "buffers",
        "p2p",
        "p2p_amd_pairs",
        "shm",
        "network_in_node",
        "gdr",
        "staging",
        "staging_buffer",
        "staged_by",
        "copy_rate",
        "socket_copy_rate",
        "socket_latency",
        "copies_to_host",
        "copies_on_host",
        "copies_to_device",
        "host_copies",
        "host_copy_rate",
        "gpus_per_process",
        "call_overhead",
        "message_overhead",
        "overheads",
        "tuner",
        "efa_tuner",
        "protocols",
        "only_algorithms",
        "only_protocols",
        "eager_limit",
        "rendezvous_handshake",
        "reduce_rate",
        "host_reduce_rate",
        "reduce_overhead",
        "compute_competition",
        "fused_reduction"}},
      {"protocols entry",
       {"algorithm", "name", "call_overhead", "latencies", "efficiency", "source"}},
      {"overheads", {"nvlink", "p2p", "staged", "host_memory", "network"}},
      {"value", {"value", "source"}},
      {"scenario",
       {"name", "cluster", "transport", "ranks", "sizes", "algorithm", "data_type", "operation",
        "ring_order", "channels", "segment_size", "parameter_servers", "seed", "training"}},
      {"training",
       {"model", "gpu", "batch_per_gpu", "global_batch", "accumulation", "bucketing", "bucket_size",
        "first_bucket_size", "overlap", "launch_ahead", "weights", "compression", "optimizer",
        "broadcast", "jitter", "stragglers", "repetitions"}},
      {"stragglers", {"ranks", "slowdown"}},
      {"model", {"name", "source", "parameters", "gradient_type", "samples", "batch", "layers"}},
      {"layers entry",
       {"name", "count", "parameters", "flops", "backward_flops", "forward", "backward"}},
      {"GPU compute",
       {"name", "source", "model", "fitted_on", "batch", "throughput", "iteration_time", "peak",
        "achieved", "layers", "iteration_overhead"}},
      {"measured layer", {"name", "forward", "backward"}},
      {"sizes series", {"min", "max", "factor"}},
      {"ring order", {"name", "order", "channels"}},
      {"parameter servers", {"nodes", "on", "pushes"}},
      {"published set",
       {"name", "source", "note", "cluster", "gpus", "transport", "transports", "algorithm",
        "data_type", "operation", "ring_order", "channels", "segment_size", "rows", "judged_from",
        "fit_on"}},
      {"judged_from", {"size", "why"}},
      {"rows entry",
       {"ranks", "size", "time", "busbw", "gpus", "transport", "algorithm", "judged", "why"}},
      {"fit_on", {"numbers", "rows"}},
      {"numbers entry", {"name", "from"}},
  };
  return tables;
}

const std::vector<std::string_view>& keys_of(std::string_view section) {
  const auto found = std::ranges::find(key_tables(), section, &KeyTable::section);
  expect(found != key_tables().end(), "no table of keys named {}", section);
  return found->keys;
}

}  // namespace ringcast
