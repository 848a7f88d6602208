#pragma once

#include <string>

#include "engine/units.hpp"

namespace ringcast {

/// The choices and costs of one software stack.
struct TransportProfile {
  std::string name;
  std::string source;
  /// Fixed cost of one message beside the latencies of its cables.
  Seconds message_overhead{0};
  /// Bytes combined per second, once the data is there. Zero: the reduction costs nothing extra.
  BytesPerSecond reduce_rate{0};
  /// True: the reduction is part of the receive (NCCL's receive-reduce-send) and limits its rate;
  /// false: it follows the receive (Baidu's MPI_Irecv, then a kernel).
  bool fused_reduction = false;
};

}  // namespace ringcast
