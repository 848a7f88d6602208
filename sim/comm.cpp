#include "sim/comm.hpp"

#include <utility>

#include <simgrid/s4u.hpp>

namespace ringcast {

namespace s4u = simgrid::s4u;

namespace {

// SimGrid tells a sender from a receiver by where a payload comes from or goes to. Ours travels
// beside the simulation (Message), so every communication carries this pointer into one place.
int payload = 0;
void* received_payload = nullptr;
void copy_nothing(simgrid::kernel::activity::CommImpl* /*comm*/, void* /*from*/,
                  std::size_t /*size*/) {}

}  // namespace

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

Comm Comm::sender(s4u::Mailbox& mailbox, Bytes size) {
  const s4u::CommPtr comm = mailbox.put_init(&payload, size.count());
  comm->set_copy_data_callback(copy_nothing);
  return Comm{comm.get()};
}

Comm Comm::receiver(s4u::Mailbox& mailbox) {
  const s4u::CommPtr comm = mailbox.get_init();
  comm->set_dst_data(&received_payload, sizeof received_payload);
  comm->set_copy_data_callback(copy_nothing);
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
