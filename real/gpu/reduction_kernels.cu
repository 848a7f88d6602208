#include <cstdint>
#include <cstring>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "real/gpu/device_kernels.h"

// The arithmetic of accumulate_bytes() and finish_bytes() in engine/numbers/element.cpp, bit for
// bit. That file cannot be compiled for a device; here the conversions of the 16-bit types are
// instructions.
namespace {

/// The stored type of an element, the type in which it is combined, and its unsigned type, which
/// wraps around.
template <typename T, typename Unsigned = T>
struct Native {
  using Stored = T;
  using Working = T;
  using Wrapping = Unsigned;
  __host__ __device__ static T load(T element) { return element; }
  __host__ __device__ static T store(T value) { return value; }
};
struct Float16 {
  using Stored = std::uint16_t;
  using Working = float;
  using Wrapping = float;
  __host__ __device__ static float load(Stored element) {
    return __half2float(__ushort_as_half(element));
  }
  __host__ __device__ static Stored store(float value) {
    return __half_as_ushort(__float2half_rn(value));
  }
};
struct Bfloat16 {
  using Stored = std::uint16_t;
  using Working = float;
  using Wrapping = float;
  __host__ __device__ static float load(Stored element) {
    return __bfloat162float(__ushort_as_bfloat16(element));
  }
  __host__ __device__ static Stored store(float value) {
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
};

struct Sum {
  template <typename Wrapping, typename T>
  __host__ __device__ static T combine(T into, T from) {
    return static_cast<T>(static_cast<Wrapping>(into) + static_cast<Wrapping>(from));
  }
};
struct Product {
  template <typename Wrapping, typename T>
  __host__ __device__ static T combine(T into, T from) {
    return static_cast<T>(static_cast<Wrapping>(into) * static_cast<Wrapping>(from));
  }
};
/// `from` replaces `into` if it is better or a NaN (unequal to itself); nothing is better than a
/// NaN.
struct Minimum {
  template <typename Wrapping, typename T>
  __host__ __device__ static T combine(T into, T from) {
    return from < into || from != from ? from : into;
  }
};
struct Maximum {
  template <typename Wrapping, typename T>
  __host__ __device__ static T combine(T into, T from) {
    return from > into || from != from ? from : into;
  }
};

template <typename Codec, typename How>
struct Accumulate {
  using Stored = typename Codec::Stored;
  __host__ __device__ static Stored apply(Stored into, Stored from) {
    return Codec::store(
        How::template combine<typename Codec::Wrapping>(Codec::load(into), Codec::load(from)));
  }
};

template <typename Codec>
__host__ __device__ typename Codec::Stored divide(typename Codec::Stored element, int ranks) {
  return Codec::store(Codec::load(element) / static_cast<typename Codec::Working>(ranks));
}

constexpr int threads_per_block = 256;
/// Loads in flight per thread and operand: with eight of 16 bytes each, a multiprocessor full of
/// threads has more bytes in flight than its share of bandwidth times latency.
constexpr int unroll = 4;

/// Elements before `head` and after the `vectors` are combined one by one.
struct Cut {
  std::size_t head;
  std::size_t vectors;
};

template <typename Codec, typename How>
__device__ int4 combine_vector(int4 into, int4 from) {
  using Stored = typename Codec::Stored;
  constexpr int lanes = sizeof(int4) / sizeof(Stored);
  Stored left[lanes];
  Stored right[lanes];
  memcpy(left, &into, sizeof(int4));
  memcpy(right, &from, sizeof(int4));
#pragma unroll
  for (int lane = 0; lane < lanes; ++lane) {
    left[lane] = Accumulate<Codec, How>::apply(left[lane], right[lane]);
  }
  memcpy(&into, left, sizeof(int4));
  return into;
}

template <typename Codec, typename How>
__global__ void accumulate_kernel(typename Codec::Stored* into, const typename Codec::Stored* from,
                                  std::size_t elements, Cut cut) {
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t threads = gridDim.x * std::size_t{blockDim.x};
  int4* const left = reinterpret_cast<int4*>(into + cut.head);
  const int4* const right = reinterpret_cast<const int4*>(from + cut.head);
  std::size_t i = thread;
  for (; i + (unroll - 1) * threads < cut.vectors; i += unroll * threads) {
    int4 mine[unroll];
    int4 theirs[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      mine[k] = left[i + k * threads];
      theirs[k] = right[i + k * threads];
    }
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      left[i + k * threads] = combine_vector<Codec, How>(mine[k], theirs[k]);
    }
  }
  for (; i < cut.vectors; i += threads) {
    left[i] = combine_vector<Codec, How>(left[i], right[i]);
  }
  const std::size_t in_vectors = cut.vectors * (sizeof(int4) / sizeof(typename Codec::Stored));
  for (std::size_t single = thread; single < elements - in_vectors; single += threads) {
    const std::size_t at = single < cut.head ? single : single + in_vectors;
    into[at] = Accumulate<Codec, How>::apply(into[at], from[at]);
  }
}

template <typename Codec>
__global__ void divide_kernel(typename Codec::Stored* into, std::size_t elements, int ranks,
                              Cut cut) {
  using Stored = typename Codec::Stored;
  constexpr int lanes = sizeof(int4) / sizeof(Stored);
  const std::size_t thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t threads = gridDim.x * std::size_t{blockDim.x};
  int4* const vectors = reinterpret_cast<int4*>(into + cut.head);
  for (std::size_t i = thread; i < cut.vectors; i += threads) {
    int4 vector = vectors[i];
    Stored values[lanes];
    memcpy(values, &vector, sizeof(int4));
#pragma unroll
    for (int lane = 0; lane < lanes; ++lane) {
      values[lane] = divide<Codec>(values[lane], ranks);
    }
    memcpy(&vector, values, sizeof(int4));
    vectors[i] = vector;
  }
  const std::size_t in_vectors = cut.vectors * lanes;
  for (std::size_t single = thread; single < elements - in_vectors; single += threads) {
    const std::size_t at = single < cut.head ? single : single + in_vectors;
    into[at] = divide<Codec>(into[at], ranks);
  }
}

/// Uses vectors only if both sides are 16-byte aligned at the same element.
template <typename Stored>
Cut cut_of(const void* into, const void* from, std::size_t elements) {
  const std::uintptr_t misaligned = reinterpret_cast<std::uintptr_t>(into) % sizeof(int4);
  if (misaligned != reinterpret_cast<std::uintptr_t>(from) % sizeof(int4)) return {0, 0};
  const std::size_t to_boundary = (sizeof(int4) - misaligned) % sizeof(int4) / sizeof(Stored);
  const std::size_t head = to_boundary < elements ? to_boundary : elements;
  return {head, (elements - head) / (sizeof(int4) / sizeof(Stored))};
}

unsigned blocks_for(std::size_t work, int most) {
  const std::size_t wanted = (work + threads_per_block - 1) / threads_per_block;
  const auto limit = static_cast<std::size_t>(most);
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < limit ? wanted : limit);
}

