#pragma once

#include <map>
#include <string>

#include "topology/import/host_hardware.hpp"
#include "topology/import/topo_matrix.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast::detail {

/// The largest number of NVLinks between two GPUs; zero without NVLinks.
[[nodiscard]] int largest_bundle(const TopoMatrix& matrix);
/// The largest number of NVLinks of one GPU to all others.
[[nodiscard]] int most_nvlinks(const TopoMatrix& matrix);

/// Adds the NVLinks of a matrix to a host whose GPUs have these numbers by their labels. The matrix
/// does not show NVSwitches: they are assumed if a GPU shows more links than its model has. Throws
/// ScenarioError "NAME: PROBLEM (expected ...)" if the matrix fits neither direct links nor
/// NVSwitches.
void add_nvlinks(const std::string& name, const TopoMatrix& matrix, const GpuModel& model,
                 const std::map<std::string, int>& numbers, HostHardware& host);

}  // namespace ringcast::detail
