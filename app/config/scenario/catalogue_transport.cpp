#include "app/config/scenario/catalogue_transport.hpp"

#include <algorithm>
#include <functional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "app/common/data_file.hpp"
#include "app/config/cluster/cluster_cables.hpp"
#include "app/config/cluster/link_names.hpp"
#include "app/config/cluster/staging_limits.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "app/config/yaml/spelling.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "engine/numbers/ascii.hpp"
#include "topology/cluster/part_of_cluster.hpp"
#include "topology/links/gpu_models.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view catalogue = "scenarios/transports";

fs::path catalogue_file(std::string_view name) {
  return fs::path{catalogue} / fmt::format("{}.yaml", name);
}

/// `NCCL (EFA)` as nccl-efa: the form of the catalogue's file names.
std::string as_file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool part = is_letter(c) || is_digit(c) || c == '.';
    if (part) {
      name += lower_case(c);
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

/// A transport with the tuner of a release of NCCL, and otherwise the values of `base`.
InputNode release_of_nccl(const std::string& name, std::string_view base) {
  const std::string number{std::string_view{name}.substr(name.find('-') + 1)};
  const fs::path file = find_data_file(catalogue_file(base)).replace_filename(name + ".yaml");
  return yaml_of(file.string(),
                 fmt::format("name: NCCL {}\nsource: as {}.yaml, but for the release's rules\n"
                             "base: {}.yaml\ntuner: {}\n",
                             number, base, base, name));
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && is_digit(text.front());
}

/// Removes the `v` of `v2.26.2`, and the `-1` of a package's version `2.26.2-1`.
std::string_view release_number(std::string_view text) {
  if (text.starts_with('v') && begins_with_digit(text.substr(1))) text.remove_prefix(1);
  const std::size_t dash = std::min(text.find('-'), text.size());
  const bool of_package = text.find_first_not_of("0123456789", dash + 1) == text.npos;
  return begins_with_digit(text) && of_package ? text.substr(0, dash) : text;
}

/// The file name of a transport: `NCCL` is nccl_of() the cluster, `2.26.2-1+cuda12.8` a release of
/// it.
std::string catalogue_name(std::string_view text, const ClusterSpec& cluster) {
  const std::string name = as_file_name(text.substr(0, text.find('+')));
  if (name == "nccl") return std::string{nccl_of(cluster)};
  constexpr std::string_view nccl = "nccl-";
  const bool is_named = name.starts_with(nccl);
  const std::string_view number =
      release_number(std::string_view{name}.substr(is_named ? nccl.size() : 0));
  return is_named || begins_with_digit(number) ? fmt::format("{}{}", nccl, number) : name;
}

bool mentions_roce(std::string_view text) {
  return as_file_name(text).find("roce") != std::string::npos;
}

/// Whether the name is that of RoCE, of a product with it, or of other RDMA over Ethernet.
bool is_with_rdma(std::string_view link) {
  return mentions_roce(link) ||
         Spelling{link}.has_any({"erdma", "iwarp", "pollara", "spectrum", "thor"});
}

/// Whether the name is that of a cloud's NIC without RDMA.
bool is_without_rdma(std::string_view link) {
  return Spelling{link}.has_any({"gvnic", "ena", "tcp"});
}

/// Ethernet to 10 Gb/s, whose NICs have no RDMA.
bool is_slow_ethernet(const std::string& link_class) {
  constexpr BytesPerSecond most{10e9 / 8};
  const LinkClass* const found =
      link_class.starts_with("ethernet-") ? find_link_class(link_class) : nullptr;
  return found != nullptr && found->raw <= most;
}

/// The class or vendor's name of a fabric's link as the file writes it, or under `links`; empty if
/// it has none.
std::string name_of_link(const InputNode& file) {
  const auto fabric = file.find("fabric");
  auto link = fabric ? fabric->find("link") : std::nullopt;
  const auto links = file.find("links");
  if (links && link && link->is_scalar()) {
    if (const auto named = links->find(link->text())) link = named;
  }
  if (link && link->is_map()) link = link->find("class");
  return link ? link->text() : "";
}

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".yaml") || text.ends_with(".yml");
}

/// By the links between them, or by their model.
bool has_gpus_of_vendor(const ClusterSpec& cluster, bool of_amd) {
  return has_class(link_classes_of(cluster), of_amd ? "xgmi-mi" : "nvlink-") ||
         std::ranges::any_of(cluster.node_types, [of_amd](const NodeTypeSpec& type) {
           const GpuModel* const model = find_gpu_model(type.gpu);
           return model != nullptr && model->is_amd() == of_amd;
         });
}

}  // namespace

bool plugin_allows_simple_alone(const LinkClassNames& classes) {
  const bool newer = std::ranges::any_of(
      classes, [](const auto& each) { return nvlink_generation(each).value_or(0) >= 4; });
  return has_class(classes, "tcpx-") || has_class(classes, "tcpxo-") ||
         (has_class(classes, "efa-") && !newer);
}

