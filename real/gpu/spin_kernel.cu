#include <cuda_runtime.h>

#include "real/gpu/device_kernels.h"

namespace {

__device__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_kernel(unsigned long long nanoseconds, const volatile int* stop) {
  const unsigned long long begin = nanoseconds_now();
  while (nanoseconds_now() - begin < nanoseconds && *stop == 0) {
    __nanosleep(500);  // each read of `stop` crosses PCIe
  }
}

}  // namespace

int ringcast_load_spin_kernel() {
  cudaFuncAttributes unused;
  return cudaFuncGetAttributes(&unused, spin_kernel);
}

int ringcast_launch_spin(unsigned long long nanoseconds, const volatile int* stop, void* stream) {
  spin_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(nanoseconds, stop);
  return cudaGetLastError();
}
