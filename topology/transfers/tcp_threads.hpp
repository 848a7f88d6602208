#pragma once

#include "topology/cluster/cluster.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The cluster with the limits of the threads that serve the ranks' sockets, if the profile has
/// sockets. NCCL's progress thread of a rank moves the data of all its connections, of all channels
/// and both ways (ncclProxyProgress in src/proxy.cc, ncclNetSocketTest in
/// src/transport/net_socket.cc); on AWS and Google helper threads copy, no faster as measured. The
/// kernel's buffers are between the thread and the wire, so that both work at once: two bare hosts
/// fill 10 Gb/s (published/2x1-tcp10.yaml).
[[nodiscard]] Cluster with_tcp_threads(Cluster cluster, const TransportProfile& profile);

}  // namespace ringcast
