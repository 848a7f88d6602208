#include "topology/transfers/tcp_threads.hpp"

namespace ringcast {

Cluster with_tcp_threads(Cluster cluster, const TransportProfile& profile) {
  for (Vertex& vertex : cluster.vertices) {
    if (is_rank(vertex.kind)) vertex.tcp_thread = profile.socket_copy_rate;
  }
  return cluster;
}

}  // namespace ringcast