template <typename Codec, typename How>
int launch_accumulate(void* into, const void* from, std::size_t elements, int blocks,
                      cudaStream_t stream) {
  using Stored = typename Codec::Stored;
  const Cut cut = cut_of<Stored>(into, from, elements);
  const std::size_t work = cut.vectors > 0 ? cut.vectors / unroll : elements;
  accumulate_kernel<Codec, How><<<blocks_for(work, blocks), threads_per_block, 0, stream>>>(
      static_cast<Stored*>(into), static_cast<const Stored*>(from), elements, cut);
  return cudaGetLastError();
}

template <typename Codec>
int launch_divide(void* into, std::size_t elements, int ranks, int blocks, cudaStream_t stream) {
  const Cut cut = cut_of<typename Codec::Stored>(into, into, elements);
  divide_kernel<Codec><<<blocks_for(elements, blocks), threads_per_block, 0, stream>>>(
      static_cast<typename Codec::Stored*>(into), elements, ranks, cut);
  return cudaGetLastError();
}

template <typename Codec, typename How>
void accumulate_on_host(void* into, const void* from, std::size_t elements) {
  using Stored = typename Codec::Stored;
  for (std::size_t i = 0; i < elements; ++i) {
    Stored& mine = static_cast<Stored*>(into)[i];
    mine = Accumulate<Codec, How>::apply(mine, static_cast<const Stored*>(from)[i]);
  }
}

