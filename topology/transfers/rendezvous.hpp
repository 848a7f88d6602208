#pragma once

#include <optional>
#include <span>

#include "topology/links/link_class.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// Messages with more than `above` bytes on the cables begin with a handshake.
struct Rendezvous {
  Bytes above;
  Seconds handshake{0};
  friend bool operator==(const Rendezvous&, const Rendezvous&) = default;
};

/// The rendezvous of the transport, else that of the network on a path (LinkClass::eager_limit);
/// absent: all messages are eager.
[[nodiscard]] std::optional<Rendezvous> rendezvous_on(std::span<const LinkClass* const> network,
                                                      const TransportProfile& profile);

}  // namespace ringcast
