#include "real/gpu/device.hpp"

#include <thread>

namespace ringcast {

void wait_for(InFlight& work, const std::function<void()>& meanwhile) {
  while (!work.done()) {
    meanwhile();
    std::this_thread::yield();  // there may be more ranks than cores
  }
}

}  // namespace ringcast
