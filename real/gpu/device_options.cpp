#include "real/gpu/device_options.hpp"

#include "engine/numbers/enum_names.hpp"

namespace ringcast {
namespace {

constexpr EnumNames<4> path_names{"auto", "ipc", "cuda-aware", "staged"};
constexpr EnumNames<2> reduce_on_names{"device", "host"};

}  // namespace

std::optional<DevicePath> device_path_named(std::string_view name) {
  return enum_named<DevicePath>(path_names, name);
}

std::optional<ReduceOn> reduce_on_named(std::string_view name) {
  return enum_named<ReduceOn>(reduce_on_names, name);
}

}  // namespace ringcast
