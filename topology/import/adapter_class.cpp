#include "topology/import/adapter_class.hpp"

#include <algorithm>
#include <array>

namespace ringcast::detail {
namespace {

struct Adapter {
  unsigned vendor;
  unsigned device;
  std::string_view link_class;
};

// pci.ids; each version of EFA has a device code of its own.
constexpr auto adapters = std::to_array<Adapter>({
    {0x1d0f, 0xefa0, "efa-100g"},
    {0x1d0f, 0xefa1, "efa-100g"},
    {0x1d0f, 0xefa2, "efa-200g"},
    {0x1d0f, 0xefa3, "efa-400g"},
    {0x17db, 0x0501, "slingshot-11"},
    {0x8086, 0x24f0, "omni-path-100"},
    {0x8086, 0x24f1, "omni-path-100"},
});

}  // namespace

std::string_view adapter_class(unsigned vendor, unsigned device) {
  const auto* const found = std::ranges::find_if(adapters, [=](const Adapter& known) {
    return known.vendor == vendor && known.device == device;
  });
  return found == adapters.end() ? "" : found->link_class;
}

}  // namespace ringcast::detail
