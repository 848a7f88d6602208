#pragma once

#include <utility>

#include <unistd.h>

namespace ringcast {

/// An open file descriptor, closed with its owner; or none.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_{value} {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : value_{std::exchange(other.value_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close_now();
    value_ = std::exchange(other.value_, -1);
    return *this;
  }
  ~Descriptor() { close_now(); }

  [[nodiscard]] int value() const { return value_; }
  [[nodiscard]] bool is_open() const { return value_ >= 0; }
  void close_now() noexcept {
    if (is_open()) {
      ::close(std::exchange(value_, -1));
    }
  }

 private:
  int value_;
};

}  // namespace ringcast
