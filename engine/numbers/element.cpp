#include "engine/numbers/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/error.hpp"
#include "engine/numbers/half.hpp"
#include "engine/numbers/half_blocks.hpp"

namespace ringcast {
namespace {

/// The stored type of an element, and the type in which it is combined.
template <typename T>
struct Native {
  using Stored = T;
  using Working = T;
  static Working load(Stored element) { return element; }
  static Stored store(Working value) { return value; }
};
struct Float16 {
  using Stored = std::uint16_t;
  using Working = float;
  static Working load(Stored element) { return detail::float16_to_float32(element); }
  static Stored store(Working value) { return detail::float32_to_float16(value); }
};
struct Bfloat16 {
  using Stored = std::uint16_t;
  using Working = float;
  static Working load(Stored element) { return detail::bfloat16_to_float32(element); }
  static Stored store(Working value) { return detail::float32_to_bfloat16(value); }
};

/// Integers are combined as unsigned ones, whose overflow is defined.
template <typename T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

struct Sum {
  template <typename T>
  static T combine(T into, T from) {
    return static_cast<T>(static_cast<Wrapping<T>>(into) + static_cast<Wrapping<T>>(from));
  }
};
struct Product {
  template <typename T>
  static T combine(T into, T from) {
    return static_cast<T>(static_cast<Wrapping<T>>(into) * static_cast<Wrapping<T>>(from));
  }
};
/// `from` replaces `into` if it is `Better` or a NaN; nothing is better than a NaN.
template <typename Better>
struct Extreme {
  template <typename T>
  static T combine(T into, T from) {
    bool replaces = Better{}(from, into);
    if constexpr (std::is_floating_point_v<T>) {
      replaces |= std::isnan(from);
    }
    return replaces ? from : into;
  }
};

/// Inlined into functions for different processors, so that each is vectorised for its own.
template <typename Codec, typename How>
[[gnu::always_inline]] inline void combine_each(std::byte* into, const std::byte* from,
                                                std::size_t elements) {
  using Stored = typename Codec::Stored;
  for (std::size_t i = 0; i < elements; ++i) {
    Stored left;
    Stored right;
    std::memcpy(&left, into + i * sizeof(Stored), sizeof(Stored));
    std::memcpy(&right, from + i * sizeof(Stored), sizeof(Stored));
    left = Codec::store(How::combine(Codec::load(left), Codec::load(right)));
    std::memcpy(into + i * sizeof(Stored), &left, sizeof(Stored));
  }
}

template <typename Codec, typename How>
void combine_anywhere(std::byte* into, const std::byte* from, std::size_t elements) {
  combine_each<Codec, How>(into, from, elements);
}

#if defined(__x86_64__)
/// AVX2 without fused multiply-add, which rounds differently.
template <typename Codec, typename How>
[[gnu::target("avx2")]] void combine_with_avx2(std::byte* into, const std::byte* from,
                                               std::size_t elements) {
  combine_each<Codec, How>(into, from, elements);
}
bool has_avx2() {
  static const bool has = static_cast<bool>(__builtin_cpu_supports("avx2"));
  return has;
}
#endif

template <typename Codec, typename How>
void combine_all(std::byte* into, const std::byte* from, std::size_t elements) {
#if defined(__x86_64__)
  if (has_avx2()) {
    combine_with_avx2<Codec, How>(into, from, elements);
    return;
  }
#endif
  combine_anywhere<Codec, How>(into, from, elements);
}

/// combine_each() with the conversions of a block together.
template <typename How>
void combine_float16(std::byte* into, const std::byte* from, std::size_t elements) {
  std::array<float, detail::half_block> left;
  std::array<float, detail::half_block> right;
  std::size_t count = 0;
  for (std::size_t done = 0; done < elements; done += count) {
    count = std::min(elements - done, detail::half_block);
    std::byte* const begin = into + done * sizeof(Float16::Stored);
    detail::widen_float16(begin, left.data(), count);
    detail::widen_float16(from + done * sizeof(Float16::Stored), right.data(), count);
    combine_all<Native<float>, How>(std::as_writable_bytes(std::span{left}).data(),
                                    std::as_bytes(std::span{right}).data(), count);
    detail::narrow_float16(left.data(), begin, count);
  }
}

template <typename Codec, typename How>
void combine(std::byte* into, const std::byte* from, std::size_t elements) {
  if constexpr (std::is_same_v<Codec, Float16>) {
    combine_float16<How>(into, from, elements);
  } else {
    combine_all<Codec, How>(into, from, elements);
  }
}

template <typename Codec>
void divide_all(std::byte* into, std::size_t elements, int ranks) {
  using Stored = typename Codec::Stored;
  const auto divisor = static_cast<typename Codec::Working>(ranks);
  for (std::size_t i = 0; i < elements; ++i) {
    Stored element;
    std::memcpy(&element, into + i * sizeof(Stored), sizeof(Stored));
    element = Codec::store(Codec::load(element) / divisor);
    std::memcpy(into + i * sizeof(Stored), &element, sizeof(Stored));
  }
}

/// False if `value` is outside of the integers of Working: converting it would be undefined.
template <typename Working>
bool is_convertible(double value) {
  if constexpr (std::is_integral_v<Working>) {
    constexpr double limit = sizeof(Working) == 4 ? 0x1p31 : 0x1p63;
    return value >= -limit && value < limit;
  }
  return true;
}

template <typename Codec>
bool store_one(double value, std::byte* into) {
  using Working = typename Codec::Working;
  if (!is_convertible<Working>(value)) return false;
  const auto element = Codec::store(static_cast<Working>(value));
  const auto stored = static_cast<double>(Codec::load(element));
  std::memcpy(into, &element, sizeof(element));
  return stored == value || std::isnan(value);
}

template <typename Codec>
double load_one(const std::byte* from) {
  typename Codec::Stored element;
  std::memcpy(&element, from, sizeof(element));
  return static_cast<double>(Codec::load(element));
}

/// The functions of one element type; `combine` is indexed by Operation.
struct TypeRow {
  ElementType type;
  std::string_view name;
  std::size_t size;
  std::array<void (*)(std::byte*, const std::byte*, std::size_t), std::size(all_operations)>
      combine;
  void (*divide)(std::byte*, std::size_t, int);
  bool (*store)(double, std::byte*);
  double (*load)(const std::byte*);
};

template <typename Codec>
constexpr TypeRow row(ElementType type, std::string_view name) {
  return {type,
          name,
          sizeof(typename Codec::Stored),
          {combine<Codec, Sum>, combine<Codec, Product>, combine<Codec, Extreme<std::less<>>>,
           combine<Codec, Extreme<std::greater<>>>, combine<Codec, Sum>},
          divide_all<Codec>,
          store_one<Codec>,
          load_one<Codec>};
}

constexpr std::array type_rows{row<Float16>(ElementType::float16, "float16"),
                               row<Bfloat16>(ElementType::bfloat16, "bfloat16"),
                               row<Native<float>>(ElementType::float32, "float32"),
                               row<Native<double>>(ElementType::float64, "float64"),
                               row<Native<std::int32_t>>(ElementType::int32, "int32"),
                               row<Native<std::int64_t>>(ElementType::int64, "int64")};
constexpr EnumNames<std::size(all_operations)> operation_names{"sum", "prod", "min", "max", "avg"};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < type_rows.size(); ++i) {
    if (type_rows[i].type != static_cast<ElementType>(i)) return false;
  }
  return type_rows.size() == std::size(all_element_types);
}
static_assert(rows_are_in_order());

