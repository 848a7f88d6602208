// From the matrix of `nvidia-smi topo -m` to a PCIe tree. Relations nest: devices that are PIX to
// each other are on one switch; switches whose devices are PXB to each other are below another
// switch; PHB joins a root complex, NODE a socket. So each level is a partition of the devices,
// which the next level makes coarser:
//
//     PIX {0 1} {2 3} {4} ...   PXB {0 1 2 3} {4} ...   PHB {0 1 2 3 4} ...   NODE = socket
//
// NVLink hides the relation of two GPUs. Their sockets follow from their affinities; a GPU without
// known relations is assumed to be on its own root complex, which is not a limit.
#include "topology/import/nvidia_smi_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include <fmt/ranges.h>

#include "engine/numbers/error.hpp"
#include "topology/import/device_partitions.hpp"
#include "topology/import/smi_nvlinks.hpp"
#include "topology/import/topo_matrix.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {

namespace {

using detail::DevicePartitions;
using detail::DeviceRelation;
using detail::Group;
using detail::Level;
using detail::TopoMatrix;
using Kind = DeviceRelation::Kind;

class SmiHost {
 public:
  SmiHost(const std::string& name, TopoMatrix matrix, const ImportHints& hints)
      : name_{name}, matrix_{std::move(matrix)}, parts_{matrix_} {
    host_.host = std::filesystem::path{name}.stem().string();
    host_.tool = "nvidia-smi";
    host_.source = "nvidia-smi topo -m";
    host_.remarks = matrix_.remarks;
    find_model(hints);
    const std::vector<std::string> doubts = parts_.doubts(matrix_);
    host_.remarks.insert(host_.remarks.end(), doubts.begin(), doubts.end());
  }

  HostHardware build() {
    for (const Group& socket : sockets()) {
      HardwareSocket& made = host_.sockets.emplace_back();
      for (const Group& root : parts_.parts(Level::phb, socket)) {
        made.root_complexes.push_back({trees(root)});
      }
    }
    number_gpus();
    if (detail::largest_bundle(matrix_) > 0) {
      detail::add_nvlinks(name_, matrix_, *model_, number_, host_);
    }
    return std::move(host_);
  }

 private:
  [[nodiscard]] bool is_gpu(std::size_t device) const { return matrix_.devices[device].is_gpu; }
  [[nodiscard]] const std::string& label(std::size_t device) const {
    return matrix_.devices[device].label;
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw ScenarioError{fmt::format("{}: {}", name_, problem)};
  }
  void remark(std::string text) { host_.remarks.push_back(std::move(text)); }

  void find_model(const ImportHints& hints) {
    const int links = detail::largest_bundle(matrix_);
    if (!hints.gpu.empty()) {
      model_ = find_gpu_model(hints.gpu);
      expect(model_ != nullptr, "no GPU model {}", hints.gpu);
      model_name_ = hints.gpu;
      remark(std::string{links_as_of_gpus});
    } else if (links > 0) {
      model_ = &gpu_with_bundles_of(links, detail::most_nvlinks(matrix_));
      model_name_ = model_->product;
      remark(
          fmt::format("the GPUs are taken to be {}, with PCIe links of class {}, as there are "
                      "bundles of {} NVLinks (--gpu names others)",
                      model_->product, model_->pcie_class, links));
    }
    if (model_ == nullptr) {
      remark("the matrix has no link speeds: --gpu names the model of the GPUs");
    }
    if (model_ != nullptr && links > model_->nvlinks) {
      refuse(fmt::format("NV{}, but the {} has {} NVLinks (expected another --gpu)", links,
                         model_->product, model_->nvlinks));
    }
    if (!hints.gpu.empty()) remark_on_fewer_nvlinks(links);
  }

  /// Several bundles with all links of a GPU indicate NVSwitches.
  void remark_on_fewer_nvlinks(int largest) {
    const int in_all = detail::most_nvlinks(matrix_);
    const int own = in_all > model_->nvlinks ? largest : in_all;
    const bool alone = std::ranges::count(matrix_.devices, true, &TopoMatrix::Device::is_gpu) < 2;
    if (own == model_->nvlinks || alone) return;
    if (own == 0 && has_nvlinks_in_servers(model_name_)) {
      remark(fmt::format(
          "the matrix has no NVLinks, the {} has {}: none are taken, as of PCIe cards, or where "
          "NVIDIA's fabric manager does not run",
          model_->product, model_->nvlinks));
    } else if (own > 0) {
      remark(
          fmt::format("the matrix has {} NVLinks of each GPU, the {} has {}: {} are taken, as "
                      "cards with a bridge have (another --gpu otherwise)",
                      own, model_->product, model_->nvlinks, own));
    }
  }

