// The conformance suites on the first GPU, shared by all ranks, which are threads of this process:
// by every path that needs no MPI. Skipped if there is no GPU.
#include "real/gpu/cuda_device.hpp"
#include "tests/collective_contract.hpp"
#include "tests/real/gpu/device_threads.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

using testing::DeviceThreads;

BackendUnderTest gpu_backend(const std::string& name, DevicePath path, ReduceOn reduce_on,
                             Seconds timeout = Seconds{60}) {
  BackendUnderTest backend;
  backend.name = name;
  backend.make = [=](int ranks, Reduction reduction) -> std::unique_ptr<Transport> {
    if (count_cuda_devices() == 0) {
      return nullptr;
    }
    const DeviceOptions options{0, path, reduce_on, timeout, Bytes{4104}};
    return std::make_unique<DeviceThreads>(ranks, reduction, options, DeviceThreads::Wiring{},
                                           [](int /*rank*/) { return make_cuda_device(0); });
  };
  return backend;
}

std::vector<BackendUnderTest> every_path() {
  return {gpu_backend("ipc", DevicePath::ipc, ReduceOn::device),
          gpu_backend("staged", DevicePath::staged, ReduceOn::device),
          gpu_backend("ipc_host", DevicePath::ipc, ReduceOn::host),
          gpu_backend("staged_host", DevicePath::staged, ReduceOn::host)};
}

std::vector<RanksCase> few_ranks() {
  std::vector<RanksCase> cases;
  for (const BackendUnderTest& backend : every_path()) {
    for (const int ranks : {1, 2, 3, 4}) {
      cases.push_back({backend, ranks});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Gpu, TransportContract, ::testing::ValuesIn(every_path()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Gpu, FailureContract, ::testing::Values(every_path().front()),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Gpu, DeadlockContract,
                         ::testing::Values(gpu_backend("ipc", DevicePath::ipc, ReduceOn::device,
                                                       Seconds{2})),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Gpu, ReductionContract,
                         ::testing::ValuesIn(every_reduction(every_path().front())),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Gpu, CollectiveContract, ::testing::ValuesIn(few_ranks()),
                         name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Gpu, CollectiveReductionContract,
                         ::testing::ValuesIn(some_reductions(every_path().front())),
                         name_of_reduction_case);

}  // namespace
}  // namespace ringcast
