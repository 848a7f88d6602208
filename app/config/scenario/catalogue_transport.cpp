#include "app/config/scenario/catalogue_transport.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include <fmt/format.h>

#include "app/common/data_file.hpp"
#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "app/config/yaml/yaml_reader.hpp"

namespace ringcast {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view catalogue = "scenarios/transports";

/// `NCCL (EFA)` as nccl-efa: the form of the catalogue's file names.
std::string as_file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (part) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.ends_with('-')) name.pop_back();
  return name;
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator{find_data_file(catalogue), failure}) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

}  // namespace

std::string_view nccl_of(const ClusterSpec& cluster) {
  ClusterSpec copy = cluster;
  const std::vector<CableSpec*> cables = cables_of(copy);
  const auto has = [&](std::string_view prefix) {
    return std::ranges::any_of(
        cables, [prefix](const CableSpec* cable) { return cable->base_class.starts_with(prefix); });
  };
  if (has("xgmi-mi")) return "rccl";
  if (has("slingshot-")) return "nccl-slingshot";
  constexpr int newer = 5;
  const bool old_host = generation_of_pcie(cluster).value_or(newer) < newer;
  const bool old_gpus = !has("nvlink-4") && !has("nvlink-5");
  if (has("efa-")) return old_host && old_gpus ? "nccl-efa" : "nccl";
  const bool slow = has("ethernet-10g") || has("ethernet-1g");
  return slow ? "nccl-sockets" : "nccl";
}

InputNode named_transport(const InputNode& node, const fs::path& folder,
                          const ClusterSpec& cluster) {
  if (!node.is_scalar()) return resolved(node, folder);
  const std::string text = node.text("a transport file, or a name of the catalogue, e.g. nccl");
  std::error_code failure;
  if (is_file_name(text) || fs::exists(folder / text, failure)) return resolved(node, folder);
  const std::vector<std::string> files = catalogue_names();
  std::string name = as_file_name(text);
  if (name == "nccl") name = nccl_of(cluster);
  if (std::ranges::find(files, name) != files.end()) {
    return read_yaml(fs::path{catalogue} / (name + ".yaml"));
  }
  const std::vector<std::string_view> names{files.begin(), files.end()};
  node.fail(fmt::format("unknown transport {}{}", in_quotes(text), suggestion(name, names)),
            fmt::format("a YAML file, or {}", listed(names, "or")));
}

}  // namespace ringcast