const TypeRow& row_of(ElementType type) {
  return type_rows.at(static_cast<std::size_t>(type));
}

std::size_t count_elements(const TypeRow& row, std::size_t bytes) {
  expect(bytes % row.size == 0, "{} bytes of {}, whose elements have {}", bytes, row.name,
         row.size);
  return bytes / row.size;
}

}  // namespace

Bytes size_of(ElementType type) {
  return Bytes{row_of(type).size};
}

std::string_view name_of(ElementType type) {
  return row_of(type).name;
}

std::string_view name_of(Operation operation) {
  return name_in(operation_names, operation);
}

std::optional<Operation> operation_named(std::string_view name) {
  return enum_named<Operation>(operation_names, name);
}

void accumulate_bytes(const Reduction& reduction, std::span<std::byte> into,
                      std::span<const std::byte> from) {
  const TypeRow& row = row_of(reduction.type);
  expect(into.size() == from.size(), "accumulating {} bytes into {}", from.size(), into.size());
  row.combine.at(static_cast<std::size_t>(reduction.operation))(into.data(), from.data(),
                                                                count_elements(row, into.size()));
}

void finish_bytes(const Reduction& reduction, std::span<std::byte> into, int ranks) {
  const TypeRow& row = row_of(reduction.type);
  expect(ranks > 0, "a reduction over {} ranks", ranks);
  const std::size_t elements = count_elements(row, into.size());
  if (reduction.operation == Operation::avg) row.divide(into.data(), elements, ranks);
}

void store_element(ElementType type, double value, std::span<std::byte> into) {
  const TypeRow& row = row_of(type);
  expect(into.size() == row.size, "a {} stored in {} bytes", row.name, into.size());
  expect(row.store(value, into.data()), "{} is no exact {}", value, row.name);
}

double load_element(ElementType type, std::span<const std::byte> from) {
  const TypeRow& row = row_of(type);
  expect(from.size() == row.size, "a {} loaded from {} bytes", row.name, from.size());
  return row.load(from.data());
}

}  // namespace ringcast
