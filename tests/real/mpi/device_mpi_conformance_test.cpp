// The conformance suites on fake devices, a process for each rank, connected by MPI: the whole CUDA
// backend except CUDA.
#include "real/gpu/device_job.hpp"
#include "real/mpi/mpi_wire.hpp"
#include "tests/collective_contract.hpp"
#include "tests/real/gpu/fake_device.hpp"
#include "tests/real/mpi/mpi_test_world.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

using testing::FakeDevice;
using testing::world;

class FakeTransport final : public Transport {
 public:
  FakeTransport(int ranks, Reduction reduction, const DeviceOptions& options)
      : ranks_{ranks}, device_{static_cast<unsigned>(index_of(world().rank())) + 1} {
    wire_ = make_mpi_wire(world(), ranks);
    if (wire_) {
      job_ = std::make_unique<DeviceJob>(*wire_, device_, reduction, options);
    }
  }
  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] int size() const override { return ranks_; }
  void run(const RankProgram& program) override {
    if (job_) {
      job_->run(program);
    }
  }

 private:
  int ranks_;
  FakeDevice device_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<DeviceJob> job_;
};

BackendUnderTest fake(const std::string& name, DevicePath path, Seconds timeout = Seconds{60}) {
  DeviceOptions options;
  options.path = path;
  options.timeout = timeout;
  options.segment = Bytes{4104};  // cuts long messages, and not at a multiple of 16 bytes
  return testing::process_backend(name, [options](int ranks, Reduction reduction) {
    return std::make_unique<FakeTransport>(ranks, reduction, options);
  });
}

const BackendUnderTest ipc = fake("ipc", DevicePath::ipc);
const BackendUnderTest staged = fake("staged", DevicePath::staged);

std::vector<RanksCase> ranks_on_both() {
  std::vector<RanksCase> cases;
  for (const BackendUnderTest& backend : {ipc, staged}) {
    for (const int ranks : {1, 2, 3, 4}) {
      cases.push_back({backend, ranks});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Fake, TransportContract, ::testing::Values(ipc, staged), name_of_case);
INSTANTIATE_TEST_SUITE_P(Fake, FailureContract, ::testing::Values(ipc, staged), name_of_case);
INSTANTIATE_TEST_SUITE_P(Fake, DeadlockContract,
                         ::testing::Values(fake("ipc", DevicePath::ipc, Seconds{1}),
                                           fake("staged", DevicePath::staged, Seconds{1})),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Fake, CollectiveContract, ::testing::ValuesIn(ranks_on_both()),
                         name_of_ranks_case);

}  // namespace
}  // namespace ringcast
