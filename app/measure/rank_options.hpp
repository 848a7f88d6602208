#pragma once

#include "real/gpu/device_options.hpp"

namespace ringcast {

/// `automatic`: a GPU where every rank finds one.
enum class RankKind { automatic, host, cuda };
inline constexpr EnumNames<3> rank_kind_names{"auto", "host", "cuda"};

/// The options of `ringcast measure` for the kind of ranks and their message paths.
struct RankOptions {
  bool no_shared_memory = false;
  RankKind backend = RankKind::automatic;
  DevicePath path = DevicePath::automatic;
  ReduceOn reduce_on = ReduceOn::device;
  Seconds timeout{60};
};

}  // namespace ringcast
