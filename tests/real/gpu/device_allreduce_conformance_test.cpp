// Every all-reduce on devices, a thread for each rank, by IPC and through staging: the whole CUDA
// backend except CUDA and MPI.
#include "tests/allreduce_contract.hpp"
#include "tests/real/gpu/fake_job.hpp"

namespace ringcast {
namespace {

using testing::DeviceThreads;

BackendUnderTest fake_allreduce(const std::string& name, const DeviceThreads::Wiring& wiring,
                                ReduceOn reduce_on) {
  DeviceOptions options;
  options.reduce_on = reduce_on;
  options.segment = Bytes{1000};  // cuts the longer messages, and not at a multiple of 16 bytes
  return testing::fake_backend(name, options, wiring);
}

const BackendUnderTest ipc_allreduce = fake_allreduce("ipc", {}, ReduceOn::device);
/// IPC between the two ranks of a host, staging between hosts.
const BackendUnderTest hosts = fake_allreduce("hosts", {2}, ReduceOn::device);
const BackendUnderTest hosts_host = fake_allreduce("hosts_host", {2}, ReduceOn::host);

INSTANTIATE_TEST_SUITE_P(Ipc, AllreduceContract,
                         ::testing::ValuesIn(every_allreduce(ipc_allreduce)),
                         name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Hosts, AllreduceContract, ::testing::ValuesIn(every_allreduce(hosts)),
                         name_of_allreduce_case);
INSTANTIATE_TEST_SUITE_P(Ipc, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(ipc_allreduce)),
                         name_of_algorithm_case);
INSTANTIATE_TEST_SUITE_P(HostsHost, AllreduceReductionContract,
                         ::testing::ValuesIn(every_algorithm(hosts_host)), name_of_algorithm_case);

}  // namespace
}  // namespace ringcast
