#include "app/predict/leave_one_out.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/links/link_class.hpp"

namespace ringcast {
namespace {

/// A machine whose kernels reach host memory over PCIe 3.0, on sockets.
Scenario with_staging(BytesPerSecond kernels) {
  Scenario scenario;
  scenario.cluster = machines::on_one_switch(machines::dual_root(), 2);
  CableSpec& cable = scenario.cluster.single_switch->cable;
  const LinkClass& pcie = *find_link_class("pcie-3.0-x16");
  cable.base_class = pcie.name;
  cable.bandwidth = pcie.achievable;
  cable.kernel_bandwidth = kernels;
  scenario.transport.socket_copy_rate = BytesPerSecond{3.1e9};
  scenario.transport.socket_latency = 39_us;
  return scenario;
}

BytesPerSecond kernels_of(const Scenario& scenario) {
  return scenario.cluster.single_switch->cable.kernel_bandwidth;
}

// 0.65 of 12 GB/s come from eight machines; without the second
// (7.1/12 x 6.9/12 x 21/24 x 10.4/24 x 27.3/48 x 8.7/12 x 17.5/24)^(1/7) = 0.62861 remain.
TEST(LeaveOneOut, TakesAConstantFromTheOtherMachines) {
  const Scenario scenario = with_staging(find_link_class("pcie-3.0-x16")->kernel_achievable);

  EXPECT_NEAR(kernels_of(without_samples_of("2x2080ti", scenario)).value(), 0.62861 * 12e9, 1e5);
  EXPECT_EQ(kernels_of(without_samples_of("8xh100", scenario)), kernels_of(scenario));
}

TEST(LeaveOneOut, KeepsValuesOfTheFileItself) {
  const Scenario scenario = with_staging(BytesPerSecond{7e9});

  EXPECT_EQ(kernels_of(without_samples_of("2x2080ti", scenario)), BytesPerSecond{7e9});
}

// (2.6 x 3.3 x 1.75 x 2.5 x 4.1 x 4.6)^(1/6) = 2.9854 GB/s; (42.4 x 80.8 x 15.4)^(1/3) =
// 37.506 us.
TEST(LeaveOneOut, ReachesTransports) {
  const Scenario scenario = with_staging(BytesPerSecond{7e9});

  const TransportProfile without = without_samples_of("2xt4-sockets", scenario).transport;
  EXPECT_NEAR(without.socket_copy_rate.value(), 2.9854e9, 1e5);
  EXPECT_NEAR(without.socket_latency.count(), 37.506e-6, 1e-9);
}

// 5.7 GB/s are (6.2 x 5.2)^(1/2); without the first machine the other one's 5.2 remain.
TEST(LeaveOneOut, ReachesTheCopiesOfEfaWithoutRdma) {
  Scenario scenario = with_staging(BytesPerSecond{7e9});
  scenario.transport.socket_copy_rate = BytesPerSecond{5.7e9};

  const TransportProfile without = without_samples_of("2xt4-efa", scenario).transport;
  EXPECT_NEAR(without.socket_copy_rate.value(), 5.2e9, 1e5);
}

// What NCCL's tuner and costs take from measured machines is taken without the set's.
TEST(LeaveOneOut, TellsTheTunerOfASetWithSamples) {
  Scenario scenario = with_staging(BytesPerSecond{7e9});
  EXPECT_EQ(without_samples_of("2xt4-sockets", scenario).transport.left_out, "");
  scenario.transport.tuner = Tuner::nccl;

  EXPECT_EQ(without_samples_of("2xt4-sockets", scenario).transport.left_out, "2xt4-sockets");
  EXPECT_EQ(without_samples_of("no such set", scenario).transport.left_out, "");
}

TEST(LeaveOneOut, NamesConstantsOfASingleMachine) {
  EXPECT_NE(constants_text().find("efa-200g, us of a message"), std::string::npos);
}

}  // namespace
}  // namespace ringcast
