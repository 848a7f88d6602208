#include "real/gpu/cuda_device.hpp"

#include <cstring>
#include <mutex>
#include <random>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <cuda_runtime.h>

#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_check.hpp"
#include "real/gpu/device_kernels.h"

namespace ringcast {
namespace {

/// A pool of unused events: creating an event takes longer than querying one.
class EventPool {
 public:
  EventPool() = default;
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool() {
    for (cudaEvent_t event : free_) {
      cudaEventDestroy(event);
    }
  }
  [[nodiscard]] cudaEvent_t take() {
    const std::lock_guard lock{mutex_};
    if (free_.empty()) {
      cudaEvent_t event = nullptr;
      check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags");
      free_.reserve(++made_);  // so that returning an event cannot fail
      return event;
    }
    cudaEvent_t event = free_.back();
    free_.pop_back();
    return event;
  }
  void give_back(cudaEvent_t event) noexcept {
    const std::lock_guard lock{mutex_};
    free_.push_back(event);
  }

 private:
  std::mutex mutex_;  // the compute stream is marked from another thread
  std::size_t made_ = 0;
  std::vector<cudaEvent_t> free_;
};

class CudaMark final : public InFlight {
 public:
  CudaMark(EventPool& pool, cudaStream_t stream) : pool_{&pool}, event_{pool.take()} {
    const cudaError_t code = cudaEventRecord(event_, stream);
    if (code != cudaSuccess) {
      pool_->give_back(event_);
      check_cuda(code, "cudaEventRecord");
    }
  }
  CudaMark(const CudaMark&) = delete;
  CudaMark& operator=(const CudaMark&) = delete;
  ~CudaMark() override { pool_->give_back(event_); }
  [[nodiscard]] bool done() override {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    check_cuda(code, "cudaEventQuery");
    return true;
  }

