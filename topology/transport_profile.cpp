#include "topology/transport_profile.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

std::string_view name_of(PathLevel level) {
  switch (level) {
    case PathLevel::nvl:
      return "NVL";
    case PathLevel::pix:
      return "PIX";
    case PathLevel::pxb:
      return "PXB";
    case PathLevel::phb:
      return "PHB";
    case PathLevel::sys:
      return "SYS";
  }
  throw ContractViolation{"a path of no level"};
}

std::string_view name_of(PathKind kind) {
  switch (kind) {
    case PathKind::nvlink:
      return "nvlink";
    case PathKind::p2p:
      return "p2p";
    case PathKind::staged:
      return "staged";
    case PathKind::host_memory:
      return "host memory";
    case PathKind::network:
      return "network";
  }
  throw ContractViolation{"a path of no kind"};
}

std::string key_of(PathKind kind) {
  std::string key{name_of(kind)};
  std::ranges::replace(key, ' ', '_');
  return key;
}

namespace {

Seconds own_or(const std::map<PathKind, Seconds>& overheads, PathKind kind, Seconds any) {
  const auto own = overheads.find(kind);
  return own == overheads.end() ? any : own->second;
}

}  // namespace

Seconds ShortMessages::overhead_of(PathKind kind) const {
  return own_or(overheads, kind, message_overhead);
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

}  // namespace ringcast
