// ask_nccl TOPOLOGY NODES CAPABILITY: prints NCCL's choices on NODES nodes of a topology file
// (README.md).
//
// Each rank is a process. NCCL's CUDA runtime is linked into its library, whose functions are
// replaced in memory (without_gpus.hpp): NCCL's search and tuner run as they are. Rank 0 prints
// NCCL's log with a line for each size, "AllReduce: 8 Bytes -> Algo TREE proto LL
// channel{Lo..Hi}={0..0}", and for in-switch sums, whose buffers cannot be allocated, its own line.
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include <nccl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/nccl/without_gpus.hpp"

namespace {

struct Nic {
  std::string name;
  int speed = 0;  // Mbit/s
  std::uint64_t guid = 0;
  float latency = 0;  // us
};
std::vector<Nic> nics;

std::string value_of(const std::string& tag, const std::string& key) {
  std::smatch found;
  return std::regex_search(tag, found, std::regex{" " + key + "=\"([^\"]*)\""}) ? found[1].str()
                                                                                : "";
}

void read_topology(const std::string& file) {
  std::ifstream in{file};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  static const std::regex tags{"<(pci|gpu|net) [^>]*>"};
  std::string address;
  for (std::sregex_iterator tag{text.begin(), text.end(), tags}; tag != std::sregex_iterator{};
       ++tag) {
    const std::string kind = (*tag)[1];
    if (kind == "pci") address = value_of(tag->str(), "busid");
    if (kind == "gpu") ringcast::node.gpus.push_back(address);
    if (kind != "net") continue;
    const std::string latency = value_of(tag->str(), "latency");
    nics.push_back({value_of(tag->str(), "name"), std::stoi(value_of(tag->str(), "speed")),
                    std::stoull(value_of(tag->str(), "guid"), nullptr, 0),
                    latency.empty() ? 0 : std::stof(latency)});
  }
}

// NCCL's interface of network plugins, version 8 (ext-net in NVIDIA/nccl), with the functions that
// describe the NICs. Nothing is sent.
struct NicProperties {
  const char* name;
  const char* pci_path;
  std::uint64_t guid;
  int memory;  // 1: the host's, 2: GPUs'
  int registration_is_global;
  int speed;  // Mbit/s
  int port;
  float latency;
  int most_connections;
  int most_receives;
  int offload;
  int offload_version;
};
int start_plugin(void* /*log*/) {
  return 0;
}
int count_nics(int* count) {
  *count = static_cast<int>(nics.size());
  return 0;
}
int describe_nic(int nic, NicProperties* properties) {
  const Nic& own = nics[static_cast<std::size_t>(nic)];
  *properties = {own.name.c_str(), nullptr, own.guid, 1 | 2, 0, own.speed, 1,
                 own.latency,      65536,   1,        0,     0};
  return 0;
}
int fail() {
  return ncclInternalError;
}

struct Plugin {
  const char* name;
  std::array<void*, 18> functions;
};

template <typename F>
void* address_of(F* function) {
  return reinterpret_cast<void*>(function);
}

/// Whether the tuner expects this time of in-switch sums, in a node or between nodes.
bool is_of_switches(ringcast::AlgorithmTime* time_of, ncclComm_t comm, std::size_t bytes,
                    float time) {
  constexpr int all_reduce = 4;
  constexpr int simple = 2;
  for (const int algorithm : {4, 5}) {
    float own = -1;
    time_of(comm, all_reduce, algorithm, simple, bytes, 1, &own);
    if (std::abs(own - time) < 1e-4F * time) return true;
  }
  return false;
}

void print_choice(ringcast::AlgorithmTime* time_of, ncclComm_t comm, std::size_t bytes) {
  void* const buffer = &nics;  // an unused address
  const auto enqueue = [&] {
    ncclAllReduce(buffer, buffer, bytes / 4, ncclFloat, ncclSum, comm, nullptr);
  };
  ncclSimInfo_t expected = NCCL_SIM_INFO_INITIALIZER;
  ncclGroupStart();
  enqueue();
  ncclGroupSimulateEnd(&expected);
  if (is_of_switches(time_of, comm, bytes, expected.estimatedTime)) {
    std::printf("AllReduce: %zu Bytes -> Algo NVLS\n", bytes);
  } else {
    enqueue();
  }
  std::fflush(stdout);
}

/// In a process of its own.
int run_rank(int rank, int ranks, const std::filesystem::path& id_file) {
  if (rank == 0) {
    setenv("NCCL_DEBUG", "INFO", 1);
    setenv("NCCL_DEBUG_SUBSYS", "INIT,GRAPH,TUNING", 0);
  }
  ringcast::AlgorithmTime* const time_of = ringcast::remove_gpus(address_of(ncclGetVersion));
  if (time_of == nullptr) {
    std::fprintf(stderr, "NCCL's library: no symbols (expected one that was not stripped)\n");
    return 1;
  }
  ncclUniqueId id;
  if (rank == 0) {
    ncclGetUniqueId(&id);
    const std::filesystem::path unfinished = id_file.string() + ".unfinished";
    std::ofstream{unfinished, std::ios::binary}.write(id.internal, sizeof id.internal);
    std::filesystem::rename(unfinished, id_file);
  } else {
    while (!std::filesystem::exists(id_file))
      usleep(1000);
    std::ifstream{id_file, std::ios::binary}.read(id.internal, sizeof id.internal);
  }
  ncclComm_t comm = nullptr;
  if (ncclCommInitRank(&comm, ranks, id, rank) != ncclSuccess) {
    std::fprintf(stderr, "rank %d: %s\n", rank, ncclGetLastError(nullptr));
    return 1;
  }
  constexpr std::size_t most = std::size_t{8} << 30;
  for (std::size_t bytes = 8; rank == 0 && bytes <= most; bytes *= 2)
    print_choice(time_of, comm, bytes);
  return 0;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] Plugin ncclNetPlugin_v8 = {
    "described",
    {address_of(start_plugin), address_of(count_nics), address_of(describe_nic), address_of(fail),
     address_of(fail), address_of(fail), address_of(fail), address_of(fail), address_of(fail),
     address_of(fail), address_of(fail), address_of(fail), address_of(fail), address_of(fail),
     address_of(fail), address_of(fail), nullptr, nullptr}};

// NCCL's threads poll; with a hundred ranks on a few cores they sleep instead.
int sched_yield() noexcept {
  return usleep(300);
}
ssize_t recv(int socket, void* to, std::size_t size, int flags) {
  const long got = syscall(SYS_recvfrom, socket, to, size, flags, nullptr, nullptr);
  if (got < 0 && errno == EAGAIN) {
    usleep(300);
    errno = EAGAIN;
  }
  return got;
}

}  // extern "C"

