#include "topology/import/hwloc_nvlinks.hpp"

#include <map>
#include <string>

#include <hwloc.h>

#include "topology/import/import_hints.hpp"
#include "topology/import/pci_tree.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast::detail {
namespace {

/// One of hwloc's matrices; absent if the topology has none of this name.
class Matrix {
 public:
  Matrix(hwloc_topology_t topology, const char* name) : topology_{topology} {
    unsigned count = 1;
    if (hwloc_distances_get_by_name(topology, name, &count, &values_, 0) != 0 || count == 0) {
      values_ = nullptr;
    }
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() {
    if (values_ != nullptr) hwloc_distances_release(topology_, values_);
  }
  /// Calls visit(a, b, value) for each two objects, in both orders.
  template <typename Visit>
  void for_each_pair(const Visit& visit) const {
    const unsigned size = values_ == nullptr ? 0 : values_->nbobjs;
    for (unsigned a = 0; a < size; ++a) {
      for (unsigned b = 0; b < size; ++b) {
        if (a != b) visit(values_->objs[a], values_->objs[b], values_->values[a * size + b]);
      }
    }
  }

 private:
  hwloc_topology_t topology_;
  hwloc_distances_s* values_ = nullptr;
};

class GpuLinks {
 public:
  GpuLinks(hwloc_topology_t topology, const std::string& gpu, HostHardware& host)
      : topology_{topology}, gpu_{gpu}, host_{host}, gpus_{gpu_numbers(host)} {}

  void add() {
    NvlinkRates rates;
    add_nvlinks_of_nvidia(rates);
    add_xgmi(rates);
    ringcast::add_nvlinks(rates, host_);
  }

 private:
  void add_nvlinks_of_nvidia(NvlinkRates& rates) {
    bool to_processors = false;
    const auto add = [&](hwloc_obj_t from, hwloc_obj_t to, hwloc_uint64_t megabytes) {
      constexpr hwloc_uint64_t fastest = 10'000'000;  // MB/s, one way; no links have as much
      const int gpu = gpu_number(from);
      const int other = gpu_number(to);
      if (gpu < 0 || megabytes == 0 || megabytes >= fastest) return;
      const BytesPerSecond rate{static_cast<double>(megabytes) * 1e6};
      if (other > gpu) {
        rates.between[{gpu, other}] = rate;
      } else if (other < 0 && to->type == HWLOC_OBJ_PCI_DEVICE) {
        rates.to_switches[gpu] = rates.to_switches[gpu] + rate;
      } else if (other < 0) {
        to_processors = true;
      }
    };
    Matrix{topology_, "NVLinkBandwidth"}.for_each_pair(add);
    if (to_processors) {
      host_.remarks.emplace_back(
          "NVLinks between GPUs and processors are left out: PCIe is taken to join them");
    }
  }

  /// hwloc's matrix of AMD's GPUs says only which are joined: its rates are all 100 GB/s.
  void add_xgmi(NvlinkRates& rates) {
    bool any_unknown = false;
    bool any = false;
    const auto add = [&](hwloc_obj_t from, hwloc_obj_t to, hwloc_uint64_t megabytes) {
      const int gpu = gpu_number(from);
      const int other = gpu_number(to);
      if (gpu < 0 || other <= gpu || megabytes == 0) return;
      const GpuModel* const model = find_gpu_model(model_of(gpu));
      if (model == nullptr || !model->nvlink_class.starts_with("xgmi")) {
        any_unknown = true;
      } else {
        rates.between[{gpu, other}] = reported_rate(model->nvlink_class);
        any = true;
      }
    };
    Matrix{topology_, "XGMIBandwidth"}.for_each_pair(add);
    if (any) {
      host_.remarks.emplace_back(
          "hwloc does not say how many xGMI links join two GPUs; one is taken");
    }
    if (any_unknown) {
      host_.remarks.emplace_back(
          "xGMI links are left out: their rate is unknown (--gpu names the model)");
    }
  }

  /// The model of a GPU by its number.
  [[nodiscard]] std::string model_of(int gpu) const {
    std::string model = gpu_;
    for_each_device_of(host_, [&](const HardwareDevice& device) {
      const auto found = gpus_.find(device.address);
      if (model.empty() && found != gpus_.end() && found->second == gpu) model = device.model;
    });
    return model;
  }

  /// The number of a GPU, given as a PCI device or an NVML device; -1 for other objects.
  [[nodiscard]] int gpu_number(hwloc_obj_t object) const {
    while (object != nullptr && object->type == HWLOC_OBJ_OS_DEVICE) {
      object = object->parent;
    }
    if (object == nullptr || object->type != HWLOC_OBJ_PCI_DEVICE) {
      return -1;
    }
    const auto found = gpus_.find(address_of(*object));
    return found == gpus_.end() ? -1 : found->second;
  }

  hwloc_topology_t topology_;
  const std::string& gpu_;
  HostHardware& host_;
  std::map<std::string, int> gpus_;
};

}  // namespace

void add_links_between_gpus(hwloc_topology* topology, const std::string& gpu, HostHardware& host) {
  GpuLinks{topology, gpu, host}.add();
}

}  // namespace ringcast::detail
