#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ringcast {

/// A network from the listing of a tool.
struct IbNetwork {
  struct Node {
    std::string id;           // "S-0008f10500200b50"
    std::string description;  // "a08-p1-dgx-04-c01 mlx5_5"; may be empty
    bool is_switch = false;
    std::string adapter = {};  // see adapter_guid(); empty: unknown
    bool is_block = false;     // the switch of a block of Slurm, whose hosts share NVSwitches
  };
  /// A cable between ports of two nodes, by their indices.
  struct Cable {
    int a = 0;
    int b = 0;
    std::string rate;  // "4xNDR"; empty: unknown
    int port_a = 0;    // the number of the port at each end; 0: unknown
    int port_b = 0;
  };
  std::string tool = "ibnetdiscover";
  std::vector<Node> nodes;
  bool nics_unknown = false;         // a cable represents those of all NICs of a host, or below
  std::vector<Cable> cables;         // each once, although both ends list it
  std::vector<std::string> remarks;  // omissions and repairs, one line each
};

/// Reads the output of ibnetdiscover, or a net file of ibsim. Routers, SHARP aggregation nodes and
/// cables from a node to itself are omitted. Throws ScenarioError "NAME:LINE: PROBLEM (expected
/// ...)".
[[nodiscard]] IbNetwork read_ib_network(const std::string& name,
                                        std::span<const std::string> lines);

/// "a08-c01 mlx5_5" is device mlx5_5 of host a08-c01. Default descriptions of drivers contain no
/// host name; then the node's id is used.
[[nodiscard]] std::pair<std::string, std::string> host_and_device(const IbNetwork::Node& node);

/// "a08-c01 mlx5_5"; the host alone if the device is unknown.
[[nodiscard]] std::string port_name(const std::string& host, const std::string& device);

/// Whether two names are of one host: `n1` and `n1.cluster.example`.
[[nodiscard]] bool is_same_host(const std::string& a, const std::string& b);

/// If a host would have two adapters of one name, for instance because all hosts have the default
/// name, makes a host of each adapter GUID, with a remark. Adapters with different device names on
/// localhost stay one host, with a remark.
void distinguish_hosts(IbNetwork& network);

/// A remark for each rate of the cables of hosts, and of those between switches, except the most
/// frequent: a port that trained down, or a wrong cable. If none is the most frequent, for each.
[[nodiscard]] std::vector<std::string> remarks_on_rates(const IbNetwork& network);

/// For each node of a network, whether it is kept: those of the connected component with the most
/// hosts, and of other components of the same hosts, such as further rails. So all hosts are
/// connected. A cable is kept if both of its ends are.
[[nodiscard]] std::vector<bool> in_main_component(const IbNetwork& network);

}  // namespace ringcast
