#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ringcast {

/// A queue for few elements, which is often empty. Its elements are in one piece of memory that is
/// reused, whereas a std::deque advances through its blocks.
template <typename T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return head_ == items_.size(); }
  [[nodiscard]] std::size_t size() const { return items_.size() - head_; }
  [[nodiscard]] T& operator[](std::size_t place) { return items_[head_ + place]; }
  [[nodiscard]] const T& operator[](std::size_t place) const { return items_[head_ + place]; }
  [[nodiscard]] T& front() { return items_[head_]; }
  [[nodiscard]] const T& front() const { return items_[head_]; }
  void push_back(T item) { items_.push_back(std::move(item)); }
  T pop_front() {
    T item = std::move(items_[head_++]);
    if (empty()) {
      items_.clear();
      head_ = 0;
    } else if (2 * head_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return item;
  }
  /// Removes an element at any place; no effect if it is absent.
  void remove(const T& item) {
    for (std::size_t i = head_; i < items_.size(); ++i) {
      if (items_[i] == item) {
        if (i == head_) {
          static_cast<void>(pop_front());
        } else {
          items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        return;
      }
    }
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
};

}  // namespace ringcast
