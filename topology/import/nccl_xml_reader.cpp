// A topology file is a tree: <system>, one <cpu> for each NUMA node, <pci> for bridges and devices,
// and in a device's <pci> a <gpu> with its NVLinks or a <nic> with a <net> for each port. NCCL
// reads it in src/graph/topo.cc and xml.cc, whose rules are these:
//
// - NUMA nodes are connected pairwise, so each becomes a socket, and each <pci> directly below one
//   a root complex.
// - Broadcom's switches that appear as two levels of one model are one switch.
// - A link whose speed is missing counts as PCIe 3.0; here its speed is unknown, and assumed with a
//   remark.
#include "topology/import/nccl_xml_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/import/adapter_class.hpp"
#include "topology/import/hardware_links.hpp"
#include "topology/import/nccl_xml_parts.hpp"
#include "topology/import/nvlink_rack.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {

namespace {

constexpr int deepest = 32;  // real files have five levels

class XmlHost {
 public:
  XmlHost(const detail::XmlFile& file, std::string name, const ImportHints& hints)
      : file_{file}, hints_{hints} {
    host_.host = std::move(name);
    host_.tool = "NCCL";
    host_.source = "NCCL's topology file";
  }

  HostHardware read(const std::vector<pugi::xml_node>& cpus) {
    for (const pugi::xml_node& cpu : cpus) {
      add_socket(cpu);
    }
    assume_pcie_links(hints_.gpu, host_);
    check_gpus(cpus.front());
    detail::add_nvlinks(nvlinks_, host_);
    remark_on_vendors();
    apply_hints(hints_, host_);
    choose_nics(host_);
    return std::move(host_);
  }

 private:
  [[noreturn]] void refuse(const pugi::xml_node& node, const std::string& problem) const {
    file_.refuse(node, problem);
  }
  void remark(std::string text) { host_.remarks.push_back(std::move(text)); }

  void remark_on_vendors() {
    if (!host_.nvlinks.empty() || host_.nvswitch > BytesPerSecond{0}) return;
    const GpuModel* const gpu = find_gpu_model(model_);
    if (is_amd_ && gpu == nullptr) remark("AMD's GPUs without xGMI: predict with --transport rccl");
    // NCCL tells the generation of AMD's processors, but not whether they are EPYC.
    const std::string& link = host_.sockets.front().link_class;
    const bool may_be_slow = link == "host-amd-zen2" || link == "host-amd-zen3";
    const bool is_named = !hints_.cpu.empty() || !hints_.sockets.empty();
    if (is_amd_ || (gpu != nullptr && gpu->is_amd()) || !may_be_slow || is_named) return;
    remark("GPUs without P2P read the memory of EPYC 7002 and 7003 slowly: name them with --cpu");
  }

  void add_socket(const pugi::xml_node& cpu) {
    HardwareSocket& socket = host_.sockets.emplace_back();
    const std::string vendor = cpu.attribute("vendor").value();
    const int family = cpu.attribute("familyid").as_int(-1);
    const std::string architecture = cpu.attribute("arch").value();
    socket.link_class = socket_link_class(
        {.vendor = vendor,
         .family = std::to_string(vendor == "AuthenticAMD" ? detail::amd_family(family) : family),
         .model = cpu.attribute("modelid").value(),
         .name = "",
         .architecture = architecture == "arm64" ? "aarch64" : architecture});
    for (const pugi::xml_node child : cpu.children()) {
      HardwareRoot root;
      if (std::string_view{child.name()} == "pci") {
        root.devices = devices_of(child, 0);
      } else if (std::string_view{child.name()} == "nic") {
        HardwareDevice nic{VertexKind::nic, "", "", "a virtual NIC", BytesPerSecond{0}};
        detail::read_ports(child, nic, host_.remarks);
        root.devices.push_back(std::move(nic));
      }
      if (!root.devices.empty()) {
        socket.root_complexes.push_back(std::move(root));
      }
    }
  }

