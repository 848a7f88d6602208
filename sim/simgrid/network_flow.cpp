#include "sim/simgrid/network_flow.hpp"

#include <utility>

#include <simgrid/kernel/resource/Action.hpp>

namespace ringcast {

void NetworkFlow::cancel() noexcept {
  if (auto* const action = std::exchange(running_, nullptr)) {
    action->cancel();
    action->unref();
  }
}

}  // namespace ringcast
