// The functions that replace CUDA's and NVML's.
#include "tests/nccl/without_gpus.hpp"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ringcast {

NodeOfNccl node;  // read by the functions below, which NCCL calls

namespace {

// CUDA's functions that NCCL calls.
int zero() {
  return 0;
}
int one() {
  return 1;
}
int refuse() {
  return 3;  // an error code of NCCL and of NVML
}
int give_zero(int* value) {
  return *value = 0;
}
int give_one(int* value) {
  *value = 1;
  return 0;
}
int give_version(int* value) {
  *value = 13000;
  return 0;
}
int give_bus(char* text, int size, int /*device*/) {
  std::snprintf(text, static_cast<std::size_t>(size), "%s", node.gpus[node.own].c_str());
  return 0;
}
int give_attribute(int* value, int attribute, int /*device*/) {
  constexpr int shared_memory = 97;
  constexpr int major = 75;
  constexpr int minor = 76;
  constexpr int multicast = 132;
  *value = 1;
  if (attribute == major) *value = node.capability / 10;
  if (attribute == minor) *value = node.capability % 10;
  if (attribute == shared_memory) *value = 228 << 10;
  if (attribute == multicast) *value = node.capability >= 90 ? 1 : 0;
  return 0;
}
int allocate(void** memory, std::size_t size) {
  *memory = std::calloc(1, size + 64);
  return 0;
}
int reserve(void** memory, std::size_t size, std::size_t /*alignment*/, void* /*at*/,
            unsigned long) {
  return allocate(memory, size);
}
int give_handle(void** handle) {
  return allocate(handle, 4096);
}
int copy(void* to, const void* from, std::size_t size, int /*kind*/) {
  if (to != nullptr && from != nullptr) std::memcpy(to, from, size);
  return 0;
}
int give_pointer(void** device, void* host, unsigned /*flags*/) {
  *device = host;
  return 0;
}
int give_capture(void* /*stream*/, int* status) {
  return give_zero(status);
}
int give_attributes(void* attributes, const void* /*function*/) {
  std::memset(attributes, 0, 64);
  return 0;
}
int give_granularity(std::size_t* size, void* /*properties*/, int /*flags*/) {
  *size = 2 << 20;
  return 0;
}
const char* give_text(int /*error*/) {
  return "?";
}

// NVML: the handle of GPU i is i + 1.
int give_gpu(const char* bus, std::uintptr_t* handle) {
  *handle = 0;
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    if (strcasecmp(node.gpus[i].c_str(), bus) == 0) *handle = i + 1;
  }
  return 0;
}
int give_gpu_of_index(unsigned index, std::uintptr_t* handle) {
  *handle = index + 1;
  return 0;
}
int give_index(std::uintptr_t handle, unsigned* index) {
  *index = static_cast<unsigned>(handle) - 1;
  return 0;
}
int give_capability(void* /*gpu*/, int* major, int* minor) {
  *major = node.capability / 10;
  *minor = node.capability % 10;
  return 0;
}
int give_p2p(void* /*gpu*/, void* /*other*/, int /*which*/, int* status) {
  return give_zero(status);
}
int give_nothing(void* state) {  // no confidential computing
  std::memset(state, 0, 3);
  return 0;
}
int give_stack(int /*major*/, int /*minor*/, std::size_t* stack) {
  *stack = 0;
  return 0;
}
int give_gdr(void* /*comm*/, int* support) {
  return give_one(support);
}

template <typename F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

/// By the name without its parameters.
const std::map<std::string_view, void*>& replacements() {
  static const std::map<std::string_view, void*> all{
      {"cudaGetDevice", address_of(give_zero)},
      {"cudaGetDeviceCount", address_of(give_one)},
      {"cudaDriverGetVersion", address_of(give_version)},
      {"cudaRuntimeGetVersion", address_of(give_version)},
      {"cudaDeviceGetPCIBusId", address_of(give_bus)},
      {"cudaDeviceGetAttribute", address_of(give_attribute)},
      {"cudaMalloc", address_of(allocate)},
      {"cudaHostAlloc", address_of(allocate)},
      {"cudaMallocHost", address_of(allocate)},
      {"cudaMallocAsync", address_of(allocate)},
      {"cudaMallocFromPoolAsync", address_of(allocate)},
      {"cudaEventCreate", address_of(give_handle)},
      {"cudaEventCreateWithFlags", address_of(give_handle)},
      {"cudaStreamCreate", address_of(give_handle)},
      {"cudaStreamCreateWithFlags", address_of(give_handle)},
      {"cudaStreamCreateWithPriority", address_of(give_handle)},
      {"cudaMemPoolCreate", address_of(give_handle)},
      {"cudaDeviceGetMemPool", address_of(give_handle)},
      {"cudaDeviceGetDefaultMemPool", address_of(give_handle)},
      {"cudaMemcpy", address_of(copy)},
      {"cudaMemcpyAsync", address_of(copy)},
      {"cudaHostGetDevicePointer", address_of(give_pointer)},
      {"cudaDeviceCanAccessPeer", address_of(give_one)},
      {"cudaGetErrorString", address_of(give_text)},
      {"cudaGetErrorName", address_of(give_text)},
      {"cudaStreamIsCapturing", address_of(give_capture)},
      {"cudaStreamGetCaptureInfo", address_of(give_capture)},
      {"cudaStreamGetCaptureInfo_v2", address_of(give_capture)},
      {"cudaStreamGetCaptureInfo_v3", address_of(give_capture)},
      {"cudaFuncGetAttributes", address_of(give_attributes)},
      {"pfn_cuDeviceGetAttribute", address_of(give_attribute)},
      {"pfn_cuMemAddressReserve", address_of(reserve)},
      {"pfn_cuMulticastGetGranularity", address_of(give_granularity)},
      {"pfn_cuMemGetAllocationGranularity", address_of(give_granularity)},
      {"pfn_cuGetErrorString", address_of(refuse)},
      {"ncclNvmlDeviceGetHandleByPciBusId", address_of(give_gpu)},
      {"ncclNvmlDeviceGetHandleByIndex", address_of(give_gpu_of_index)},
      {"ncclNvmlDeviceGetIndex", address_of(give_index)},
      {"ncclNvmlDeviceGetCudaComputeCapability", address_of(give_capability)},
      {"ncclNvmlDeviceGetP2PStatus", address_of(give_p2p)},
      {"ncclNvmlDeviceGetNvLinkRemotePciInfo", address_of(refuse)},
      {"ncclNvmlDeviceGetPlatformInfo", address_of(refuse)},
      {"ncclNvmlDeviceGetGpuFabricInfoV", address_of(refuse)},
      {"ncclNvmlGetCCStatus", address_of(give_nothing)},
      {"ncclNvmlEnsureInitialized", address_of(zero)},
      {"ncclCuMemEnable", address_of(one)},
      {"ncclInitKernelsForDevice", address_of(give_stack)},
      {"ncclGpuGdrSupport", address_of(give_gdr)},
  };
  return all;
}

