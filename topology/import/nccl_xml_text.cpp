#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "topology/import/import_hints.hpp"
#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {

BytesPerSecond link_rate(std::string_view speed, int lanes) {
  constexpr auto generations = std::to_array<std::pair<double, std::string_view>>(
      {{2.5, "1.0"}, {5, "2.0"}, {8, "3.0"}, {16, "4.0"}, {32, "5.0"}, {64, "6.0"}});
  double transfers = 0;
  std::from_chars(speed.data(), speed.data() + speed.size(), transfers);
  const auto* const known =
      std::ranges::find(generations, transfers, &std::pair<double, std::string_view>::first);
  if (known == generations.end() || speed.find("GT/s") == std::string_view::npos) {
    return BytesPerSecond{0};
  }
  const double share = static_cast<double>(lanes > 0 ? lanes : 16) / 16;
  return share * reported_rate(fmt::format("pcie-{}-x16", known->second));
}

int amd_family(int familyid) {
  constexpr int largest_base = 15;
  return familyid > 0x7F ? largest_base + familyid / 16 : familyid;
}

std::string_view product_of(std::string_view gcn, int sm) {
  using Chip = std::pair<std::string_view, std::string_view>;
  constexpr auto amd = std::to_array<Chip>({{"908", "MI100"},
                                            {"90a", "MI250X"},
                                            {"910", "MI250X"},
                                            {"942", "MI300X"},
                                            {"950", "MI355X"}});
  constexpr auto nvidia = std::to_array<std::pair<int, std::string_view>>({{60, "P100"},
                                                                           {70, "V100"},
                                                                           {75, "2080"},
                                                                           {80, "A100"},
                                                                           {86, "A40"},
                                                                           {89, "L40"},
                                                                           {90, "H100"},
                                                                           {100, "B200"},
                                                                           {103, "B300"},
                                                                           {107, "Rubin"},
                                                                           {120, "5090"}});
  for (const auto& [name, product] : amd) {
    if (gcn.substr(0, 6).find(name) != std::string_view::npos) {
      return product;
    }
  }
  if (!gcn.empty()) {
    return "";  // RCCL counts compute units as sm
  }
  const auto* const known = std::ranges::find(nvidia, sm, &std::pair<int, std::string_view>::first);
  return known == nvidia.end() ? "" : known->second;
}

}  // namespace ringcast::detail
