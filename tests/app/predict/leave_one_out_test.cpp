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
  scenario.transport.socket_copy_rate = BytesPerSecond{6e9};
  return scenario;
}

BytesPerSecond kernels_of(const Scenario& scenario) {
  return scenario.cluster.single_switch->cable.kernel_bandwidth;
}

// 0.6 of 12 GB/s come from six machines; without the second
// (7.1/12 x 6.9/12 x 21/24 x 10.4/24 x 27.3/48)^(1/5) = 0.59306 remain.
TEST(LeaveOneOut, TakesAConstantFromTheOtherMachines) {
  const Scenario scenario = with_staging(find_link_class("pcie-3.0-x16")->kernel_achievable);

  EXPECT_NEAR(kernels_of(without_samples_of("2x2080ti", scenario)).value(), 0.59306 * 12e9, 1e5);
  EXPECT_EQ(kernels_of(without_samples_of("8xh100", scenario)), kernels_of(scenario));
}

TEST(LeaveOneOut, KeepsValuesOfTheFileItself) {
  const Scenario scenario = with_staging(BytesPerSecond{7e9});

  EXPECT_EQ(kernels_of(without_samples_of("2x2080ti", scenario)), BytesPerSecond{7e9});
}

// (4.0 x 6.6 x 6.1 x 7.3)^(1/4) = 5.856.
TEST(LeaveOneOut, ReachesTransports) {
  const Scenario scenario = with_staging(BytesPerSecond{7e9});

  EXPECT_NEAR(without_samples_of("2xv100-10gbe", scenario).transport.socket_copy_rate.value(),
              5.856e9, 1e6);
}

TEST(LeaveOneOut, NamesConstantsOfASingleMachine) {
  EXPECT_NE(constants_text().find("efa-100g, share of the line rate"), std::string::npos);
}

}  // namespace
}  // namespace ringcast