/// Those of NCCL that would need a GPU or a peer.
constexpr std::string_view skipped[]{"ncclCudaLibraryInit",
                                     "ncclCuMemHostEnable",
                                     "ncclNvlsSetup",
                                     "ncclNvlsBufferSetup",
                                     "ncclNvlsTreeConnect",
                                     "ncclDevrInitOnce",
                                     "ncclSymkInitOnce",
                                     "ncclCeInit",
                                     "ncclProxySaveOp",
                                     "finishPlan",
                                     "ncclProxyStart",
                                     "ncclCollPreconnect",
                                     "ncclLaunchKernel",
                                     "ncclCollPreconnectFunc",
                                     "ncclTransportP2pSetup",
                                     "ncclTransportRingConnect",
                                     "ncclTransportTreeConnect",
                                     "ncclTransportPatConnect",
                                     "ncclLaunchKernelBefore_NoUncapturedCuda",
                                     "ncclLaunchKernelAfter_NoCuda"};

/// `_Z15ncclCuMemEnablev` and `_ZL15ncclCuMemEnablev` are ncclCuMemEnable; clones are nothing.
std::string_view plain_name(std::string_view symbol) {
  if (symbol.find('.') != std::string_view::npos) return {};
  if (!symbol.starts_with("_Z")) return symbol;
  symbol.remove_prefix(symbol.starts_with("_ZL") ? 3 : 2);
  std::size_t length = 0;
  while (!symbol.empty() && std::isdigit(static_cast<unsigned char>(symbol.front())) != 0) {
    length = 10 * length + static_cast<std::size_t>(symbol.front() - '0');
    symbol.remove_prefix(1);
  }
  return symbol.substr(0, length);
}

/// mov rax, to; jmp rax
void jump(char* at, void* to) {
  constexpr std::uintptr_t page = 4096;
  auto* const begin = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(at) & ~(page - 1));
  mprotect(begin, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
  unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  std::memcpy(code + 2, &to, sizeof to);
  std::memcpy(at, code, sizeof code);
}

/// What stands in the place of a function or, for CUDA's driver, a pointer to one; null: itself.
void* replacement_of(std::string_view name) {
  if (const auto own = replacements().find(name); own != replacements().end()) return own->second;
  for (const std::string_view other : skipped) {
    if (name == other) return address_of(zero);
  }
  const bool driver = name.starts_with("pfn_cu");
  const bool runtime = name.starts_with("cuda") && name.size() > 4 && std::isupper(name[4]) != 0;
  return driver || runtime || name.starts_with("ncclNvml") ? address_of(zero) : nullptr;
}

}  // namespace

AlgorithmTime* remove_gpus(void* of_library) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(of_library, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
    return nullptr;
  const int file = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
  struct stat size {};
  if (file < 0 || fstat(file, &size) != 0) return nullptr;
  auto* const bytes = static_cast<char*>(
      mmap(nullptr, static_cast<std::size_t>(size.st_size), PROT_READ, MAP_PRIVATE, file, 0));
  close(file);
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(bytes);
  const auto* const sections = reinterpret_cast<const Elf64_Shdr*>(bytes + header->e_shoff);
  AlgorithmTime* tuner = nullptr;
  for (int s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = reinterpret_cast<const Elf64_Sym*>(bytes + sections[s].sh_offset);
    const char* const names = bytes + sections[sections[s].sh_link].sh_offset;
    for (std::size_t i = 0; i < sections[s].sh_size / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym& symbol = symbols[i];
      const std::string_view name = plain_name(names + symbol.st_name);
      char* const at = reinterpret_cast<char*>(map->l_addr) + symbol.st_value;
      if (name == "ncclTopoGetAlgoTime") tuner = reinterpret_cast<AlgorithmTime*>(at);
      void* const to = replacement_of(name);
      if (symbol.st_value == 0 || to == nullptr) continue;
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT) {
        if (symbol.st_size == sizeof to) std::memcpy(at, &to, sizeof to);
      } else if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
        jump(at, to);
      }
    }
  }
  return tuner;
}

}  // namespace ringcast
