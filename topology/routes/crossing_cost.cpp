#include "topology/routes/crossing_cost.hpp"

namespace ringcast::detail {

std::uint64_t crossing_cost(VertexKind a, VertexKind b) {
  constexpr std::uint64_t nvlink = 1;
  constexpr std::uint64_t pcie = 1000 * nvlink;
  constexpr std::uint64_t socket = 1000 * pcie;
  const auto both = [a, b](auto is) { return is(a) && is(b); };
  if (a == VertexKind::network_switch || b == VertexKind::network_switch ||
      both([](VertexKind kind) { return kind == VertexKind::nic; })) {
    return network_cost;
  }
  if (both([](VertexKind kind) { return kind == VertexKind::cpu; })) {
    return socket;
  }
  if (both([](VertexKind k) { return k == VertexKind::gpu || k == VertexKind::nvswitch; })) {
    return nvlink;
  }
  return pcie;
}

}  // namespace ringcast::detail
