#include "real/gpu/device.hpp"

#include <thread>

namespace ringcast {

void wait_for(InFlight& work, const std::function<void()>& meanwhile) {
  while (!work.done()) {
    meanwhile();
    std::this_thread::yield();  // ranks may be more than cores
  }
}

}  // namespace ringcast
