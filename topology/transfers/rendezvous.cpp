#include "topology/transfers/rendezvous.hpp"

#include "topology/links/measured_constants.hpp"

namespace ringcast {

std::optional<Rendezvous> rendezvous_on(std::span<const LinkClass* const> network,
                                        const TransportProfile& profile) {
  if (profile.eager_limit) {
    return Rendezvous{*profile.eager_limit, profile.rendezvous_handshake};
  }
  for (const LinkClass* const own : network) {
    if (own->eager_limit) {
      return Rendezvous{*own->eager_limit,
                        Seconds{measured_constant(cxi_rendezvous, profile.left_out) * 1e-6}};
    }
  }
  return std::nullopt;
}

}  // namespace ringcast
