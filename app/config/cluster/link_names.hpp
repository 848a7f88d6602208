#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// The possible meanings of a name that is no link class.
struct LinkNames {
  std::vector<std::string> classes = {};  // existing ones, the usual first; empty: not known
  /// Why it is no name of a link, though the classes are: `a GPU`, `a network card`; empty: it is
  /// one class's name in another spelling, or lacks what tells the classes apart.
  std::string what = {};
  int count = 1;            // the cards that the name may speak of
  std::string remark = {};  // what to write beside the class

  /// The name means this class and no other.
  [[nodiscard]] bool is_clear() const { return what.empty() && classes.size() == 1; }
};

/// The names of vendors and in data sheets: `PCIe Gen5 x16`, `NVLink4`, `NDR400`, `RoCE v2 200G`,
/// `EPYC 9654` between sockets; and what GPUs and network cards are connected with:
/// `A100-SXM4-80GB`, `ConnectX-7`.
[[nodiscard]] LinkNames link_names(std::string_view text);

/// The vendors of processors, as the key `cpu` has them.
inline constexpr std::array<std::string_view, 5> cpu_vendors{"intel", "amd", "arm", "power",
                                                             "zhaoxin"};
/// One of them for a vendor or a processor: `AMD`, `EPYC 9654`, `Grace`; empty for other names.
[[nodiscard]] std::string_view cpu_vendor(std::string_view text);
/// The vendor whose processors a class of links between sockets joins; empty: any.
[[nodiscard]] std::string_view vendor_joined_by(std::string_view link_class);

}  // namespace ringcast