std::string_view nccl_of(const ClusterSpec& cluster) {
  const LinkClassNames classes = link_classes_of(cluster);
  if (has_gpus_of_vendor(cluster, true)) return "rccl";
  if (has_class(classes, "slingshot-")) return "nccl-slingshot";
  constexpr int newer = 5;
  const int pcie = generation_of_pcie(cluster).value_or(newer);
  if (has_class(classes, "efa-")) {
    if (pcie >= newer || !plugin_allows_simple_alone(classes)) return "nccl";
    return pcie < 4 ? "nccl-efa-without-rdma" : "nccl-efa";
  }
  return std::ranges::any_of(classes, is_slow_ethernet) ? "nccl-sockets" : "nccl";
}

std::string note_on_ethernet(const InputNode& file, const ClusterSpec& cluster) {
  const std::string link = name_of_link(file);
  if (default_transport_file(cluster) != catalogue_file("nccl") || is_with_rdma(link) ||
      mentions_roce(cluster.name) || !has_class(link_classes_of(cluster), "ethernet-")) {
    return "";
  }
  const LinkNames names = link_names(link);
  const bool plain = names.is_clear() && names.classes.front().starts_with("ethernet-");
  if (!plain) return "";
  return fmt::format("note: {} {}: --transport nccl-sockets{}", printable(link),
                     is_without_rdma(link) ? "is taken as RoCE, but has no RDMA; for its TCP"
                                           : "is taken as RoCE, which is RDMA; for TCP",
                     Spelling{link}.has("gvnic") ? "-google" : "");
}

std::string note_on_transport(const TransportProfile& transport, const ClusterSpec& cluster) {
  const LinkClassNames classes = link_classes_of(cluster);
  const std::string name = as_file_name(transport.name);
  const auto note = [&](std::string_view runs, std::string_view here) {
    return fmt::format("note: {}; {} (expected transport {})", runs, here, nccl_of(cluster));
  };
  const bool amd = has_gpus_of_vendor(cluster, true);
  const bool nvidia = has_gpus_of_vendor(cluster, false);
  if (transport.tuner == Tuner::rccl && nvidia && !amd) {
    return note("RCCL runs on AMD's GPUs", "this cluster's are NVIDIA's");
  }
  const bool is_nccl = transport.tuner == Tuner::nccl || name.starts_with("nccl");
  if (is_nccl && amd && !nvidia) {
    return note("NCCL runs on NVIDIA's GPUs", "this cluster's are AMD's");
  }
  const auto network = std::ranges::find_if(classes, [](const std::string& each) {
    const LinkClass* const found = find_link_class(each);
    return found != nullptr && found->is_network;
  });
  for (const auto& [own, library, classes_of_own] :
       {std::tuple{"nccl-efa", "EFA", "efa-"}, std::tuple{"nccl-efa-without-rdma", "EFA", "efa-"},
        std::tuple{"nccl-slingshot", "Slingshot", "slingshot-"}}) {
    if (name == own && network != classes.end() && !has_class(classes, classes_of_own)) {
      return note(fmt::format("{} is NCCL over {}", own, library),
                  fmt::format("this cluster's network is {}", *network));
    }
  }
  return "";
}

fs::path default_transport_file(const ClusterSpec& cluster) {
  const bool on_cpus = std::ranges::any_of(cluster.node_types, [](const NodeTypeSpec& type) {
    return std::ranges::any_of(type.sockets,
                               [](const SocketSpec& socket) { return socket.processes > 0; });
  });
  if (!on_cpus) return catalogue_file(nccl_of(cluster));
  const std::vector<int> nodes = nodes_of_ranks(cluster);
  const bool one_host = std::ranges::adjacent_find(nodes, std::not_equal_to{}) == nodes.end();
  return catalogue_file(one_host ? "shared-memory" : "mpi-host");
}

InputNode named_transport(const InputNode& node, const fs::path& folder,
                          const ClusterSpec& cluster) {
  if (!node.is_scalar()) return resolved(node, folder);
  const std::string text = node.text("a transport file, or a name of the catalogue, e.g. nccl");
  std::error_code failure;
  if (is_file_name(text) || fs::is_regular_file(folder / text, failure)) {
    return resolved(node, folder);
  }
  const std::vector<std::string> files = catalogue_names();
  const std::string name = catalogue_name(text, cluster);
  if (std::ranges::find(files, name) != files.end()) {
    return read_yaml(catalogue_file(name));
  }
  if (nccl_version_named(name)) {
    const std::string_view base = nccl_of(cluster);
    if (base == "rccl") {
      node.fail(fmt::format("{} on GPUs of AMD, for which NCCL is RCCL", in_quotes(text)), "rccl");
    }
    return release_of_nccl(name, base);
  }
  const std::vector<std::string_view> names{files.begin(), files.end()};
  const std::string releases =
      fmt::format("a release from {} to {}", name_of(oldest_nccl), name_of(newest_nccl));
  if (name.starts_with("nccl-") && begins_with_digit(name.substr(5))) {
    node.fail(fmt::format("unknown release {}", in_quotes(text)),
              releases + "; nccl is the newest that is known");
  }
  node.fail(fmt::format("unknown transport {}{}", in_quotes(text), suggestion(name, names)),
            fmt::format("a YAML file, {}, or {}", releases, listed(names, "or")));
}

InputNode transport_option(std::string_view text, const ClusterSpec& cluster) {
  return named_transport(InputNode::from_option("--transport", text), {}, cluster);
}

}  // namespace ringcast
