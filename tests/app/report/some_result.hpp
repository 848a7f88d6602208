#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/report/result.hpp"

namespace ringcast {

/// 4 ranks, 1.2 GB in 0.3 s: algbw 4 GB/s, busbw 4 GB/s x 2 x 3/4 = 6 GB/s.
inline Row some_row() {
  Row row;
  row.cell = {4, Bytes{1'200'000'000}, "ring", {}, "ideal", "by-rank", 2, 4_MiB};
  row.cell.nodes = 2;
  row.time = Seconds{0.3};
  row.time_min = Seconds{0.25};
  row.time_max = Seconds{0.5};
  row.verified = true;
  row.lower_bound = Seconds{0.1};
  row.lower_bound_reason = "the ports of 4 ranks";
  row.messages = 24;
  row.sent_per_rank = Bytes{1'800'000'000};
  row.busiest = {{"a -> b", "pcie-3.0-x16", 10_GBps, Bytes{1'500'000'000}, 0.5},
                 {"b -> c", "custom", 20_GBps, Bytes{1'200'000'000}, 0.2}};
  return row;
}

inline Result some_result(std::vector<Row> rows) {
  Result result;
  result.provenance = {
      "v1.2-3-gabcdef0", "example", "some/example.yaml", std::string(64, 'a'),   "two nodes",
      "simgrid",         "host",    std::nullopt,        "2024-02-29T23:59:59Z", true};
  result.rows = std::move(rows);
  return result;
}

inline const std::vector<std::string> row_keys{"kind",
                                               "ranks",
                                               "size_bytes",
                                               "algorithm",
                                               "data_type",
                                               "reduction",
                                               "transport",
                                               "ring_order",
                                               "channels",
                                               "segment_bytes",
                                               "time_s",
                                               "time_min_s",
                                               "time_max_s",
                                               "algbw_bytes_per_s",
                                               "busbw_bytes_per_s",
                                               "verified",
                                               "lower_bound_s",
                                               "lower_bound_reason",
                                               "messages",
                                               "sent_per_rank_bytes",
                                               "bottleneck",
                                               "bottleneck_utilisation",
                                               "protocol",
                                               "range_reason",
                                               "found_by",
                                               "time_error_bound",
                                               "links",
                                               "algorithm_chosen",
                                               "channels_chosen",
                                               "nodes"};

}  // namespace ringcast
