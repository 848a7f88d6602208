#include "app/config/yaml/spelling.hpp"

#include <algorithm>
#include <charconv>

#include "engine/numbers/ascii.hpp"

namespace ringcast {

namespace {

/// The digits at the front of `text`, with a fraction if digits follow the point.
std::string_view number_at(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    while (at < text.size() && is_digit(text[at]))
      ++at;
    return at;
  };
  const std::size_t whole = digits_from(0);
  const bool fraction = whole + 1 < text.size() && text[whole] == '.' && is_digit(text[whole + 1]);
  return text.substr(0, fraction ? digits_from(whole + 1) : whole);
}

}  // namespace

Spelling::Spelling(std::string_view text) {
  while (!text.empty()) {
    Token token;
    std::size_t length = 1;
    if (is_digit(text.front())) {
      const std::string_view digits = number_at(text);
      length = digits.size();
      std::from_chars(digits.data(), digits.data() + length, token.number);
      token.number = std::min(token.number, largest_number_in_name);
      tokens_.push_back(token);
    } else if (is_letter(text.front())) {
      length = static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
      token.word = lower_case(text.substr(0, length));
      tokens_.push_back(token);
    }
    text.remove_prefix(length);
  }
}

std::vector<Spelling::Token>::const_iterator Spelling::find(std::string_view word) const {
  return std::ranges::find(tokens_, word, &Token::word);
}

bool Spelling::has(std::string_view word) const {
  return find(word) != tokens_.end();
}

bool Spelling::has_any(std::initializer_list<std::string_view> words) const {
  return std::ranges::any_of(words, [&](std::string_view word) { return has(word); });
}

bool Spelling::has_only(std::initializer_list<std::string_view> words) const {
  return std::ranges::all_of(tokens_, [&](const Token& token) {
    return token.word.empty() || std::ranges::find(words, token.word) != words.end();
  });
}

std::optional<double> Spelling::after(std::string_view word) const {
  const auto found = find(word);
  if (found == tokens_.end() || found + 1 == tokens_.end() || !(found + 1)->word.empty()) {
    return std::nullopt;
  }
  return (found + 1)->number;
}

std::optional<double> Spelling::before(std::string_view word) const {
  const auto found = find(word);
  if (found == tokens_.end() || found == tokens_.begin() || !(found - 1)->word.empty()) {
    return std::nullopt;
  }
  return (found - 1)->number;
}

std::vector<double> Spelling::numbers() const {
  std::vector<double> numbers;
  for (const Token& token : tokens_)
    if (token.word.empty()) numbers.push_back(token.number);
  return numbers;
}

void Spelling::drop(std::string_view word, std::optional<double> number) {
  const auto found = find(word);
  if (found == tokens_.end()) return;
  const auto follows = after(word);
  const bool both = follows && (!number || *follows == *number);
  tokens_.erase(found, found + (both ? 2 : 1));
}

void Spelling::drop_word(std::string_view word) {
  const auto found = find(word);
  if (found != tokens_.end()) tokens_.erase(found);
}

void Spelling::drop_number(double number) {
  const auto found = std::ranges::find_if(
      tokens_, [&](const Token& token) { return token.word.empty() && token.number == number; });
  if (found != tokens_.end()) tokens_.erase(found);
}

void Spelling::rename(std::string_view word, std::string_view other) {
  const auto found = std::ranges::find(tokens_, word, &Token::word);
  if (found != tokens_.end()) found->word = other;
}

void Spelling::rename(std::string_view word, double number, std::string_view other) {
  const auto found = std::ranges::find(tokens_, word, &Token::word);
  if (found == tokens_.end()) return;
  if (after(word) == number) tokens_.erase(found + 1);
  found->word = other;
}

}  // namespace ringcast
