// The conformance suites on devices, a thread for each rank, by every path: all of the CUDA backend
// but CUDA and MPI.
#include "tests/collective_contract.hpp"
#include "tests/real/device_threads.hpp"
#include "tests/real/fake_device.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

using testing::DeviceThreads;
using testing::FakeDevice;

/// Segments that cut long messages, and not at a multiple of 16 bytes.
constexpr Bytes segment{4104};

BackendUnderTest fake(const std::string& name, DevicePath path, ReduceOn reduce_on,
                      const DeviceThreads::Wiring& wiring = {}, Seconds timeout = Seconds{60}) {
  const DeviceOptions options{0, path, reduce_on, timeout, segment};
  BackendUnderTest backend;
  backend.name = name;
  backend.make = [options, wiring](int ranks, Reduction reduction) {
    return std::make_unique<DeviceThreads>(ranks, reduction, options, wiring, [](int rank) {
      return std::make_unique<FakeDevice>(static_cast<unsigned>(rank) + 1);
    });
  };
  return backend;
}

std::vector<BackendUnderTest> every_path() {
  const DeviceThreads::Wiring aware{1000, true};
  std::vector<BackendUnderTest> backends;
  for (const ReduceOn reduce_on : {ReduceOn::device, ReduceOn::host}) {
    const std::string suffix = reduce_on == ReduceOn::host ? "_host" : "";
    backends.push_back(fake("ipc" + suffix, DevicePath::ipc, reduce_on));
    backends.push_back(fake("aware" + suffix, DevicePath::cuda_aware, reduce_on, aware));
    backends.push_back(fake("staged" + suffix, DevicePath::staged, reduce_on));
    backends.push_back(fake("two_hosts" + suffix, DevicePath::automatic, reduce_on, {2, false}));
  }
  return backends;
}

/// The cases of all backends.
template <typename CasesOf>
auto on_every_path(const CasesOf& cases_of) {
  auto cases = cases_of(every_path().front());
  cases.clear();
  for (const BackendUnderTest& backend : every_path()) {
    std::ranges::copy(cases_of(backend), std::back_inserter(cases));
  }
  return ::testing::ValuesIn(cases);
}

INSTANTIATE_TEST_SUITE_P(Device, TransportContract, ::testing::ValuesIn(every_path()),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(
    Device, FailureContract,
    ::testing::Values(fake("ipc", DevicePath::ipc, ReduceOn::device, {}, Seconds{1}),
                      fake("staged", DevicePath::staged, ReduceOn::device, {}, Seconds{1})),
    name_of_case);
INSTANTIATE_TEST_SUITE_P(Device, ReductionContract, on_every_path(every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Device, CollectiveContract, on_every_path(every_ranks),
                         name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Device, CollectiveReductionContract, on_every_path(some_reductions),
                         name_of_reduction_case);

}  // namespace
}  // namespace ringcast
