#pragma once

#include <cmath>

#include "tests/backend_under_test.hpp"

/// Every type with every operation on a backend, and elements that show how they round.
namespace ringcast {

struct ReductionCase {
  BackendUnderTest backend;
  Reduction reduction;
};
inline std::ostream& operator<<(std::ostream& out, const ReductionCase& reduction_case) {
  return out << reduction_case.backend << ' ' << name_of(reduction_case.reduction.type) << ' '
             << name_of(reduction_case.reduction.operation);
}
inline const auto name_of_reduction_case = [](const auto& test) {
  return fmt::format("{}_{}_{}", test.param.backend.name, name_of(test.param.reduction.type),
                     name_of(test.param.reduction.operation));
};

inline std::vector<ReductionCase> every_reduction(const BackendUnderTest& backend) {
  std::vector<ReductionCase> cases;
  for (const ElementType type : all_element_types) {
    for (const Operation operation : all_operations) {
      cases.push_back({backend, {type, operation}});
    }
  }
  return cases;
}

namespace contract {

/// Elements of both signs with all the digits that their type has, so that sums round and integers
/// wrap; the same on every machine (Lehmer's generator, modulo the prime 2^31 - 1).
inline std::vector<std::byte> varied_elements(ElementType type, std::size_t count,
                                              std::uint64_t seed) {
  constexpr unsigned digits[] = {11, 8, 24, 31, 31, 31};  // in the order of ElementType
  const unsigned bits = digits[static_cast<std::size_t>(type)];
  const bool is_integer = type == ElementType::int32 || type == ElementType::int64;
  const std::size_t size = size_of(type).count();
  std::vector<std::byte> bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 48271 % 2147483647;
    const double whole =
        static_cast<double>(seed % (1ULL << bits)) - std::ldexp(1.0, static_cast<int>(bits) - 1);
    const double value = is_integer ? whole : std::ldexp(whole, -static_cast<int>(seed % 7));
    store_element(type, value, std::span{bytes}.subspan(i * size, size));
  }
  return bytes;
}

}  // namespace contract

}  // namespace ringcast
