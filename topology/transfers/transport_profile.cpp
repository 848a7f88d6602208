#include "topology/transfers/transport_profile.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

constexpr EnumNames<6> level_names{"NVL", "PIX", "PXB", "PXN", "PHB", "SYS"};
constexpr EnumNames<5> path_kind_names{"nvlink", "p2p", "staged", "host memory", "network"};

}  // namespace

std::string_view name_of(PathLevel level) {
  return name_in(level_names, level);
}

std::optional<PathLevel> path_level_named(std::string_view name) {
  return enum_named<PathLevel>(level_names, name);
}

std::string_view name_of(PathKind kind) {
  return name_in(path_kind_names, kind);
}

std::string key_of(PathKind kind) {
  std::string key{name_of(kind)};
  std::ranges::replace(key, ' ', '_');
  return key;
}

std::string name_of(NcclVersion version) {
  return fmt::format("nccl-{}.{}", version.major, version.minor);
}

std::optional<NcclVersion> nccl_version_named(std::string_view name) {
  for (int minor = oldest_nccl.minor; minor <= newest_nccl.minor; ++minor) {
    const NcclVersion version{newest_nccl.major, minor};
    const std::string release = name_of(version);
    if (!name.starts_with(release)) continue;
    const std::string_view rest = name.substr(release.size());
    const bool patch =
        rest.size() > 1 && rest.front() == '.' &&
        std::ranges::all_of(rest.substr(1), [](char c) { return '0' <= c && c <= '9'; });
    if (rest.empty() || patch) return version;
  }
  return std::nullopt;
}

namespace {

template <typename Value>
Value own_or(const std::map<PathKind, Value>& values, PathKind kind, Value any) {
  const auto own = values.find(kind);
  return own == values.end() ? any : own->second;
}

}  // namespace

Seconds Protocol::latency_of(PathKind kind) const {
  return own_or(latencies, kind, Seconds{0});
}

double Protocol::efficiency_of(PathKind kind) const {
  return own_or(efficiencies, kind, efficiency);
}

int TransportProfile::copies(CopyDirection direction) const {
  if (buffers != BufferPlace::host_copies) {
    return 0;
  }
  switch (direction) {
    case CopyDirection::to_host:
      return copies_to_host;
    case CopyDirection::on_host:
      return copies_on_host;
    case CopyDirection::to_device:
      return copies_to_device;
  }
  throw ContractViolation{"a copy in no direction"};
}

BytesPerSecond TransportProfile::on_host_rate() const {
  return BytesPerSecond{host_copies * host_copy_rate.value()};
}

Seconds TransportProfile::overhead_of(PathKind kind) const {
  return own_or(overheads, kind, message_overhead);
}

bool TransportProfile::has_protocols_of(std::string_view algorithm) const {
  return std::ranges::find(protocols, algorithm, &Protocol::algorithm) != protocols.end();
}

TransportProfile TransportProfile::of_algorithm(std::string_view algorithm) const {
  TransportProfile own = *this;
  const std::string_view kept = has_protocols_of(algorithm) ? algorithm : "ring";
  std::erase_if(own.protocols, [&](const Protocol& each) { return each.algorithm != kept; });
  if (own.protocols.size() == 1) own.call_overhead = own.protocols.front().call_overhead;
  return own;
}

}  // namespace ringcast
