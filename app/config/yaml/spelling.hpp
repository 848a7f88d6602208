#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// Greater numbers in a name are read as this one: it is above any model number, rate or width, and
/// fits into an int.
inline constexpr double largest_number_in_name = 1e6;

/// The lower-case words and the numbers of a name, without its separators: `PCIe Gen5 x16` is pcie,
/// gen, 5, x, 16.
class Spelling {
 public:
  explicit Spelling(std::string_view text);

  [[nodiscard]] bool has(std::string_view word) const;
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> words) const;
  /// Whether it has no other words; any numbers are allowed.
  [[nodiscard]] bool has_only(std::initializer_list<std::string_view> words) const;
  /// The number directly after the word; nothing if there is none.
  [[nodiscard]] std::optional<double> after(std::string_view word) const;
  /// The number directly before the word.
  [[nodiscard]] std::optional<double> before(std::string_view word) const;
  /// All numbers, in order.
  [[nodiscard]] std::vector<double> numbers() const;
  /// Removes the word and a number directly after it, if `number` is that or absent.
  void drop(std::string_view word, std::optional<double> number = std::nullopt);
  /// Removes the word, or the first such number.
  void drop_word(std::string_view word);
  void drop_number(double number);
  void rename(std::string_view word, std::string_view other);
  /// Replaces the word, and removes the number directly after it if that is `number`.
  void rename(std::string_view word, double number, std::string_view other);

 private:
  struct Token {
    std::string word;  // empty: a number
    double number = 0;
  };
  [[nodiscard]] std::vector<Token>::const_iterator find(std::string_view word) const;

  std::vector<Token> tokens_;
};

}  // namespace ringcast
