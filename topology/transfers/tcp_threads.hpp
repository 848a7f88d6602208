#pragma once

#include "topology/cluster/cluster.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The cluster with the limits of the threads that serve the ranks' sockets, if the profile has
/// sockets. In NCCL, a rank's progress thread copies the data of all its connections, for all
/// channels and in both directions (ncclProxyProgress in src/proxy.cc, ncclNetSocketTest in
/// src/transport/net_socket.cc). On AWS and Google helper threads copy, which measurements show to
/// be no faster. The kernel's buffers decouple the thread from the wire, so both work at once: two
/// bare hosts saturate 10 Gb/s (published/2x1-tcp10.yaml).
[[nodiscard]] Cluster with_tcp_threads(Cluster cluster, const TransportProfile& profile);

}  // namespace ringcast
