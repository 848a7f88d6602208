#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// How the gradients of several layers are fused into one all-reduce.
enum class Bucketing {
  /// A layer that would make the bucket larger than its size begins the next one (Horovod,
  /// docs/tensor-fusion.rst: "select first few tensors that fit"). A larger layer has its own
  /// bucket.
  fusion,
  /// A bucket is closed when it has reached its size, the first at a size of its own (PyTorch,
  /// torch/csrc/distributed/c10d/reducer.cpp: compute_bucket_assignment_by_size). It may exceed its
  /// size by all but one element of its last layer.
  ddp,
  per_layer,
  whole,
};
inline constexpr Bucketing all_bucketings[] = {Bucketing::fusion, Bucketing::ddp,
                                               Bucketing::per_layer, Bucketing::whole};
/// `fusion`, `ddp`, `per-layer`, `whole`
[[nodiscard]] std::string_view name_of(Bucketing bucketing);

// Defaults. Horovod: 64 MiB until v0.21 (docs/tensor-fusion.rst). PyTorch: bucket_cap_mb = 25, and
// kDefaultFirstBucketBytes = 1 MiB in reducer.hpp.
inline constexpr Bytes fusion_bucket_size = 64_MiB;
inline constexpr Bytes ddp_bucket_size = 25_MiB;
inline constexpr Bytes ddp_first_bucket_size = 1_MiB;

struct BucketRule {
  Bucketing bucketing = Bucketing::fusion;
  Bytes size = fusion_bucket_size;           // for fusion and ddp
  Bytes first_size = ddp_first_bucket_size;  // for ddp
};

/// Layers last_layer, last_layer - 1, ..., first_layer, in the order in which their gradients
/// become ready. It is ready when those of first_layer are.
struct Bucket {
  std::size_t last_layer = 0;
  std::size_t first_layer = 0;
  std::uint64_t elements = 0;  // more than 0
};

/// The buckets of a model, in the order in which they become ready. `parameters`: of each layer, in
/// forward order; layers without parameters begin and end no bucket. Throws ContractViolation for a
/// size below one element.
[[nodiscard]] std::vector<Bucket> plan_buckets(std::span<const std::uint64_t> parameters,
                                               Bytes element_size, const BucketRule& rule);

}  // namespace ringcast