  /// The device of a pci element, if any; for a bridge that is not a switch, the devices below it.
  std::vector<HardwareDevice> devices_of(const pugi::xml_node& pci, int depth) {
    const std::string address = lower_case(pci.attribute("busid").value());
    if (address.empty()) {
      refuse(pci, "pci without busid (expected dddd:bb:dd.f)");
    }
    if (!addresses_.insert(address).second) {
      refuse(pci, fmt::format("pci {} is repeated (expected each busid once)", address));
    }
    if (depth == deepest) {
      refuse(pci, fmt::format("more than {} levels of pci (expected a PCIe tree)", deepest));
    }
    const std::string_view device_class = pci.attribute("class").value();
    if (!pci.child("gpu").empty() || detail::has_class_of_gpu(pci)) {
      return {gpu(pci, address)};
    }
    if (!pci.child("nic").empty() || device_class.starts_with("0x02")) {
      HardwareDevice nic = device(VertexKind::nic, pci, address);
      nic.infiniband = device_class.starts_with("0x0207");
      nic.port_class = detail::adapter_class(pci.attribute("vendor").as_uint(),
                                             pci.attribute("device").as_uint());
      nic.rdma = !nic.port_class.empty();
      detail::read_ports(pci.child("nic"), nic, host_.remarks);
      return {std::move(nic)};
    }
    if (!pci.child("pci") && device_class.empty()) {
      without_class_.push_back(pci);
    }
    return bridge(pci, address, depth);
  }

  static HardwareDevice device(VertexKind kind, const pugi::xml_node& pci,
                               const std::string& address) {
    return {kind, address, "", "",
            detail::link_rate(pci.attribute("link_speed").value(),
                              pci.attribute("link_width").as_int())};
  }

  HardwareDevice gpu(const pugi::xml_node& pci, const std::string& address) {
    HardwareDevice made = device(VertexKind::gpu, pci, address);
    const pugi::xml_node element = pci.child("gpu");
    if (!element.next_sibling("gpu").empty()) {
      remark(fmt::format("pci {}: its gpu elements, ranks that share one, count as one", address));
    }
    const auto product =
        detail::product_of(element.attribute("gcn").value(), element.attribute("sm").as_int());
    expect_like_named(pci, product);
    made.model = hints_.gpu.empty() ? std::string{product} : hints_.gpu;
    read_c2c(element.child("c2c"), made);
    has_gpu_elements_ = has_gpu_elements_ || !element.empty();
    is_amd_ = is_amd_ || !element.attribute("gcn").empty() || detail::is_of_amd(pci);
    read_nvlinks(element, made);
    model_ = made.model;
    return made;
  }

  /// Chips of one sm, such as H100 and H200, have the same links.
  void expect_like_named(const pugi::xml_node& pci, std::string_view product) const {
    const GpuModel* const named = find_gpu_model(hints_.gpu);
    const GpuModel* const found = find_gpu_model(product);
    if (named == nullptr || found == nullptr) return;
    // An architecture of AMD's has products with xGMI links of several rates.
    const bool are_amd = found->nvlink_class.starts_with("xgmi");
    const bool have_nvlinks = !named->nvlink_class.empty() && !found->nvlink_class.empty();
    const bool differ = are_amd ? !named->nvlink_class.starts_with("xgmi")
                                : have_nvlinks && named->nvlink_class != found->nvlink_class;
    if (named->pcie_class != found->pcie_class || differ) {
      refuse(pci, fmt::format("pci {}: a GPU as the {}, not as the {} (expected another --gpu)",
                              pci.attribute("busid").value(), product, hints_.gpu));
    }
  }

  /// A switch, or the device below a bridge with only one: such a bridge is a port.
  std::vector<HardwareDevice> bridge(const pugi::xml_node& pci, const std::string& address,
                                     int depth) {
    HardwareDevice made = device(VertexKind::pcie_switch, pci, address);
    for (const pugi::xml_node child : pci.children("pci")) {
      std::vector<HardwareDevice> below = devices_of(child, depth + 1);
      const bool is_same_switch = below.size() == 1 &&
                                  below.front().kind == VertexKind::pcie_switch &&
                                  is_broadcom(pci) && is_broadcom(child);
      std::vector<HardwareDevice>& added = is_same_switch ? below.front().devices : below;
      std::ranges::move(added, std::back_inserter(made.devices));
    }
    if (made.devices.size() == 1) {
      HardwareDevice& only = made.devices.front();
      only.link = narrower(only.link, made.link);
    }
    if (made.devices.size() < 2) {
      return std::move(made.devices);
    }
    raise_link(made);
    return {std::move(made)};
  }

  [[nodiscard]] static bool is_broadcom(const pugi::xml_node& pci) {
    const std::string_view device = pci.attribute("device").value();
    return std::string_view{pci.attribute("vendor").value()} == "0x1000" &&
           (device == "0xc010" || device == "0xc030");
  }

