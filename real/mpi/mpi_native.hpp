#pragma once

#include <list>
#include <string_view>
#include <utility>

#include "real/mpi/mpi_world.hpp"

/// The MPI helpers of the sources in `real/`, which include <mpi.h> before it.
namespace ringcast {

/// The number of tags that every MPI has, from 0 on (MPI 4.0, 9.1.2: MPI_TAG_UB).
inline constexpr int mpi_tags = 32768;

/// Throws TransportError with MPI's own text, unless the call succeeded.
void check_mpi(int code, std::string_view call);
/// Whether a request is complete; `what` names it in error messages.
[[nodiscard]] bool test_mpi(MPI_Request& request, std::string_view what);

/// Never destroys the value, as MPI may still access it.
template <typename Value>
void keep_for_ever(Value value) {
  static std::list<Value> kept;
  kept.push_back(std::move(value));
}

/// Owns a communicator whose errors are returned as codes (MPI_ERRORS_RETURN).
class Communicator {
 public:
  /// Collective. Owns nothing on a process that passes MPI_UNDEFINED as `color`.
  Communicator(MPI_Comm whole, int color, int key);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&& other) noexcept : handle_{other.release()} {}
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  /// Gives up ownership without freeing the communicator: unreceived messages may be in flight in
  /// it, and MPI must not reuse its context id.
  MPI_Comm release() noexcept { return std::exchange(handle_, MPI_COMM_NULL); }

 private:
  MPI_Comm handle_;
};

/// MPI from MPI_Init_thread() to MPI_Finalize().
class MpiSession {
 public:
  MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  /// Finalizes MPI, unless a rank cannot take part in that.
  ~MpiSession();
  /// Call if a rank will not take part in further collective calls.
  void mark_broken() { is_intact_ = false; }
  [[nodiscard]] bool is_intact() const { return is_intact_; }

 private:
  bool is_intact_ = true;
};

struct MpiWorld::Native {
  /// Collective over everyone. A communicator of the first `ranks`; nothing on the others.
  [[nodiscard]] Communicator of_first(int ranks) const {
    return {everyone.handle(), rank < ranks ? 0 : MPI_UNDEFINED, rank};
  }

  MpiSession session;
  Communicator everyone{MPI_COMM_WORLD, 0, 0};
  int rank = everyone.rank();
};

/// The communicators of a job that runs several times, on its first ranks; the others own nothing.
class RunCommunicators {
 public:
  /// Collective over the world.
  RunCommunicators(MpiWorld::Native& native, int ranks)
      : session_{&native.session},
        data_{native.of_first(ranks)},
        control_{native.of_first(ranks)} {}
  RunCommunicators(const RunCommunicators&) = delete;
  RunCommunicators& operator=(const RunCommunicators&) = delete;
  ~RunCommunicators();

  [[nodiscard]] bool is_member() const { return data_.handle() != MPI_COMM_NULL; }
  [[nodiscard]] MpiSession& session() const { return *session_; }
  /// For the messages of the current run.
  [[nodiscard]] const Communicator& data() const { return data_; }
  /// For the reports of all runs.
  [[nodiscard]] const Communicator& control() const { return control_; }
  /// Collective over the members. Replaces data() if the run before left messages in flight. Throws
  /// TransportError if ranks do not take part any more.
  void begin_run();
  /// Call if a message of this rank may still be in flight after the run.
  void note_stray() { has_strays_ = true; }
  [[nodiscard]] bool has_strays() const { return has_strays_; }
  /// The run has ended on all ranks; if it is not called, it counts as one with strays.
  void end_run(bool any_strays) { is_clean_ = !any_strays; }

 private:
  MpiSession* session_;
  Communicator data_;
  Communicator control_;
  bool has_strays_ = false;
  bool is_clean_ = true;
};

}  // namespace ringcast
