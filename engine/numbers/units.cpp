#include "engine/numbers/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "engine/numbers/plain_spelling.hpp"

namespace ringcast {
namespace {

/// The size of a unit in base units: `up / down`, both exact.
struct Scale {
  std::uint64_t up = 1;
  std::uint64_t down = 1;
};
struct Unit {
  std::string_view name;
  Scale scale;
};

constexpr std::uint64_t kilo = 1000;
constexpr auto decimal_prefixes = std::to_array<Unit>({
    {"", {1}},
    {"k", {kilo}},
    {"M", {kilo * kilo}},
    {"G", {kilo * kilo * kilo}},
    {"T", {kilo * kilo * kilo * kilo}},
    {"P", {kilo * kilo * kilo * kilo * kilo}},
    {"E", {kilo * kilo * kilo * kilo * kilo * kilo}},
});
constexpr auto binary_prefixes = std::to_array<Unit>({
    {"Ki", {1ULL << 10U}},
    {"Mi", {1ULL << 20U}},
    {"Gi", {1ULL << 30U}},
    {"Ti", {1ULL << 40U}},
    {"Pi", {1ULL << 50U}},
    {"Ei", {1ULL << 60U}},
});
constexpr auto time_units = std::to_array<Unit>({
    {"ns", {1, kilo* kilo* kilo}},
    {"us", {1, kilo* kilo}},
    {"ms", {1, kilo}},
    {"s", {1}},
    {"min", {60}},
    {"h", {3600}},
});

std::optional<Scale> find_unit(std::span<const Unit> units, std::string_view name) {
  const auto* const found = std::ranges::find(units.begin(), units.end(), name, &Unit::name).base();
  if (found == units.data() + units.size()) return std::nullopt;
  return found->scale;
}

/// A unit of a prefix and `symbol`, such as MiB.
std::optional<Scale> prefixed_unit(std::string_view name, char symbol) {
  if (!name.ends_with(symbol)) return std::nullopt;
  name.remove_suffix(1);
  const auto decimal = find_unit(decimal_prefixes, name);
  return decimal ? decimal : find_unit(binary_prefixes, name);
}

std::optional<Scale> size_unit(std::string_view name) {
  return prefixed_unit(name, 'B');
}

std::optional<Scale> rate_unit(std::string_view name) {
  if (!name.ends_with("/s") && !name.ends_with("ps")) return std::nullopt;
  name.remove_suffix(2);
  if (const auto bytes = prefixed_unit(name, 'B')) return bytes;
  auto bits = prefixed_unit(name, 'b');
  if (bits) bits->down = 8;
  return bits;
}

std::optional<Scale> time_unit(std::string_view name) {
  return find_unit(time_units, name);
}

/// All units of a size or a rate, for suggestions.
std::vector<std::string> prefixed(std::initializer_list<std::string_view> symbols) {
  std::vector<std::string> names;
  for (const std::string_view symbol : symbols) {
    for (const Unit& prefix : decimal_prefixes)
      names.push_back(fmt::format("{}{}", prefix.name, symbol));
    for (const Unit& prefix : binary_prefixes)
      names.push_back(fmt::format("{}{}", prefix.name, symbol));
  }
  return names;
}
std::vector<std::string> time_names() {
  std::vector<std::string> names(std::size(time_units));
  std::ranges::transform(time_units, names.begin(), &Unit::name);
  return names;
}

/// A kind of quantity: its units, and words for error messages.
struct QuantityKind {
  std::string_view name;
  std::string_view examples;
  std::optional<Scale> (*unit)(std::string_view);
  std::vector<std::string> (*units)();
};
constexpr QuantityKind size_kind{"size", "64 MiB or 1.2 GB", size_unit,
                                 [] { return prefixed({"B"}); }};
constexpr QuantityKind rate_kind{"rate", "25 GB/s or 200 Gb/s", rate_unit, [] {
                                   return prefixed({"B/s", "b/s"});
                                 }};
constexpr QuantityKind time_kind{"time", "5 us or 1.5 ms", time_unit, time_names};

[[noreturn]] void refuse(const QuantityKind& kind, std::string_view problem) {
  throw ScenarioError{
      fmt::format("{} (expected a {} such as {})", problem, kind.name, kind.examples)};
}

/// `, did you mean "64 MB"?`: the units that differ from `unit` in case only, or of which it is the
/// full or a shortened name.
std::string meant(std::string_view number, std::string_view unit, const QuantityKind& kind) {
  std::string written_short{unit};
  constexpr std::pair<std::string_view, std::string_view> spellings[] = {
      {"\u00b5", "u"}, {"\u03bc", "u"},  {"bytes", "b"},  {"byte", "b"}, {"bits", "b"},
      {"bit", "b"},    {"seconds", "s"}, {"second", "s"}, {"secs", "s"}, {"sec", "s"}};
  for (const auto& [written, name] : spellings) {
    if (const std::size_t at = written_short.find(written); at != written_short.npos) {
      written_short.replace(at, written.size(), name);
    }
  }
  if (kind.unit(written_short)) {
    return fmt::format(", did you mean \"{} {}\"?", number, written_short);
  }
  const std::string small = lower_case(written_short);
  std::string found;
  for (const std::string& name : kind.units()) {
    const std::string known = lower_case(name);
    if (small == known || small + "b" == known || small + "ib" == known || small + "/s" == known) {
      found += fmt::format("{}\"{} {}\"", found.empty() ? ", did you mean " : " or ", number, name);
    }
  }
  return found.empty() ? "" : found + "?";
}

struct Quantity {
  std::string_view number;
  double value = 0;
  Scale scale;
};

bool is_unit_of_any_kind(std::string_view name) {
  return size_unit(name) || rate_unit(name) || time_unit(name);
}

/// Splits off the number at the front of `rest` and checks it.
Quantity read_number(std::string_view text, std::string_view& rest, const QuantityKind& kind) {
  constexpr std::size_t longest = 64;
  if (text.empty()) refuse(kind, fmt::format("an empty {}", kind.name));
  if (text.size() > longest) {
    refuse(kind, fmt::format("\"{}...\" is no {}", text.substr(0, longest), kind.name));
  }
  if (text.front() == '-') refuse(kind, fmt::format("negative {} \"{}\"", kind.name, text));

  Quantity quantity;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantity.value);
  quantity.number = text.substr(0, static_cast<std::size_t>(end - text.data()));
  rest = text.substr(quantity.number.size());
  // from_chars also takes "inf", "nan", ".5" and "5."
  if (quantity.number.empty() || !is_digit(text.front()) || !is_digit(quantity.number.back())) {
    refuse(kind, fmt::format("no number in \"{}\"", text));
  }
  if (error != std::errc{}) refuse(kind, fmt::format("\"{}\" is out of range", text));
  return quantity;
}

/// Digits, perhaps with a point, and a unit of the kind.
bool is_plain(std::string_view text, const QuantityKind& kind) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return number_of<double>(text.substr(0, end)) && kind.unit(trimmed(text.substr(end)));
}

