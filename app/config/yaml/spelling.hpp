#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// The most that a number of a name counts: no model, rate or width has as many digits, and it fits
/// into an int.
inline constexpr double most_of_a_number = 1e6;

/// A name as its words and numbers in lower case, whatever separates them: `PCIe Gen5 x16` is
/// pcie, gen, 5, x, 16.
class Spelling {
 public:
  explicit Spelling(std::string_view text);

  [[nodiscard]] bool has(std::string_view word) const;
  [[nodiscard]] bool has_any(std::initializer_list<std::string_view> words) const;
  /// No word but these; numbers may be any.
  [[nodiscard]] bool has_only(std::initializer_list<std::string_view> words) const;
  /// The number directly after the word; nothing if there is none.
  [[nodiscard]] std::optional<double> after(std::string_view word) const;
  /// The number directly before the word.
  [[nodiscard]] std::optional<double> before(std::string_view word) const;
  /// All numbers, in order.
  [[nodiscard]] std::vector<double> numbers() const;
  /// Removes the word and a number directly after it, if that is `number` or none is asked for.
  void drop(std::string_view word, std::optional<double> number = std::nullopt);
  /// Removes the word, or the first such number.
  void drop_word(std::string_view word);
  void drop_number(double number);
  void rename(std::string_view word, std::string_view other);
  /// The word becomes another, and a number directly after it, if that is `number`, is removed.
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
