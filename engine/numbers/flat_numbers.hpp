#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace ringcast {

/// Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4); the upper half of the
/// product.
struct FibonacciHash {
  std::size_t operator()(std::uint64_t key) const {
    return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15U >> 32U);
  }
};

/// A hash table from keys to non-negative numbers, with open addressing and linear probing: a
/// lookup among millions of keys usually misses the cache once. The low bits of `Hash` must be well
/// distributed.
template <typename Key, typename Hash>
class FlatNumbers {
 public:
  /// Adds a key with its number, unless the key exists. Returns the key's number, and whether it is
  /// new.
  std::pair<int, bool> add(const Key& key, int number) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    const bool is_new = slot.number < 0;
    if (is_new) {
      slot = {key, number};
      ++used_;
    }
    return {slot.number, is_new};
  }
  /// The key's number; negative: not found.
  [[nodiscard]] int find(const Key& key) const {
    return slots_.empty() ? -1 : slots_[place_of(key)].number;
  }

 private:
  struct Slot {
    Key key{};
    int number = -1;  // negative: free
  };
  /// The slot of a key, or the free slot for it.
  [[nodiscard]] std::size_t place_of(const Key& key) const {
    const std::size_t last = slots_.size() - 1;  // a power of two less one
    std::size_t place = Hash{}(key)&last;
    while (slots_[place].number >= 0 && !(slots_[place].key == key)) {
      place = (place + 1) & last;
    }
    return place;
  }
  void grow() {
    constexpr std::size_t least = 16;
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? least : 2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.number >= 0) slots_[place_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Values that are computed once for each key, with stable addresses.
template <typename Value>
class FoundOnce {
 public:
  template <typename Find>
  const Value& of(std::uint64_t key, const Find& find) {
    if (const int known = numbers_.find(key); known >= 0) {
      return values_[static_cast<std::size_t>(known)];
    }
    values_.push_back(find());
    numbers_.add(key, static_cast<int>(values_.size()) - 1);
    return values_.back();
  }

 private:
  FlatNumbers<std::uint64_t, FibonacciHash> numbers_;
  std::deque<Value> values_;  // by number
};

}  // namespace ringcast
