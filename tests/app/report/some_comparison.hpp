#pragma once

#include <utility>
#include <vector>

#include "app/report/comparison.hpp"
#include "tests/app/report/some_result.hpp"

namespace ringcast {

inline Row predicted_row(int ranks, Bytes size, double seconds) {
  Row row = some_row();
  row.cell.ranks = ranks;
  row.cell.size = size;
  row.time = Seconds{seconds};
  return row;
}

/// As an imported log has it: no algorithm, no ring order, no channels.
inline Row logged_row(int ranks, Bytes size, double seconds) {
  Row row = predicted_row(ranks, size, seconds);
  row.cell.algorithm = "";
  row.cell.ring_order = "";
  row.cell.channels.reset();
  return row;
}

inline NamedResult predicted(std::vector<Row> rows) {
  return {"p.json", some_result(std::move(rows))};
}

inline NamedResult measured(std::vector<Row> rows) {
  NamedResult side{"m.log", some_result(std::move(rows))};
  side.result.provenance.scenario = "m.log";
  side.result.provenance.backend = "nccl-tests";
  side.result.provenance.simulated = false;
  return side;
}

}  // namespace ringcast
