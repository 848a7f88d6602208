#pragma once

#include "tests/backend_under_test.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

/// The simulator as a backend of the conformance suites: a star, with data.
namespace ringcast::testing {

/// A simulated star that owns its topology.
class SimulatedStar final : public Transport {
 public:
  SimulatedStar(int ranks, TransportProfile profile, Reduction reduction)
      : topology_{star(ranks, 10_GBps, 1_us)},
        transport_{
            topology_, ranks, std::move(profile), reduction, {.with_data = true, .traffic = {}}} {}
  [[nodiscard]] std::string_view name() const override { return transport_.name(); }
  [[nodiscard]] int size() const override { return transport_.size(); }
  void run(const RankProgram& program) override { transport_.run(program); }

 private:
  Topology topology_;
  SimTransport transport_;
};

/// The reduction as a part of the receive (fused), or after it.
inline std::unique_ptr<Transport> simulated_star(bool fused, int ranks, Reduction reduction) {
  return std::make_unique<SimulatedStar>(ranks, reducing(fused), reduction);
}

/// For cases that run once, each in a process of its own, as ctest has them.
inline BackendUnderTest simulated(const std::string& name, bool fused) {
  return {.name = name, .make = [fused](int ranks, Reduction reduction) {
            return simulated_star(fused, ranks, reduction);
          }};
}

/// For cases that run several times: every run is a process of its own.
inline BackendUnderTest simulated_in_forks(const std::string& name, bool fused) {
  return {.name = name, .make = [=](int ranks, Reduction reduction) {
            return std::make_unique<ForkedTransport>(
                name, ranks, [=] { return simulated_star(fused, ranks, reduction); });
          }};
}

}  // namespace ringcast::testing
