#include "real/device_options.hpp"

#include <array>
#include <cstddef>

namespace ringcast {
namespace {

constexpr std::array<std::string_view, 4> path_names{"auto", "ipc", "cuda-aware", "staged"};
constexpr std::array<std::string_view, 2> reduce_on_names{"device", "host"};

template <typename Choice, std::size_t size>
std::optional<Choice> choice_named(const std::array<std::string_view, size>& names,
                                   std::string_view name) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == name) return static_cast<Choice>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(DevicePath path) {
  return path_names.at(static_cast<std::size_t>(path));
}

std::optional<DevicePath> device_path_named(std::string_view name) {
  return choice_named<DevicePath>(path_names, name);
}

std::optional<ReduceOn> reduce_on_named(std::string_view name) {
  return choice_named<ReduceOn>(reduce_on_names, name);
}

}  // namespace ringcast
