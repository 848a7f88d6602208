#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "engine/numbers/units.hpp"

namespace ringcast {

/// The type of a buffer's elements. float16 is IEEE 754 binary16; bfloat16 is the upper half of a
/// float32.
enum class ElementType { float16, bfloat16, float32, float64, int32, int64 };

/// How elements are combined. avg sums, and divides by the number of ranks once at the end.
enum class Operation { sum, prod, min, max, avg };

inline constexpr ElementType all_element_types[] = {ElementType::float16, ElementType::bfloat16,
                                                    ElementType::float32, ElementType::float64,
                                                    ElementType::int32,   ElementType::int64};
inline constexpr Operation all_operations[] = {Operation::sum, Operation::prod, Operation::min,
                                               Operation::max, Operation::avg};

[[nodiscard]] Bytes size_of(ElementType type);
/// The names that files and options use: `float32`, `sum`, ...
[[nodiscard]] std::string_view name_of(ElementType type);
[[nodiscard]] std::string_view name_of(Operation operation);
[[nodiscard]] std::optional<Operation> operation_named(std::string_view name);

/// A reduction: the type of its elements, and the operation that combines them.
struct Reduction {
  ElementType type = ElementType::float32;
  Operation operation = Operation::sum;
};

/// The definition of every reduction, on plain host bytes; backends must agree with it bit for bit.
/// The 16-bit types combine in float32 and round to nearest even; integers wrap around. min and max
/// return a NaN if either element is one, and of equal values (0 and -0) the one in `into`. A NaN
/// has the bits 0x7fff in the 16-bit types; in the others its bits are unspecified. `into` and
/// `from` have the same length, a multiple of the element size, and do not overlap.
void accumulate_bytes(const Reduction& reduction, std::span<std::byte> into,
                      std::span<const std::byte> from);
/// Divides by `ranks` for avg (integers truncate), does nothing for other operations.
void finish_bytes(const Reduction& reduction, std::span<std::byte> into, int ranks);

/// Converts a value to one element, exactly, and back: for inputs and checks whose sums must be
/// exact. Throws ContractViolation if the type cannot represent the value.
void store_element(ElementType type, double value, std::span<std::byte> into);
[[nodiscard]] double load_element(ElementType type, std::span<const std::byte> from);

}  // namespace ringcast
