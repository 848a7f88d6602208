#include <array>

#include <fmt/format.h>

#include <mpi.h>

#include "engine/numbers/error.hpp"
#include "real/mpi/mpi_native.hpp"

namespace ringcast {

void check_mpi(int code, std::string_view call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  throw TransportError{
      fmt::format("{}: {}", call, std::string_view{text.data(), static_cast<std::size_t>(length)})};
}

bool test_mpi(MPI_Request& request, std::string_view what) {
  int is_done = 0;
  check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), what);
  return is_done != 0;
}

Communicator::Communicator(MPI_Comm whole, int color, int key) : handle_{MPI_COMM_NULL} {
  check_mpi(MPI_Comm_split(whole, color, key, &handle_), "MPI_Comm_split");
  if (handle_ != MPI_COMM_NULL) {
    check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL) {
    MPI_Comm_free(&handle_);
  }
}

int Communicator::rank() const {
  int rank = 0;
  check_mpi(MPI_Comm_rank(handle_, &rank), "MPI_Comm_rank");
  return rank;
}

int Communicator::size() const {
  int size = 0;
  check_mpi(MPI_Comm_size(handle_, &size), "MPI_Comm_size");
  return size;
}

MpiSession::MpiSession() {
  // One thread at a time: the thread that communicates may differ from the one that initialised
  // MPI.
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    throw TransportError{"MPI_Init_thread: this MPI does not support MPI_THREAD_SERIALIZED"};
  }
}

MpiSession::~MpiSession() {
  if (is_intact_) {
    MPI_Finalize();
  }
}

RunCommunicators::~RunCommunicators() {
  if (!is_clean_) {
    data_.release();
  }
  if (!session_->is_intact()) {
    control_.release();
  }
}

void RunCommunicators::begin_run() {
  if (!session_->is_intact()) {
    throw TransportError{"MPI: an earlier run has failed; this job cannot continue"};
  }
  if (!is_clean_) {
    data_.release();
    data_ = Communicator{control_.handle(), 0, control_.rank()};
  }
  is_clean_ = false;
  has_strays_ = false;
}

}  // namespace ringcast
