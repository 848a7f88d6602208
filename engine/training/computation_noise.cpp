#include "engine/training/computation_noise.hpp"

#include <cmath>
#include <numbers>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): a hash
/// of 64 bits. The distributions of <random> differ between standard libraries.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// Uniformly distributed in (0, 1], with 53 bits.
double uniform(std::uint64_t bits) {
  return (static_cast<double>(bits >> 11U) + 1) * 0x1p-53;
}

/// Normally distributed with mean 0 and variance 1 (Box and Muller 1958).
double normal(std::uint64_t key) {
  const double radius = std::sqrt(-2 * std::log(uniform(mixed(key))));
  return radius * std::cos(2 * std::numbers::pi * uniform(mixed(~key)));
}

}  // namespace

double slowness(const ComputationNoise& noise, Rank rank, std::uint64_t iteration) {
  expect(noise.sigma >= 0, "a jitter of {}", noise.sigma);
  double factor = 1;
  if (noise.sigma > 0) {
    const auto number = static_cast<std::uint64_t>(index_of(rank));
    factor = std::exp(noise.sigma * normal(mixed(mixed(mixed(noise.seed) + iteration) + number)));
  }
  for (const Straggler& straggler : noise.stragglers) {
    if (straggler.rank == rank) {
      factor *= straggler.slowdown;
    }
  }
  return factor;
}

}  // namespace ringcast
