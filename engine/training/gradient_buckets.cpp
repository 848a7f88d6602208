#include "engine/training/gradient_buckets.hpp"

#include <algorithm>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr EnumNames<4> bucketing_names{"fusion", "ddp", "per-layer", "whole"};

/// Decides whether a layer fits into a bucket, and whether the bucket is then complete.
class Filling {
 public:
  Filling(const BucketRule& rule, Bytes element_size) : rule_{rule}, element_size_{element_size} {}

  [[nodiscard]] bool fits(const Bucket& bucket, std::uint64_t elements) const {
    return rule_.bucketing != Bucketing::fusion ||
           (bucket.elements + elements) * element_size_ <= rule_.size;
  }
  [[nodiscard]] bool closes(const Bucket& bucket, bool is_first) const {
    if (rule_.bucketing == Bucketing::ddp) {
      return bucket.elements * element_size_ >= (is_first ? rule_.first_size : rule_.size);
    }
    return rule_.bucketing == Bucketing::per_layer;
  }

 private:
  const BucketRule& rule_;
  Bytes element_size_;
};

void expect_sizes(const BucketRule& rule, Bytes element_size) {
  const bool has_size = rule.bucketing == Bucketing::fusion || rule.bucketing == Bucketing::ddp;
  expect(!has_size || rule.size >= element_size, "buckets of {}", to_text(rule.size));
  expect(rule.bucketing != Bucketing::ddp || rule.first_size >= element_size,
         "a first bucket of {}", to_text(rule.first_size));
}

}  // namespace

std::string_view name_of(Bucketing bucketing) {
  return name_in(bucketing_names, bucketing);
}

std::vector<Bucket> plan_buckets(std::span<const std::uint64_t> parameters, Bytes element_size,
                                 const BucketRule& rule) {
  expect_sizes(rule, element_size);
  const Filling filling{rule, element_size};
  std::vector<Bucket> buckets;
  bool open = false;
  for (std::size_t layer = parameters.size(); layer-- > 0;) {
    if (parameters[layer] == 0) {
      continue;
    }
    if (!open || !filling.fits(buckets.back(), parameters[layer])) {
      buckets.push_back({layer, layer, 0});
    }
    buckets.back().first_layer = layer;
    buckets.back().elements += parameters[layer];
    open = !filling.closes(buckets.back(), buckets.size() == 1);
  }
  return buckets;
}

}  // namespace ringcast
