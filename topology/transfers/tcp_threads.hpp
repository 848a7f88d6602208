#pragma once

#include "topology/cluster/cluster.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The cluster with the limits of the threads that serve the ranks' sockets (SocketThread), if the
/// profile has sockets. NCCL's progress thread of a rank moves the data of all its connections, of
/// all channels and both ways (ncclProxyProgress in src/proxy.cc, ncclNetSocketTest in
/// src/transport/net_socket.cc); on AWS and Google helper threads copy, no faster as measured. The
/// wire of w B/s is idle while a thread of c B/s copies: 1/(1/w + 1/c) one way. Where a thread
/// sends as much as it receives, each byte waits for two copies: 2/(1/w + 2/c) both ways together.
[[nodiscard]] Cluster with_tcp_threads(Cluster cluster, const TransportProfile& profile);

}  // namespace ringcast