Quantity read(std::string_view text, const QuantityKind& kind) {
  std::string_view unit;
  Quantity quantity = read_number(text, unit, kind);
  if (text == "0") return quantity;
  if (unit.empty()) refuse(kind, fmt::format("no unit in \"{}\"", text));
  if (unit.front() == ' ') unit.remove_prefix(1);

  const auto scale = kind.unit(unit);
  if (!scale) {
    if (is_unit_of_any_kind(unit)) refuse(kind, fmt::format("\"{}\" is no {}", text, kind.name));
    const std::string plain =
        plain_spelling(text, [&](std::string_view other) { return is_plain(other, kind); });
    refuse(kind, fmt::format("unknown unit \"{}\" in \"{}\"{}", unit, text,
                             plain.empty() ? meant(quantity.number, unit, kind) : plain));
  }
  quantity.scale = *scale;
  return quantity;
}

double read_real(std::string_view text, const QuantityKind& kind) {
  const Quantity quantity = read(text, kind);
  const double value = quantity.value * static_cast<double>(quantity.scale.up) /
                       static_cast<double>(quantity.scale.down);
  if (!std::isfinite(value)) refuse(kind, fmt::format("\"{}\" is out of range", text));
  return value;
}

/// digits * 10^exponent
struct Decimal {
  std::optional<std::uint64_t> digits;
  int exponent = 0;
};

/// Parses a number that from_chars has accepted, without rounding to a double.
Decimal read_decimal(std::string_view number) {
  Decimal decimal;
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  if (mark < number.size()) {
    const std::size_t first = number[mark + 1] == '+' ? mark + 2 : mark + 1;
    std::from_chars(number.data() + first, number.data() + number.size(), decimal.exponent);
  }

  std::string digits{number.substr(0, mark)};
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    decimal.exponent -= static_cast<int>(digits.size() - point);
  }
  for (; digits.size() > 1 && digits.back() == '0'; digits.pop_back())
    ++decimal.exponent;

  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{}) decimal.digits = value;
  return decimal;
}

constexpr int most_zeros = 19;  // 10^19 is the largest power of ten below 2^64

std::uint64_t power_of_ten(int exponent) {
  std::uint64_t power = 1;
  for (; exponent > 0; --exponent)
    power *= 10;
  return power;
}

/// decimal * unit, which must be a whole number of bytes.
std::uint64_t count_bytes(const Decimal& decimal, std::uint64_t unit, std::string_view text) {
  const auto refuse_fraction = [&] {
    refuse(size_kind, fmt::format("\"{}\" has a fraction of a byte", text));
  };
  const auto refuse_overflow = [&] {
    refuse(size_kind, fmt::format("\"{}\" is out of range", text));
  };
  if (decimal.digits == 0U) return 0;
  if (decimal.exponent < -most_zeros) refuse_fraction();
  if (decimal.exponent > most_zeros) refuse_overflow();
  if (!decimal.digits) decimal.exponent < 0 ? refuse_fraction() : refuse_overflow();

  std::uint64_t count = *decimal.digits;
  if (decimal.exponent < 0) {
    const std::uint64_t divisor = power_of_ten(-decimal.exponent);
    const std::uint64_t common = std::gcd(divisor, unit);
    if (count % (divisor / common) != 0) refuse_fraction();
    count /= divisor / common;
    unit /= common;
  } else if (__builtin_mul_overflow(count, power_of_ten(decimal.exponent), &count)) {
    refuse_overflow();
  }
  if (__builtin_mul_overflow(count, unit, &count)) refuse_overflow();
  return count;
}

}  // namespace

Bytes parse_size(std::string_view text) {
  const Quantity quantity = read(text, size_kind);
  return Bytes{count_bytes(read_decimal(quantity.number), quantity.scale.up, text)};
}

BytesPerSecond parse_rate(std::string_view text) {
  return BytesPerSecond{read_real(text, rate_kind)};
}

Seconds parse_time(std::string_view text) {
  return Seconds{read_real(text, time_kind)};
}

}  // namespace ringcast
