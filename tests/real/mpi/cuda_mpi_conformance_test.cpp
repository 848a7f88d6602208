// The conformance suites on the GPUs of this host, a process for each rank: several share a GPU
// through CUDA IPC. Skipped if there is no GPU.
#include <iostream>

#include "real/gpu/cuda_device.hpp"
#include "real/mpi/cuda_transport.hpp"
#include "tests/collective_contract.hpp"
#include "tests/real/mpi/mpi_test_world.hpp"
#include "tests/transport_contract.hpp"

namespace ringcast {
namespace {

BackendUnderTest gpus(const std::string& name, DevicePath path, ReduceOn reduce_on,
                      Seconds timeout = Seconds{60}) {
  DeviceOptions options;
  options.path = path;
  options.reduce_on = reduce_on;
  options.timeout = timeout;
  return testing::process_backend(
      name, [options](int ranks, Reduction reduction) -> std::unique_ptr<Transport> {
        if (count_cuda_devices() == 0) {
          std::cout << "Skipped: no GPU\n";
          return nullptr;
        }
        DeviceOptions with_ranks = options;
        with_ranks.ranks = ranks;
        return make_cuda_transport(testing::world(), reduction, with_ranks);
      });
}

const BackendUnderTest ipc = gpus("ipc", DevicePath::ipc, ReduceOn::device);

std::vector<RanksCase> few_ranks() {
  std::vector<RanksCase> cases;
  for (const BackendUnderTest& backend : {ipc, gpus("staged", DevicePath::staged, ReduceOn::device),
                                          gpus("host", DevicePath::automatic, ReduceOn::host)}) {
    for (const int ranks : {1, 2, 3, 4}) {
      cases.push_back({backend, ranks});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Gpu, TransportContract, ::testing::Values(ipc), name_of_case);
INSTANTIATE_TEST_SUITE_P(Gpu, FailureContract, ::testing::Values(ipc), name_of_case);
INSTANTIATE_TEST_SUITE_P(Gpu, DeadlockContract,
                         ::testing::Values(gpus("ipc", DevicePath::ipc, ReduceOn::device,
                                                Seconds{2})),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Gpu, ReductionContract, ::testing::ValuesIn(every_reduction(ipc)),
                         name_of_reduction_case);
INSTANTIATE_TEST_SUITE_P(Gpu, CollectiveContract, ::testing::ValuesIn(few_ranks()),
                         name_of_ranks_case);
INSTANTIATE_TEST_SUITE_P(Gpu, CollectiveReductionContract,
                         ::testing::ValuesIn(every_reduction(ipc)), name_of_reduction_case);

}  // namespace
}  // namespace ringcast
