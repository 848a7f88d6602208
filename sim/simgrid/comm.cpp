#include "sim/simgrid/comm.hpp"

#include <utility>

#include <simgrid/s4u.hpp>

namespace ringcast {

namespace s4u = simgrid::s4u;

Comm::Comm(s4u::Comm* comm) : comm_{comm} {
  comm_->add_ref();
}
Comm::Comm(const Comm& other) : comm_{other.comm_} {
  if (comm_ != nullptr) {
    comm_->add_ref();
  }
}
Comm& Comm::operator=(const Comm& other) {
  Comm copy{other};
  std::swap(comm_, copy.comm_);
  return *this;
}
Comm::~Comm() {
  if (comm_ != nullptr) {
    comm_->unref();
  }
}

Comm Comm::sender(s4u::Mailbox& mailbox, Bytes size, void* payload) {
  return Comm{mailbox.put_init(payload, size.count()).get()};
}

Comm Comm::receiver(s4u::Mailbox& mailbox, void*& received) {
  const s4u::CommPtr comm = mailbox.get_init();
  comm->set_dst_data(&received, sizeof received);
  comm->set_copy_data_callback(s4u::Comm::copy_pointer_callback);
  return Comm{comm.get()};
}

void Comm::limit_rate(BytesPerSecond limit) {
  comm_->set_rate(limit.value());
}
void Comm::start() {
  comm_->start();
}
void Comm::wait() {
  comm_->wait();
}
void Comm::cancel() noexcept {
  comm_->cancel();
}
const void* Comm::id() const {
  return comm_->get_impl();
}

}  // namespace ringcast
