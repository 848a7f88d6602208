#include "app/config/device_lines.hpp"

#include <tuple>

#include <fmt/format.h>

namespace ringcast {
namespace {

std::string comment_on(const HardwareDevice& device) {
  std::string text = device.model.empty() ? device.name : device.model;
  if (device.ports > 1) {
    text += fmt::format("{}{} ports, of which the fabric joins one", text.empty() ? "" : ", ",
                        device.ports);
  }
  return text.empty() ? "" : "  # " + text;
}

std::string kind_name(VertexKind kind) {
  if (kind == VertexKind::gpu) {
    return "gpu";
  }
  return kind == VertexKind::nic ? "nic" : "pcie-switch";
}

bool same(const LinkChoice& a, const LinkChoice& b) {
  const auto all = [](const LinkChoice& choice) {
    return std::tie(choice.link_class, choice.bandwidth, choice.why, choice.assumed);
  };
  return all(a) == all(b);
}

}  // namespace

std::string count_key(std::size_t count) {
  return count == 1 ? "" : fmt::format(", count: {}", count);
}

std::string LinkNames::name_of(const LinkChoice& choice, const std::string& wanted) {
  if (!choice.assumed && choice.bandwidth == BytesPerSecond{0}) {
    return choice.link_class;
  }
  std::string name = wanted;
  for (int number = 2;; ++number) {
    const auto known = std::ranges::find(entries_, name, &decltype(entries_)::value_type::first);
    if (known == entries_.end()) {
      entries_.emplace_back(name, choice);
      return name;
    }
    if (same(known->second, choice)) {
      return name;
    }
    name = fmt::format("{}-{}", wanted, number);
  }
}

std::vector<std::string> LinkNames::section() const {
  std::vector<std::string> lines;
  if (entries_.empty()) {
    return lines;
  }
  lines.emplace_back("links:");
  for (const auto& [name, choice] : entries_) {
    if (choice.assumed) {
      lines.push_back("  # assumed: " + choice.why);
    }
    if (choice.link_class.empty()) {
      lines.push_back(fmt::format("  {}: {{bandwidth: {}, latency: 0, source: assumed}}", name,
                                  to_text(choice.bandwidth)));
      continue;
    }
    if (choice.bandwidth == BytesPerSecond{0}) {
      lines.push_back(fmt::format("  {}: {}", name, choice.link_class));
      continue;
    }
    lines.push_back(fmt::format("  {}:", name));
    lines.push_back(fmt::format("    class: {}", choice.link_class));
    lines.push_back(fmt::format("    bandwidth: {}", to_text(choice.bandwidth)));
    lines.push_back(
        fmt::format("    source: {}, scaled as the class is from its line rate", choice.why));
  }
  lines.emplace_back();
  return lines;
}

void add_device_lines(const std::vector<HardwareDevice>& devices, std::size_t indent,
                      LinkNames& links, std::vector<std::string>& lines) {
  const std::string blanks(indent, ' ');
  for_each_run(devices, [&](const HardwareDevice& device, std::size_t count) {
    const std::string link = links.name_of(pcie_link(device.link), "pcie");
    if (device.kind != VertexKind::pcie_switch) {
      lines.push_back(fmt::format("{}- {{kind: {}{}, link: {}}}{}", blanks, kind_name(device.kind),
                                  count_key(count), link, comment_on(device)));
      return;
    }
    lines.push_back(fmt::format("{}- kind: pcie-switch{}", blanks, comment_on(device)));
    if (count > 1) {
      lines.push_back(fmt::format("{}  count: {}", blanks, count));
    }
    lines.push_back(fmt::format("{}  link: {}", blanks, link));
    lines.push_back(blanks + "  devices:");
    add_device_lines(device.devices, indent + 4, links, lines);
  });
}

}  // namespace ringcast
