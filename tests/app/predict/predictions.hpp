#pragma once

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/predict/predict.hpp"
#include "tests/app/temporary_folder.hpp"
#include "tests/topology/machines.hpp"

namespace ringcast {

/// `count` GPUs, each on its own cable of 10 GB/s and 1 us to one root complex.
inline ClusterSpec star(int count) {
  return machines::cluster_of(
      {"star", {machines::socket({machines::gpus(count)})}, std::nullopt, {}, std::nullopt}, 1);
}

/// Two nodes of four GPUs and a NIC: 10 GB/s and 1 us per PCIe cable, 6 GB/s and 2 us per
/// network cable.
inline ClusterSpec two_nodes() {
  return machines::on_one_switch({"box",
                                  {machines::socket({machines::gpus(4), machines::nics(1)})},
                                  std::nullopt,
                                  {},
                                  std::nullopt},
                                 2);
}

class PredictTest : public ::testing::Test {
 protected:
  PredictTest() { folder_.write("scenario.yaml", ""); }

  [[nodiscard]] Scenario scenario_on(ClusterSpec cluster, int ranks, Bytes size) const {
    Scenario scenario;
    scenario.file = folder_ / "scenario.yaml";
    scenario.name = "test";
    scenario.cluster = std::move(cluster);
    scenario.transport = {.name = "ideal", .source = "test"};
    scenario.ranks = {ranks};
    scenario.sizes = {size};
    scenario.algorithms = {"ring"};
    scenario.ring_orders = {{"by-rank", {}}};
    return scenario;
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

inline std::vector<Row> rows_of(const Scenario& scenario) {
  const Result result = predict(scenario, {.jobs = 2});
  for (const FailedCell& failure : result.failures) {
    ADD_FAILURE() << to_text(failure.cell) << ": " << failure.error;
  }
  return result.rows;
}

}  // namespace ringcast
