#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast {

/// The possible meanings of a name that is not a link class.
struct LinkNames {
  std::vector<std::string> classes = {};  // existing ones, the usual first; empty: unknown
  /// The kind of thing that the name means, if not a link: `a GPU`, `a NIC`. Empty: it is
  /// a link class in another spelling, or is ambiguous.
  std::string what = {};
  int count = 1;            // the number of NICs that the name may mean
  std::string remark = {};  // a further option to use with the class

  /// Whether the name means exactly one class.
  [[nodiscard]] bool is_clear() const { return what.empty() && classes.size() == 1; }
};

/// Resolves names of vendors and data sheets: of links, `PCIe Gen5 x16`, `NVLink4`, `NDR400`,
/// `RoCE v2 200G`; of processors, `EPYC 9654`, for the link between sockets; of GPUs and NICs,
/// `A100-SXM4-80GB`, `ConnectX-7`, for their links.
[[nodiscard]] LinkNames link_names(std::string_view text);

/// The vendors of processors: the values of the key `cpu`.
inline constexpr std::array<std::string_view, 5> cpu_vendors{"intel", "amd", "arm", "power",
                                                             "zhaoxin"};
/// The vendor of a processor, `EPYC 9654` or `Grace`, or a vendor's name, `AMD`; empty for other
/// names.
[[nodiscard]] std::string_view cpu_vendor(std::string_view text);
/// The vendor of the processors that a class of links between sockets connects; empty: any.
[[nodiscard]] std::string_view vendor_of_socket_link(std::string_view link_class);

}  // namespace ringcast