  /// Devices train to the switch's speed, so a slower uplink is idle or a virtual port.
  void raise_link(HardwareDevice& above) {
    BytesPerSecond fastest{0};
    for (const HardwareDevice& below : above.devices) {
      fastest = std::max(fastest, below.link);
    }
    if (above.link > BytesPerSecond{0} && above.link < 0.5 * fastest) {
      if (raised_.empty()) {
        raised_ = fmt::format("{}: its link runs at {}, its devices' at {}", above.address,
                              to_text(above.link), to_text(fastest));
      }
      ++raised_switches_;
      above.link = fastest;
    }
  }

  void check_gpus(const pugi::xml_node& first) {
    if (count_of(VertexKind::gpu, host_) == 0) {
      refuse(first, "no GPU (expected a pci of class 0x03..., or 0x12... of AMD)");
    }
    for (const pugi::xml_node& pci : without_class_) {
      remark(fmt::format("pci {}: left out, it has no class", pci.attribute("busid").value()));
    }
    const GpuModel* const model = find_gpu_model(model_);
    const bool is_amd = is_amd_ || (model != nullptr && model->is_amd());
    const bool may_have_nvlinks = model == nullptr || has_nvlinks_in_servers(model_);
    if (nvlinks_.empty() && !is_amd && may_have_nvlinks) {
      assume_nvlinks(
          model_, fmt::format("the GPUs have no {} elements", has_gpu_elements_ ? "nvlink" : "gpu"),
          host_);
    }
    if (raised_switches_ > 0) {
      remark(fmt::format("switch {}, which is taken for both ({} such switches)", raised_,
                         raised_switches_));
    }
  }

  /// NVLink-C2C connects a GPU to its processor; their PCIe link then carries no data.
  static void read_c2c(const pugi::xml_node& c2c, HardwareDevice& gpu) {
    const double megabytes = c2c.attribute("bw").as_double() * c2c.attribute("count").as_int();
    if (const BytesPerSecond rate{1e6 * megabytes}; rate > gpu.link) {
      gpu.link = rate;
      gpu.link_class = "nvlink-c2c";
    }
  }

  /// NVLinks, or RCCL's xgmi.
  void read_nvlinks(const pugi::xml_node& gpu, const HardwareDevice& device) {
    const GpuModel* const model = find_gpu_model(device.model);
    const bool known = model != nullptr && !model->nvlink_class.empty();
    const BytesPerSecond each = reported_rate(known ? model->nvlink_class : "nvlink-2.0");
    for (const pugi::xml_node link : gpu.children()) {
      if (const std::string_view kind = link.name(); kind != "nvlink" && kind != "xgmi") continue;
      const int count = link.attribute("count").as_int();
      if (count < 1 || count > 99) {
        refuse(link, fmt::format("{} NVLinks (expected 1 to 99)", count));
      }
      const std::string_view target_class = link.attribute("tclass").value();
      nvlinks_.push_back({device.address, lower_case(link.attribute("target").value()), count,
                          static_cast<double>(count) * each, target_class.starts_with("0x068000")});
    }
  }

  const detail::XmlFile& file_;
  const ImportHints& hints_;
  HostHardware host_;
  std::set<std::string> addresses_;
  std::vector<detail::AddressedNvlinks> nvlinks_;
  std::vector<pugi::xml_node> without_class_;
  std::string model_;   // of a GPU
  std::string raised_;  // the first switch whose link was raised
  int raised_switches_ = 0;
  bool has_gpu_elements_ = false;
  bool is_amd_ = false;
};

}  // namespace

std::vector<HostHardware> hosts_of_nccl_xml(const std::string& name, const std::string& xml,
                                            const ImportHints& hints) {
  const detail::XmlFile file{name, xml};
  pugi::xml_document document;
  detail::load_topology(file, document);
  const pugi::xml_node system = document.document_element();
  const std::vector<std::string> assumed = detail::assume_classes(system);
  std::vector<HostHardware> hosts;
  for (const std::vector<pugi::xml_node>& of_host : detail::cpus_of_hosts(system)) {
    hosts.push_back(
        XmlHost{file, std::filesystem::path{name}.stem().string(), hints}.read(of_host));
  }
  // NCCL merges only hosts of an NVLink domain.
  if (hosts.size() > 1 && std::ranges::all_of(hosts, is_tray)) {
    hosts = {rack_of(hosts)};
  }
  number_hosts(hosts);
  std::vector<std::string>& remarks = hosts.front().remarks;
  remarks.insert(remarks.begin(), assumed.begin(), assumed.end());
  return hosts;
}

}  // namespace ringcast
