#include "sim/simgrid/network_flow.hpp"

#include <simgrid/s4u.hpp>

namespace ringcast {

NetworkFlow::NetworkFlow(simgrid::s4u::Comm* comm) : comm_{comm} {
  comm_->add_ref();
}

NetworkFlow::~NetworkFlow() {
  if (comm_ != nullptr) {
    comm_->unref();
  }
}

void NetworkFlow::cancel() noexcept {
  if (comm_ != nullptr) {
    comm_->cancel();
  }
}

}  // namespace ringcast
