#pragma once

#include <optional>
#include <string>

#include "engine/element.hpp"
#include "engine/units.hpp"

namespace ringcast {

/// What one direction of a cable carried during one cell.
struct LinkLoad {
  std::string name;
  std::string link_class;
  BytesPerSecond bandwidth;
  Bytes carried;
  double utilisation = 0;  // carried / (bandwidth * time), 0 .. 1
};

/// The parameters of one cell of a sweep: what a row is about. What another program's log does not
/// say is an empty text or no number, and null in JSON.
struct Cell {
  int ranks = 1;
  Bytes size;
  std::string algorithm;
  Reduction reduction;
  std::string transport;
  std::string ring_order;
  std::optional<int> channels = 1;
  std::optional<Bytes> segment_size;
};
/// `40 ranks, 1.2 GB, ring, by-rank`, as far as it is known
[[nodiscard]] std::string to_text(const Cell& cell);

}  // namespace ringcast
