#pragma once

#include <cstdint>
#include <string>

#include "app/config/scenario/training.hpp"

namespace ringcast {

/// Layers of 2 ms a sample forward and 4 ms backward, a bucket for each, trained one sample at a
/// time with overlap.
inline Training alike_layers(const std::string& model, std::size_t count,
                             std::uint64_t parameters) {
  Training training;
  training.model = model;
  training.parameters = count * parameters;
  training.layers.assign(count, {"layer", parameters, {Seconds{0.002}, Seconds{0.004}}});
  training.batches = {{Scaling::weak, 1}};
  training.buckets = {{Bucketing::per_layer}};
  training.overlaps = {true};
  return training;
}

}  // namespace ringcast
