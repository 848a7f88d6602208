#include <map>
#include <string_view>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "topology/import/nccl_xml_parts.hpp"

namespace ringcast::detail {

void load_topology(const XmlFile& file, pugi::xml_document& document) {
  file.parse(document, "a whole topology file of NCCL");
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