 private:
  EventPool* pool_;
  cudaEvent_t event_;
};

class CudaStream final : public DeviceStream {
 public:
  CudaStream(int device, int blocks, EventPool& events)
      : device_{device}, blocks_{blocks}, events_{&events}, stream_{nullptr} {
    use_device();
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() override {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }

  void copy(std::byte* to, const std::byte* from, Bytes size) override {
    use_device();
    check_cuda(cudaMemcpyAsync(to, from, size.count(), cudaMemcpyDefault, stream_),
               "cudaMemcpyAsync");
  }
  void clear(std::byte* at, Bytes size) override {
    use_device();
    check_cuda(cudaMemsetAsync(at, 0, size.count(), stream_), "cudaMemsetAsync");
  }
  void accumulate(Reduction reduction, std::byte* into, const std::byte* from,
                  Bytes size) override {
    use_device();
    check_cuda(ringcast_launch_accumulate(
                   static_cast<int>(reduction.type), static_cast<int>(reduction.operation), into,
                   from, size.count() / size_of(reduction.type).count(), blocks_, stream_),
               "launch of a reduction kernel");
  }
  void finish(Reduction reduction, std::byte* into, Bytes size, int ranks) override {
    if (reduction.operation != Operation::avg) {
      return;
    }
    use_device();
    check_cuda(ringcast_launch_divide(static_cast<int>(reduction.type), into,
                                      size.count() / size_of(reduction.type).count(), ranks,
                                      blocks_, stream_),
               "launch of a division kernel");
  }
  void spin(Seconds work, const volatile int* stop) override {
    use_device();
    const auto nanoseconds = static_cast<unsigned long long>(work.count() * 1e9);
    check_cuda(ringcast_launch_spin(nanoseconds, stop, stream_), "launch of a spinning kernel");
  }
  [[nodiscard]] std::unique_ptr<InFlight> mark() override {
    use_device();
    return std::make_unique<CudaMark>(*events_, stream_);
  }

 private:
  /// CUDA keeps the current device per thread.
  void use_device() const { check_cuda(cudaSetDevice(device_), "cudaSetDevice"); }

  int device_;
  int blocks_;
  EventPool* events_;
  cudaStream_t stream_;
};

/// The contents of a SharedHandle. A process cannot open its own handles, and uses the address.
struct HandleText {
  std::uint64_t process;
  std::byte* address;
  cudaIpcMemHandle_t handle;
};
static_assert(sizeof(HandleText) <= sizeof(SharedHandle));

/// Unique to this process: process ids repeat from one container to the next.
std::uint64_t name_of_this_process() {
  static const std::uint64_t name = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
  }();
  return name;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index) : index_{index} {
    use();
    int multiprocessors = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, index_),
               "cudaDeviceGetAttribute");
    check_code(ringcast_load_reduction_kernels());
    check_cuda(ringcast_load_spin_kernel(), "loading of a spinning kernel");
    constexpr int blocks_per_multiprocessor = 8;  // of 256 threads: the most that any GPU holds
    blocks_ = multiprocessors * blocks_per_multiprocessor;
  }

  [[nodiscard]] OwnedBytes allocate(Bytes size) override {
    use();
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, size.count()), fmt::format("cudaMalloc of {}", to_text(size)));
    return {static_cast<std::byte*>(memory), [](std::byte* bytes) { cudaFree(bytes); }};
  }
  [[nodiscard]] OwnedBytes allocate_pinned(Bytes size) override {
    use();
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, size.count()),
               fmt::format("cudaMallocHost of {}", to_text(size)));
    return {static_cast<std::byte*>(memory), [](std::byte* bytes) { cudaFreeHost(bytes); }};
  }
  [[nodiscard]] std::unique_ptr<DeviceStream> make_stream() override {
    return std::make_unique<CudaStream>(index_, blocks_, events_);
  }
  [[nodiscard]] SharedHandle share(std::byte* allocation) override {
    use();
    HandleText text{name_of_this_process(), allocation, {}};
    check_cuda(cudaIpcGetMemHandle(&text.handle, allocation), "cudaIpcGetMemHandle");
    SharedHandle handle;
    std::memcpy(handle.bytes.data(), &text, sizeof(text));
    return handle;
  }
  [[nodiscard]] OwnedBytes open(const SharedHandle& handle) override {
    HandleText text{};
    std::memcpy(&text, handle.bytes.data(), sizeof(text));
    if (text.process == name_of_this_process()) {
      return {text.address, [](std::byte*) {}};
    }
    use();
    void* memory = nullptr;
    check_cuda(cudaIpcOpenMemHandle(&memory, text.handle, cudaIpcMemLazyEnablePeerAccess),
               "cudaIpcOpenMemHandle");
    return {static_cast<std::byte*>(memory),
            [](std::byte* bytes) { cudaIpcCloseMemHandle(bytes); }};
  }

 private:
  void use() const { check_cuda(cudaSetDevice(index_), "cudaSetDevice"); }
  void check_code(int code) const {
    if (code == cudaErrorNoKernelImageForDevice) {
      static_cast<void>(cudaGetLastError());
      cudaDeviceProp properties{};
      check_cuda(cudaGetDeviceProperties(&properties, index_), "cudaGetDeviceProperties");
      throw BackendUnavailable{fmt::format(
          "CUDA: {}: this ringcast has no code for compute capability {}.{} (expected --backend "
          "host, or a build with -DRINGCAST_CUDA_ARCHITECTURES={}{})",
          properties.name, properties.major, properties.minor, properties.major, properties.minor)};
    }
    check_cuda(code, "loading of reduction kernels");
  }

  int index_;
  int blocks_ = 0;
  EventPool events_;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(int index) {
  const int count = count_cuda_devices();
  if (index < 0 || index >= count) {
    const std::string fault = cuda_fault();
    throw BackendUnavailable{
        count > 0       ? fmt::format("CUDA: no GPU {} here (expected 0 to {})", index, count - 1)
        : fault.empty() ? "CUDA: no GPU here, or no driver for it (see nvidia-smi)"
                        : fmt::format("CUDA: {}", fault)};
  }
  return std::make_unique<CudaDevice>(index);
}

void accumulate_as_kernels_do(Reduction reduction, std::span<std::byte> into,
                              std::span<const std::byte> from) {
  ringcast_accumulate_on_host(static_cast<int>(reduction.type),
                              static_cast<int>(reduction.operation), into.data(), from.data(),
                              into.size() / size_of(reduction.type).count());
}

void finish_as_kernels_do(Reduction reduction, std::span<std::byte> into, int ranks) {
  if (reduction.operation == Operation::avg) {
    ringcast_divide_on_host(static_cast<int>(reduction.type), into.data(),
                            into.size() / size_of(reduction.type).count(), ranks);
  }
}

}  // namespace ringcast