int main(int count, char** arguments) {
  if (count < 4 || count > 5) {
    std::fprintf(stderr,
                 "usage: ask_nccl TOPOLOGY NODES CAPABILITY [GPUS], e.g. h100.xml 2 90 4\n");
    return 2;
  }
  read_topology(arguments[1]);
  const int known = static_cast<int>(ringcast::node.gpus.size());
  const int gpus = count > 4 ? std::atoi(arguments[4]) : known;
  const int ranks = std::atoi(arguments[2]) * gpus;
  if (gpus < 1 || gpus > known || ranks < 1) {
    std::fprintf(stderr, "%s: %d GPUs (expected a topology file of NCCL with as many as asked)\n",
                 arguments[1], known);
    return 2;
  }
  ringcast::node.gpus.resize(static_cast<std::size_t>(gpus));
  ringcast::node.capability = std::atoi(arguments[3]);
  setenv("NCCL_TOPO_FILE", arguments[1], 1);
  setenv("NCCL_NET_PLUGIN", nics.empty() ? "none" : "STATIC_PLUGIN", 1);
  setenv("NCCL_IB_DISABLE", "1", 1);
  setenv("NCCL_SOCKET_IFNAME", "lo", 1);
  setenv("NCCL_RAS_ENABLE", "0", 1);
  setenv("NCCL_WIN_ENABLE", "0", 1);
  const std::filesystem::path id_file =
      std::filesystem::temp_directory_path() / ("ask_nccl." + std::to_string(getpid()));
  for (int rank = 0; rank < ranks; ++rank) {
    if (fork() != 0) continue;
    ringcast::node.own = static_cast<std::size_t>(rank % gpus);
    setenv("NCCL_HOSTID", ("node" + std::to_string(rank / gpus)).c_str(), 1);
    _exit(run_rank(rank, ranks, id_file));
  }
  bool failed = false;
  int status = 0;
  while (wait(&status) > 0)
    failed = failed || status != 0;
  std::filesystem::remove(id_file);
  return failed ? 1 : 0;
}
