#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ringcast {

/// A network as a tool lists it.
struct IbNetwork {
  struct Node {
    std::string id;           // "S-0008f10500200b50"
    std::string description;  // "a08-p1-dgx-04-c01 mlx5_5"; may be empty
    bool is_switch = false;
    std::string adapter = {};  // as adapter_guid() writes it; empty: unknown
  };
  /// A cable between ports of two nodes, by their indices.
  struct Cable {
    int a = 0;
    int b = 0;
    std::string rate;  // "4xNDR"; empty: unknown
  };
  std::string tool = "ibnetdiscover";
  std::vector<Node> nodes;
  bool cards_unknown = false;        // a cable to a host stands for those of all its cards
  std::vector<Cable> cables;         // each once, though both ends list it
  std::vector<std::string> remarks;  // omissions and repairs, one line each
};

/// Reads what ibnetdiscover printed, or a net file of ibsim. Routers, SHARP's aggregation nodes and
/// cables from a node to itself are left out. Throws ScenarioError "NAME:LINE: PROBLEM (expected
/// ...)".
[[nodiscard]] IbNetwork read_ib_network(const std::string& name,
                                        std::span<const std::string> lines);

/// "a08-c01 mlx5_5" is device mlx5_5 of host a08-c01. Drivers' own descriptions name no host: the
/// node's id is taken.
[[nodiscard]] std::pair<std::string, std::string> host_and_device(const IbNetwork::Node& node);

/// Renames adapters of a host that would have two of one name, as where all hosts have the default
/// name: nodes with one adapter GUID become a host, with a remark. With other device names,
/// adapters named localhost stay one host, with a remark.
void tell_hosts_apart(IbNetwork& network);

/// For each node of a network, whether it is kept: the connected piece with the most hosts, and
/// others that add no host, such as further rails. So each host reaches each other. A cable is kept
/// if both of its ends are.
[[nodiscard]] std::vector<bool> in_main_piece(const IbNetwork& network);

}  // namespace ringcast
