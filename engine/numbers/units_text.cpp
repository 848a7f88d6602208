#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {
namespace {

/// A unit, and its size in the base unit.
struct Printed {
  std::string_view name;
  double scale;
};
constexpr auto decimal_sizes = std::to_array<Printed>(
    {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}, {"EB", 1e18}});
constexpr auto binary_sizes = std::to_array<Printed>({{"B", 1},
                                                      {"KiB", 0x1p10},
                                                      {"MiB", 0x1p20},
                                                      {"GiB", 0x1p30},
                                                      {"TiB", 0x1p40},
                                                      {"PiB", 0x1p50},
                                                      {"EiB", 0x1p60}});
constexpr auto times = std::to_array<Printed>(
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}});

/// Four digits in the largest unit that gives at least 1 after rounding.
std::string print(double value, std::span<const Printed> units) {
  constexpr double rounds_to_one = 0.99995;
  const Printed* best = units.data();
  for (const Printed& unit : units) {
    if (std::fabs(value) >= rounds_to_one * unit.scale) best = &unit;
  }
  return fmt::format("{:.4g} {}", value / best->scale, best->name);
}

bool is_exact(const std::string& printed, Bytes size) {
  try {
    return parse_size(printed) == size;
  } catch (const ScenarioError&) {
    return false;  // rounded to a fraction of a byte, or past the largest count
  }
}

}  // namespace

std::string to_text(Bytes size) {
  const auto value = static_cast<double>(size.count());
  std::string decimal = print(value, decimal_sizes);
  std::string binary = print(value, binary_sizes);
  const bool shorter = binary.find(' ') < decimal.find(' ') || !is_exact(decimal, size);
  return shorter && is_exact(binary, size) ? binary : decimal;
}

std::string to_text(BytesPerSecond rate) {
  return print(rate.value(), decimal_sizes) + "/s";
}

std::string to_text(Seconds time) {
  return time == Seconds{0} ? "0 s" : print(time.count(), times);
}

}  // namespace ringcast
