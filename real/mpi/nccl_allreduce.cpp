#include "real/mpi/nccl_allreduce.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <nccl.h>

#include <cuda_runtime.h>

#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_check.hpp"
#include "real/gpu/device_memory.hpp"
#include "real/mpi/cuda_transport.hpp"

namespace ringcast {
namespace {

std::string details() {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 13, 0)
  return fmt::format(" {}", ncclGetLastError(nullptr));
#else
  return {};
#endif
}

void check(ncclResult_t code, std::string_view call) {
  if (code != ncclSuccess) {
    throw TransportError{fmt::format("{}: {}{}", call, ncclGetErrorString(code), details())};
  }
}

/// In the order of ElementType and Operation.
constexpr ncclDataType_t types[] = {ncclFloat16, ncclBfloat16, ncclFloat32,
                                    ncclFloat64, ncclInt32,    ncclInt64};
/// For an average, finish() divides: ncclAvg multiplies each input by 1/n, which rounds
/// differently.
constexpr ncclRedOp_t operations[] = {ncclSum, ncclProd, ncclMin, ncclMax, ncclSum};

/// Creates an id on the first rank and broadcasts it.
ncclUniqueId agree_on_id(MpiWorld& world) {
  ncclUniqueId id{};
  if (world.rank() == Rank{0}) {
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  }
  const std::string text = world.gather({id.internal, sizeof(id.internal)}).front();
  std::memcpy(id.internal, text.data(), sizeof(id.internal));
  return id;
}

class NcclAllreduce final : public Collective {
 public:
  NcclAllreduce(MpiWorld& world, int ranks) {
    const ncclUniqueId id = agree_on_id(world);
    const bool shared = std::ranges::any_of(
        gpus_of_hosts(world), [](const HostGpus& here) { return here.gpus < here.ranks; });
    if (index_of(world.rank()) >= ranks) {
      return;
    }
    check_cuda(cudaSetDevice(cuda_device_of(world)), "cudaSetDevice");
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
    const ncclResult_t code = ncclCommInitRank(&communicator_, ranks, id, index_of(world.rank()));
    if (code == ncclInvalidUsage && shared) {
      throw BackendUnavailable{
          "NCCL: ranks that share a GPU (expected as many GPUs as ranks on each host)"};
    }
    check(code, "ncclCommInitRank");
  }
  NcclAllreduce(const NcclAllreduce&) = delete;
  NcclAllreduce& operator=(const NcclAllreduce&) = delete;
  ~NcclAllreduce() override {
    if (communicator_ != nullptr) ncclCommDestroy(communicator_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  void run(const CollectiveRequest& request, RankContext& self) const override {
    const auto* const memory = dynamic_cast<const DeviceMemory*>(&self.memory);
    expect(memory != nullptr, "NCCL on buffers that no device has");
    const auto [type, operation] = self.reducer.reduction();
    const Slice all{request.data, Bytes{0}, request.elements * size_of(type)};
    std::byte* const data = memory->find(all).address;
    check(ncclAllReduce(data, data, request.elements, types[static_cast<std::size_t>(type)],
                        operations[static_cast<std::size_t>(operation)], communicator_, stream_),
          "ncclAllReduce");
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    self.reducer.finish(all, self.network.size()).wait();
  }

 private:
  cudaStream_t stream_ = nullptr;
  ncclComm_t communicator_ = nullptr;
};

}  // namespace

std::unique_ptr<Collective> make_nccl_allreduce(MpiWorld& world, int ranks) {
  return std::make_unique<NcclAllreduce>(world, ranks);
}

}  // namespace ringcast
