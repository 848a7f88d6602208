#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "engine/numbers/error.hpp"
#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {
namespace {

[[noreturn]] void refuse_at(const XmlFile& file, std::ptrdiff_t offset,
                            const std::string& problem) {
  const auto end = file.xml.begin() + std::clamp<std::ptrdiff_t>(
                                          offset, 0, static_cast<std::ptrdiff_t>(file.xml.size()));
  throw ScenarioError{
      fmt::format("{}:{}: {}", file.name, 1 + std::count(file.xml.begin(), end, '\n'), problem)};
}

}  // namespace

void XmlFile::refuse(const pugi::xml_node& node, const std::string& problem) const {
  refuse_at(*this, node.offset_debug(), problem);
}

void load_topology(const XmlFile& file, pugi::xml_document& document) {
  const pugi::xml_parse_result parsed = document.load_buffer(file.xml.data(), file.xml.size());
  if (!parsed) {
    refuse_at(
        file, parsed.offset,
        fmt::format("no XML: {} (expected a whole topology file of NCCL)", parsed.description()));
  }
  const pugi::xml_node root = document.document_element();
  const std::string_view element = root.name();
  if (element == "graphs") {
    file.refuse(root,
                "a graph file, of NCCL_GRAPH_FILE (expected a topology file, of NCCL_TOPO_FILE "
                "or NCCL_TOPO_DUMP_FILE)");
  }
  if (element != "system") {
    file.refuse(root,
                fmt::format("the element {} (expected system: a topology file of NCCL)", element));
  }
  const int version = root.attribute("version").as_int(1);
  if (version != 1 && version != 2) {
    file.refuse(root, fmt::format("version {} (expected 1, or RCCL's 2)", version));
  }
  if (!root.child("cpu")) {
    file.refuse(root, "no cpu in it (expected one for each NUMA node)");
  }
}

std::vector<std::vector<pugi::xml_node>> cpus_of_hosts(const pugi::xml_node& system) {
  std::map<std::string_view, std::size_t> known;
  std::vector<std::vector<pugi::xml_node>> hosts;
  for (const pugi::xml_node cpu : system.children("cpu")) {
    const std::string_view host = cpu.attribute("host_hash").value();
    const std::size_t place = known.try_emplace(host, hosts.size()).first->second;
    if (place == hosts.size()) hosts.emplace_back();
    hosts[place].push_back(cpu);
  }
  return hosts;
}

}  // namespace ringcast::detail
