#include "app/calibrate/machine_files.hpp"

#include <gtest/gtest.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

MachineModel two_leaves() {
  MachineModel model;
  model.node.emplace();
  model.node->cost.bandwidth = BytesPerSecond{4e9};
  model.network.emplace();
  model.network->cost.bandwidth = BytesPerSecond{1e9};
  model.memory = BytesPerSecond{20e9};
  model.reduce_rate = BytesPerSecond{3e9};
  model.fabric.groups = {{{0, 1}, BytesPerSecond{2e9}}, {{2}, BytesPerSecond{1.5e9}}};
  model.remarks = {"one is slow", "another is fast"};
  return model;
}

std::vector<std::string> starts_of_lines(const MachineModel& model) {
  std::vector<std::string> starts;
  for (const std::string& line : lines_of_text(machine_table(model)))
    starts.push_back(line.substr(0, line.find("  ")));
  return starts;
}

TEST(MachineTable, HasALineForEachPartAndEachRemark) {
  EXPECT_EQ(starts_of_lines(two_leaves()),
            (std::vector<std::string>{"#", "within a node", "between nodes", "memory", "reduction",
                                      "uplink0", "uplink1", "# one is slow", "# another is fast"}));
}

TEST(MachineTable, HasNoUplinkOfASingleGroupAndNoUnmeasuredMemory) {
  MachineModel model = two_leaves();
  model.memory = BytesPerSecond{0};
  model.fabric.groups.pop_back();
  model.remarks.clear();
  EXPECT_EQ(starts_of_lines(model),
            (std::vector<std::string>{"#", "within a node", "between nodes", "reduction"}));
}

TEST(MachineTable, TellsWhetherTheReceiveReduces) {
  MachineModel model = two_leaves();
  EXPECT_NE(machine_table(model).find("3 GB/s  after the receive"), std::string::npos);
  model.fused = true;
  EXPECT_NE(machine_table(model).find("3 GB/s  part of the receive"), std::string::npos);
}

}  // namespace
}  // namespace ringcast
