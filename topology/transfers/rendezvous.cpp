#include "topology/transfers/rendezvous.hpp"

#include "topology/links/link_class.hpp"
#include "topology/links/measured_constants.hpp"

namespace ringcast {

std::optional<Rendezvous> rendezvous_on(const Topology& topology, std::span<const LinkId> links,
                                        const TransportProfile& profile) {
  if (profile.eager_limit) {
    return Rendezvous{*profile.eager_limit, profile.rendezvous_handshake};
  }
  for (const LinkId link : links) {
    const Cable& cable = topology.cluster().cables[index_of(link) / 2];
    const LinkClass* const own = find_link_class(cable.base_class);
    if (own != nullptr && own->eager_limit) {
      return Rendezvous{*own->eager_limit,
                        Seconds{measured_constant(cxi_rendezvous, profile.left_out) * 1e-6}};
    }
  }
  return std::nullopt;
}

}  // namespace ringcast