template <typename Codec>
void divide_on_host(void* into, std::size_t elements, int ranks) {
  for (std::size_t i = 0; i < elements; ++i) {
    auto& element = static_cast<typename Codec::Stored*>(into)[i];
    element = divide<Codec>(element, ranks);
  }
}

int load() {
  return cudaSuccess;
}
template <typename Kernel, typename... Kernels>
int load(Kernel* kernel, Kernels*... others) {
  cudaFuncAttributes unused;
  const int code = cudaFuncGetAttributes(&unused, kernel);
  return code == cudaSuccess ? load(others...) : code;
}

template <typename... Codecs>
int load_kernels() {
  int code = cudaSuccess;
  for (const int one : {load(accumulate_kernel<Codecs, Sum>, accumulate_kernel<Codecs, Product>,
                             accumulate_kernel<Codecs, Minimum>, accumulate_kernel<Codecs, Maximum>,
                             divide_kernel<Codecs>)...}) {
    code = code == cudaSuccess ? one : code;
  }
  return code;
}

using Int32 = Native<std::int32_t, std::uint32_t>;
using Int64 = Native<std::int64_t, std::uint64_t>;
constexpr int operations = 5;  // sum, prod, min, max, avg

/// The functions of one element type; `launch` is indexed by Operation.
struct Row {
  int (*launch[operations])(void*, const void*, std::size_t, int, cudaStream_t);
  void (*on_host[operations])(void*, const void*, std::size_t);
  int (*launch_divide)(void*, std::size_t, int, int, cudaStream_t);
  void (*divide_on_host)(void*, std::size_t, int);
};

template <typename Codec>
constexpr Row row() {
  return {{launch_accumulate<Codec, Sum>, launch_accumulate<Codec, Product>,
           launch_accumulate<Codec, Minimum>, launch_accumulate<Codec, Maximum>,
           launch_accumulate<Codec, Sum>},
          {accumulate_on_host<Codec, Sum>, accumulate_on_host<Codec, Product>,
           accumulate_on_host<Codec, Minimum>, accumulate_on_host<Codec, Maximum>,
           accumulate_on_host<Codec, Sum>},
          launch_divide<Codec>,
          divide_on_host<Codec>};
}

/// In the order of ElementType.
constexpr Row rows[] = {row<Float16>(),        row<Bfloat16>(), row<Native<float>>(),
                        row<Native<double>>(), row<Int32>(),    row<Int64>()};

}  // namespace

int ringcast_load_reduction_kernels() {
  return load_kernels<Float16, Bfloat16, Native<float>, Native<double>, Int32, Int64>();
}

int ringcast_launch_accumulate(int type, int operation, void* into, const void* from,
                               size_t elements, int blocks, void* stream) {
  return rows[type].launch[operation](into, from, elements, blocks,
                                      static_cast<cudaStream_t>(stream));
}

int ringcast_launch_divide(int type, void* into, size_t elements, int ranks, int blocks,
                           void* stream) {
  return rows[type].launch_divide(into, elements, ranks, blocks, static_cast<cudaStream_t>(stream));
}

void ringcast_accumulate_on_host(int type, int operation, void* into, const void* from,
                                 size_t elements) {
  rows[type].on_host[operation](into, from, elements);
}

void ringcast_divide_on_host(int type, void* into, size_t elements, int ranks) {
  rows[type].divide_on_host(into, elements, ranks);
}
