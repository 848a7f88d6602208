#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/contracts/collective.hpp"
#include "engine/contracts/transport.hpp"
#include "sim/call_costs.hpp"
#include "sim/streams.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {

/// The result of a simulated run.
struct SimReport {
  Seconds time{0};  // until the last rank ended
  std::vector<PairTraffic> traffic;
  std::vector<DeliveredMessage> messages;  // in order of delivery; only if recorded
  /// Bytes that each GPU, one of the first `copying_ranks`, copied beside its messages
  /// (BufferPlace::host_copies).
  int copying_ranks = 0;
  std::map<CopyDirection, Bytes> copied;
};

/// The vertices of a job's ranks: GPUs, or the sockets next to them where the profile has the
/// buffers there, and then `hosts`.
[[nodiscard]] std::vector<int> places_of_job(const Topology& topology, int ranks,
                                             const TransportProfile& profile,
                                             const std::vector<int>& hosts);

struct SimShared;

/// Runs rank programs in simulated time on the first `ranks` GPUs of a topology, or on the sockets
/// next to them where the profile has the buffers there; then come ranks on sockets of their own.
/// One run per process (see Platform); the second throws ContractViolation.
class SimTransport final : public Transport {
 public:
  struct Options {
    bool with_data = false;  // carry and combine real bytes, so that sums can be checked
    TrafficOptions traffic;
    /// The vertices of ranks that are no GPUs: parameter servers.
    std::vector<int> hosts = {};
    /// How long each GPU's buffer is, for a profile that copies it to the host as a whole.
    Bytes buffer{0};
    /// Delays messages by up to a nanosecond, at random (random_delay()); absent: not.
    std::optional<std::uint64_t> delay_seed = {};
    /// False: the program makes calls itself, through with_call_costs().
    bool program_is_a_call = true;
  };

  /// The topology must outlive the transport.
  SimTransport(const Topology& topology, int ranks, const TransportProfile& profile,
               Reduction reduction, Options options);
  [[nodiscard]] std::string_view name() const override { return "simgrid"; }
  [[nodiscard]] int size() const override { return paths_.ranks(); }
  [[nodiscard]] const TransferPaths& paths() const { return paths_; }
  void run(const RankProgram& program) override;
  using CallPart = ringcast::CallPart;
  /// `collective` with the profile's cost of a call: its overhead, and the copies of its buffer.
  /// Both must outlive it; it runs on this transport only.
  [[nodiscard]] std::unique_ptr<Collective> with_call_costs(const Collective& collective,
                                                            CallPart part = CallPart::whole);
  /// Waits, in a run, until all ranks have called it. The report ends here: checks of the data that
  /// follow are not in it.
  void close_report();
  /// The result of the run; empty before it.
  [[nodiscard]] const SimReport& report() const { return report_; }

 private:
  /// One rank's program, in its actor.
  void run_rank(Rank rank, const RankProgram& program, const SimShared& shared);
  /// The actions of a GPU's rank while the run lasts; none for other ranks.
  [[nodiscard]] std::optional<RankActions> actions_of(Rank rank);

  int gpus_;  // the first of the ranks
  TransferPaths paths_;
  Reduction reduction_;
  Options options_;
  const Platform* running_ = nullptr;   // while the run lasts
  std::function<void()> close_report_;  // likewise
  bool closed_ = false;
  SimReport report_;
};

}  // namespace ringcast
