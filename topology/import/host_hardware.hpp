#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/numbers/units.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/device_tree.hpp"

namespace ringcast {

/// A GPU, PCIe switch or NIC of a host. Texts are printable ASCII.
struct HardwareDevice {
  VertexKind kind = VertexKind::gpu;  // gpu, pcie_switch or nic
  std::string address;                // "0000:04:00.0"
  std::string name;                   // "cuda0", "mlx5_0, mlx5_1"; may be empty
  std::string model;                  // "Tesla V100-SXM2-16GB"; may be empty
  BytesPerSecond link{0};             // rate to its parent, after line coding; zero: unknown

  // For NICs only.
  int ports = 0;
  BytesPerSecond port_rate{0};  // nominal rate of one port (100 Gb/s); zero: unknown
  bool infiniband = false;      // otherwise Ethernet
  bool rdma = false;            // messages can bypass the kernel
  bool down = false;            // no port is known to be up
  std::string port_class = {};  // link class of a port; empty: by its rate
  std::string guid = {};        // of the adapter, see adapter_guid(); may be empty

  std::vector<HardwareDevice> devices = {};  // below a PCIe switch
  std::string link_class = {};               // class of `link` if it is not PCIe: "nvlink-c2c"
};

struct HardwareRoot {
  std::vector<HardwareDevice> devices;
};

struct HardwareSocket {
  std::string cpu;         // "Intel(R) Xeon(R) CPU E5-2650 0 @ 2.00GHz"; may be empty
  std::string link_class;  // class of the link between sockets, by NCCL's table; empty: unknown
  int cores = 0;
  int numa_nodes = 0;
  Bytes memory;
  std::vector<HardwareRoot> root_complexes;
};

/// The NVLinks between two GPUs, by their numbers in the order of the tree: the total rate of one
/// direction.
struct HardwareNvlink {
  int gpu_a = 0;
  int gpu_b = 0;
  BytesPerSecond rate{0};
};

/// The hardware of one host.
struct HostHardware {
  std::string host;            // its name; may be empty
  std::string source;          // "hwloc 2.9.0"
  std::string tool = "hwloc";  // source of the data, for messages
  int hosts = 1;               // more than 1: a rack, which is one node
  std::vector<HardwareSocket> sockets;
  std::vector<HardwareNvlink> nvlinks;
  BytesPerSecond nvswitch{0};  // rate from each GPU to the NVSwitches, one direction; zero: none
  std::vector<std::string> remarks;  // omissions and doubts, one line each
  std::string port_class = {};       // link class of network ports, if no NIC was found
};

/// Whether each socket is one NUMA domain. nvidia-smi and NCCL report domains as sockets; hosts of
/// EPYC have two sockets at most.
[[nodiscard]] bool has_whole_sockets(const HostHardware& host);

/// Appends -0, -1, ... to the names of several hosts.
void number_hosts(std::vector<HostHardware>& hosts);

[[nodiscard]] int count_of(VertexKind kind, const HostHardware& host);
/// The numbers of the GPUs in the order of the tree, by their addresses.
[[nodiscard]] std::map<std::string, int> gpu_numbers(const HostHardware& host);

/// The rates of all NVLinks between two GPUs and from a GPU to the switches, by their numbers.
struct NvlinkRates {
  std::map<std::pair<int, int>, BytesPerSecond> between;
  std::map<int, BytesPerSecond> to_switches;
};
void add_nvlinks(const NvlinkRates& rates, HostHardware& host);

/// Appends a port's name to that of its NIC: `mlx5_0, mlx5_1`.
void add_port_name(const std::string& name, HardwareDevice& nic);

/// Normalizes a GUID, such as `0x2C90300A01B40` or `0002:c903:00a0:1b40`, to 16 lower-case
/// hexadecimal digits; empty for other texts, and for zero.
[[nodiscard]] std::string adapter_guid(std::string_view text);

/// Whether two devices, with those below them, are equal for predictions: names and addresses may
/// differ.
[[nodiscard]] bool alike(const HardwareDevice& a, const HardwareDevice& b);
[[nodiscard]] bool alike(const HardwareRoot& a, const HardwareRoot& b);
[[nodiscard]] bool alike(const HardwareSocket& a, const HardwareSocket& b);
[[nodiscard]] bool alike(const HostHardware& a, const HostHardware& b);

/// 200 of 200 Gb/s, as ports are sold.
[[nodiscard]] double gigabits_of(BytesPerSecond rate);

/// Keeps the best NICs, which a collective would use: those that are up, then those with RDMA, then
/// InfiniBand, then those with at least half of the rate of the fastest. Removes the others, and
/// switches and root complexes that become empty. A remark names each removed or slower NIC.
void choose_nics(HostHardware& host);

/// Adds a NIC at the first socket, with a remark. It is as fast as the GPUs' PCIe links: an assumed
/// NIC should not become the bottleneck.
void add_assumed_nic(HostHardware& host);

}  // namespace ringcast
