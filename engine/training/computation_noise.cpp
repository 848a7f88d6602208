#include "engine/training/computation_noise.hpp"

#include <cmath>
#include <numbers>

#include "engine/numbers/error.hpp"
#include "engine/numbers/mixed_bits.hpp"

namespace ringcast {
namespace {

/// splitmix64 of one key: the distributions of <random> differ between standard libraries.
std::uint64_t hash_of(std::uint64_t key) {
  return mixed(key + splitmix_step);
}

/// Uniformly distributed in (0, 1], with 53 bits.
double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11U) + 1) * 0x1p-53;
}

/// Normally distributed with mean 0 and variance 1 (Box and Muller 1958).
double normal(std::uint64_t key) {
  const double radius = std::sqrt(-2 * std::log(uniform(hash_of(key))));
  return radius * std::cos(2 * std::numbers::pi * uniform(hash_of(~key)));
}

}  // namespace

double slowness(const ComputationNoise& noise, Rank rank, std::uint64_t iteration) {
  expect(noise.sigma >= 0, "a jitter of {}", noise.sigma);
  double factor = 1;
  if (noise.sigma > 0) {
    const auto number = static_cast<std::uint64_t>(index_of(rank));
    factor =
        std::exp(noise.sigma * normal(hash_of(hash_of(hash_of(noise.seed) + iteration) + number)));
  }
  for (const Straggler& straggler : noise.stragglers) {
    if (straggler.rank == rank) {
      factor *= straggler.slowdown;
    }
  }
  return factor;
}

}  // namespace ringcast
