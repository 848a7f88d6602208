#pragma once

#include <optional>

#include "app/config/cluster/link_names.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/config/yaml/spelling.hpp"
#include "topology/links/gpu_models.hpp"

namespace ringcast {

/// The model that a text names. Throws ScenarioError for an unknown one; `otherwise`: the remedy
/// for GPUs of another model.
[[nodiscard]] const GpuModel& gpu_model_named(const InputNode& text, std::string_view otherwise);

}  // namespace ringcast

namespace ringcast::detail {

/// The classes of the links of the GPU of this name; nothing for other names. `text`: the name as
/// the user wrote it.
[[nodiscard]] std::optional<LinkNames> gpu_named(const Spelling& name, std::string_view text);
/// The classes of the networks that a NIC of this name may be connected to.
[[nodiscard]] std::optional<LinkNames> nic_named(const Spelling& name);
/// The PCIe classes of a tunnel or an external cable of this name, `OCuLink`.
[[nodiscard]] std::optional<LinkNames> tunnel_named(const Spelling& name);

}  // namespace ringcast::detail
