#pragma once

#include <algorithm>

#include <fmt/format.h>

#include "app/calibrate/calibration.hpp"
#include "sim/simgrid/sim_transport.hpp"
#include "tests/sim/forked.hpp"

namespace ringcast::testing {

/// Simulated time does not scatter: once is enough.
inline CalibrationEffort small_effort() {
  CalibrationEffort effort = quick_effort();
  effort.each = {Seconds{0}, 1, 1};
  effort.most_large = Bytes{4U << 20U};
  effort.most_sweep = Bytes{8U << 20U};
  return effort;
}

/// The measurements of the ranks of a simulated cluster.
inline Calibration simulated_calibration(const Cluster& cluster, const TransportProfile& transport,
                                         const CalibrationEffort& effort) {
  return calibration_from_json(run_forked([&] {
    const Topology topology{cluster};
    SimOptions options;
    options.with_data = true;
    SimTransport simulated{topology, topology.ranks(), transport, Reduction{}, options};
    Calibration calibration;
    int nodes = 0;
    for (int rank = 0; rank < topology.ranks(); ++rank) {
      const auto place = static_cast<std::size_t>(topology.vertex_of(Rank{rank}));
      calibration.node_of.push_back(topology.cluster().vertices[place].node);
      nodes = std::max(nodes, calibration.node_of.back() + 1);
    }
    for (int node = 0; node < nodes; ++node) {
      calibration.hosts.push_back(fmt::format("h{}", node));
    }
    simulated.run([&](RankContext& self) {
      auto samples = measure_machine(self, calibration.node_of, effort);
      if (self.network.rank() == Rank{0}) calibration.samples = std::move(samples);
    });
    return to_json(calibration);
  }));
}

}  // namespace ringcast::testing
