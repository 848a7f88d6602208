#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/contracts/pending.hpp"

namespace ringcast {

/// Sends and receives in flight, each under a number, of which a rank handles those first that are
/// complete (Endpoint::next_done). A backend that can tell marks them as they complete, so none is
/// asked in vain: a rank may choose among hundreds.
class Choice {
 public:
  explicit Choice(std::size_t operations)
      : operations_(operations, nullptr), marks_(operations / bits_of_word + 1) {}
  // Operations in flight point to its marks.
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;
  ~Choice() = default;

  /// Sets the operation under a number; nullptr: none. An operation that has been waited for must
  /// be replaced before the next call of another member.
  void set(std::size_t number, const Pending* operation) {
    count_ -= operations_[number] != nullptr ? 1U : 0U;
    count_ += operation != nullptr ? 1U : 0U;
    operations_[number] = operation != nullptr ? &operation->operation() : nullptr;
    const DoneMark mark{&marks_[number / bits_of_word], bit_of(number)};
    *mark.word &= ~mark.bit;
    if (operation != nullptr) operation->operation().mark_when_done(mark);
  }
  /// The number of operations.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_done(std::size_t number) const {
    return operations_[number] != nullptr && operations_[number]->is_done();
  }
  /// The number of an operation that is marked and complete: the next after the one found last, or
  /// the first of all if there is none after that.
  [[nodiscard]] std::optional<std::size_t> next_marked() {
    const std::size_t begin = std::exchange(begin_, 0);
    auto found = marked_from(begin);
    if (!found && begin > 0) found = marked_from(0);
    if (found) begin_ = *found + 1;
    return found;
  }

 private:
  static constexpr std::size_t bits_of_word = 64;
  [[nodiscard]] static std::uint64_t bit_of(std::size_t number) {
    return std::uint64_t{1} << number % bits_of_word;
  }
  [[nodiscard]] std::optional<std::size_t> marked_from(std::size_t number) {
    while (number < operations_.size()) {
      std::uint64_t& word = marks_[number / bits_of_word];
      const std::uint64_t rest = word >> number % bits_of_word;
      if (rest == 0) {
        number += bits_of_word - number % bits_of_word;
        continue;
      }
      number += static_cast<std::size_t>(std::countr_zero(rest));
      if (is_done(number)) return number;
      word &= ~bit_of(number);  // the mark of an operation that was here before
    }
    return std::nullopt;
  }

  std::vector<Pending::Operation*> operations_;
  std::vector<std::uint64_t> marks_;
  std::size_t count_ = 0;
  std::size_t begin_ = 0;  // where to look first
};

}  // namespace ringcast