  /// The devices of each socket. NICs that are SYS to all GPUs are omitted if there are
  /// nearer ones, since NCCL would not use them.
  std::vector<Group> sockets() {
    Group all(matrix_.devices.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<Group> with_gpus;
    Group far;
    for (Group& part : parts_.parts(Level::node, all)) {
      const bool has_gpu = std::ranges::any_of(part, [this](std::size_t d) { return is_gpu(d); });
      if (has_gpu) {
        with_gpus.push_back(std::move(part));
      } else {
        far.insert(far.end(), part.begin(), part.end());
      }
    }
    if (far.empty()) {
      return with_gpus;
    }
    const bool has_near = std::ranges::any_of(with_gpus, [this](const Group& part) {
      return std::ranges::any_of(part, [this](std::size_t d) { return !is_gpu(d); });
    });
    if (has_near) {
      for (const std::size_t nic : far) {
        remark(fmt::format("NIC {}: left out, it is SYS to all GPUs and others are nearer",
                           label(nic)));
      }
    } else if (with_gpus.size() == 1) {
      with_gpus.push_back(far);
      remark("NICs are SYS to all GPUs: taken to be in a socket without GPUs");
    } else {
      with_gpus.front().insert(with_gpus.front().end(), far.begin(), far.end());
      remark("NICs are SYS to all GPUs: taken to be in the first socket");
    }
    return with_gpus;
  }

  /// The devices below a root complex.
  std::vector<HardwareDevice> trees(const Group& root) {
    std::vector<HardwareDevice> devices;
    for (const Group& tree : parts_.parts(Level::pxb, root)) {
      const std::vector<Group> switches = parts_.parts(Level::pix, tree);
      if (switches.size() == 1) {
        for (HardwareDevice& device : below_switch(tree, tree.size() > 1)) {
          devices.push_back(std::move(device));
        }
        continue;
      }
      HardwareDevice& top = devices.emplace_back(pcie_switch());
      for (const Group& group : switches) {
        for (HardwareDevice& device : below_switch(group, true)) {
          top.devices.push_back(std::move(device));
        }
      }
    }
    return devices;
  }

  /// Devices that are PIX to each other: on a switch, or the ports of one NIC.
  std::vector<HardwareDevice> below_switch(const Group& group, bool has_switch) {
    const bool has_gpu = std::ranges::any_of(group, [this](std::size_t d) { return is_gpu(d); });
    std::vector<HardwareDevice> devices;
    if (!has_gpu && group.size() == 2) {
      devices.push_back(device(group.front()));
      devices.front().ports = 2;
      add_port_name(device(group.back()).name, devices.front());
      remark(fmt::format("{} and {} are taken to be two ports of one NIC", label(group[0]),
                         label(group[1])));
      return devices;
    }
    for (const std::size_t column : group) {
      devices.push_back(device(column));
    }
    if (has_switch) {
      HardwareDevice above = pcie_switch();
      above.devices = std::move(devices);
      return {std::move(above)};
    }
    return devices;
  }

  [[nodiscard]] BytesPerSecond pcie_rate() const {
    return model_ == nullptr ? BytesPerSecond{0} : reported_rate(model_->pcie_class);
  }

  [[nodiscard]] HardwareDevice pcie_switch() const {
    return {VertexKind::pcie_switch, "", "", "", pcie_rate()};
  }

  [[nodiscard]] HardwareDevice device(std::size_t column) const {
    const TopoMatrix::Device& from = matrix_.devices[column];
    HardwareDevice made{from.is_gpu ? VertexKind::gpu : VertexKind::nic, from.label,
                        from.name == from.label ? "" : from.name, from.is_gpu ? model_name_ : "",
                        pcie_rate()};
    if (!from.is_gpu) {
      // RDMA devices of Ethernet are named roce...; those of NVIDIA (mlx5_...) are usually
      // InfiniBand, except mlx5_bond_0: only Ethernet ports are bonded to one device.
      const bool bonded = from.name.find("bond") != std::string::npos;
      made.infiniband = (from.name.starts_with("mlx") && !bonded) || from.name.starts_with("ib");
      made.rdma = true;
      made.ports = 1;
    }
    return made;
  }

  /// Clusters number GPUs depth first.
  void number_gpus() {
    number_ = gpu_numbers(host_);
    std::vector<std::string> order(number_.size());
    bool same = true;
    for (const auto& [label, number] : number_) {
      order[static_cast<std::size_t>(number)] = label;
      same = same && label == fmt::format("GPU{}", number);
    }
    if (!same) {
      remark(fmt::format("ranks follow the PCIe tree: {}", fmt::join(order, " ")));
    }
  }

  const std::string& name_;
  TopoMatrix matrix_;
  DevicePartitions parts_;
  const GpuModel* model_ = nullptr;
  std::string model_name_;
  std::map<std::string, int> number_;  // of each GPU in the tree, by address
  HostHardware host_;
};

}  // namespace

HostHardware host_of_nvidia_smi(const std::string& name, std::span<const std::string> lines,
                                const ImportHints& hints) {
  HostHardware host = SmiHost{name, detail::read_topo_matrix(name, lines), hints}.build();
  apply_hints(hints, host);
  choose_nics(host);
  return host;
}

}  // namespace ringcast
