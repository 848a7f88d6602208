// The conformance suites on devices, a thread for each rank, by every path: the whole CUDA backend
// except CUDA and MPI.
#include "tests/collective_contract.hpp"
#include "tests/real/gpu/fake_job.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

using testing::DeviceThreads;

/// Segments that cut long messages, and not at a multiple of 16 bytes.
constexpr Bytes segment{4104};

BackendUnderTest fake(const std::string& name, DevicePath path, ReduceOn reduce_on,
                      const DeviceThreads::Wiring& wiring = {}, Seconds timeout = Seconds{60}) {
  return testing::fake_backend(name, {0, path, reduce_on, timeout, segment}, wiring);
}

const DeviceThreads::Wiring aware{1000, true};
const BackendUnderTest by_ipc = fake("ipc", DevicePath::ipc, ReduceOn::device);
const BackendUnderTest by_aware = fake("aware", DevicePath::cuda_aware, ReduceOn::device, aware);
const BackendUnderTest staged = fake("staged", DevicePath::staged, ReduceOn::device);
const BackendUnderTest staged_host = fake("staged_host", DevicePath::staged, ReduceOn::host);
/// IPC between two ranks, and staging between these and the next two.
const BackendUnderTest two_hosts = fake("two_hosts", DevicePath::automatic, ReduceOn::device, {2});
const BackendUnderTest two_hosts_host =
    fake("two_hosts_host", DevicePath::automatic, ReduceOn::host, {2});
const BackendUnderTest aware_host =
    fake("aware_host", DevicePath::cuda_aware, ReduceOn::host, aware);

/// The cases of several backends.
template <typename CasesOf>
auto on(const std::vector<BackendUnderTest>& backends, const CasesOf& cases_of) {
  auto cases = cases_of(backends.front());
  cases.clear();
  for (const BackendUnderTest& backend : backends) {
    std::ranges::copy(cases_of(backend), std::back_inserter(cases));
  }
  return ::testing::ValuesIn(cases);
}

INSTANTIATE_TEST_SUITE_P(Device, TransportContract,
                         ::testing::Values(by_ipc, by_aware, staged, two_hosts), name_of_case);
INSTANTIATE_TEST_SUITE_P(Device, FailureContract, ::testing::Values(by_ipc, staged), name_of_case);
INSTANTIATE_TEST_SUITE_P(
    Device, DeadlockContract,
    ::testing::Values(fake("ipc", DevicePath::ipc, ReduceOn::device, {}, Seconds{1}),
                      fake("staged", DevicePath::staged, ReduceOn::device, {}, Seconds{1})),
    name_of_case);
INSTANTIATE_TEST_SUITE_P(Device, ReductionContract,
                         on({by_ipc, by_aware, staged, staged_host}, every_reduction),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Device, CollectiveContract,
                         on({by_ipc, by_aware, staged, two_hosts, aware_host, two_hosts_host},
                            every_ranks),
                         name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Device, CollectiveReductionContract,
                         on({two_hosts, two_hosts_host}, some_reductions), name_of_reduction_case);

}  // namespace
}  // namespace ringcast
