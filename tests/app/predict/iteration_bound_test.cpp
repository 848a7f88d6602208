#include "app/predict/iteration_bound.hpp"

#include "app/predict/predict_training.hpp"
#include "tests/app/predict/ten_layers.hpp"

namespace ringcast {
namespace {

class IterationBoundTest : public PredictTrainingTest {
 protected:
  /// Ten layers on nodes of one GPU and one NIC, 6 GB/s at a switch, without overlap.
  [[nodiscard]] Scenario training_on_nodes(int nodes) const {
    Scenario scenario = training_on(1, {nodes});
    scenario.cluster = machines::on_one_switch(machines::least(), nodes);
    scenario.training->overlaps = {false};
    return scenario;
  }
};

/// The only cell of a scenario, and its bound.
double bound_in_ms(const Scenario& scenario) {
  const Topology topology{build_cluster(scenario.cluster)};
  const PlannedTraining planned = plan_training(scenario, topology).at(0);
  return 1e3 * iteration_bound(planned, scenario, topology).count();
}

// 40 MB among 4 nodes cross their NICs in 2 x 3 x 40 MB / (4 x 6 GB/s) = 10 ms at least. Without
// overlap that follows all 60 ms of forward and backward; with it, 20 ms of forward and 4 ms of the
// last layer's backward, whose bucket is the first; with a layer launched ahead 4 ms more. The
// optimizer follows.
TEST_F(IterationBoundTest, AddsTheComputationBesideWhichNoGradientTravels) {
  Scenario scenario = training_on_nodes(4);
  EXPECT_NEAR(bound_in_ms(scenario), 60 + 10, 1e-9);
  scenario.training->optimizer = Seconds{0.005};
  EXPECT_NEAR(bound_in_ms(scenario), 60 + 10 + 5, 1e-9);
  scenario.training->overlaps = {true};
  EXPECT_NEAR(bound_in_ms(scenario), 24 + 10 + 5, 1e-9);
  scenario.training->launch_ahead.layers = 1;
  EXPECT_NEAR(bound_in_ms(scenario), 28 + 10 + 5, 1e-9);
}

TEST_F(IterationBoundTest, IsTheAllReducesWhereComputationMayBeShorterOrElsewhere) {
  Scenario scenario = training_on_nodes(4);
  scenario.training->noise.sigma = 0.1;
  EXPECT_NEAR(bound_in_ms(scenario), 10, 1e-9);
  scenario.training->noise.sigma = 0;
  scenario.training->weights_before_forward = true;
  EXPECT_NEAR(bound_in_ms(scenario), 10, 1e-9);
}

// Half of the gradients travel, and nothing does in an iteration of one.
TEST_F(IterationBoundTest, KnowsCompressionAndOneRank) {
  Scenario scenario = training_on_nodes(4);
  scenario.training->compression = 2;
  EXPECT_NEAR(bound_in_ms(scenario), 60 + 5, 1e-9);
  EXPECT_NEAR(bound_in_ms(training_on_nodes(1)), 60, 1e-9);
}

TEST_F(IterationBoundTest, IsNoLongerThanTheIteration) {
  for (const char* algorithm :
       {"ring", "in-switch", "all-to-all", "single-reducer", "tree", "parameter-server"}) {
    for (const int nodes : {2, 3, 8}) {
      for (const bool overlap : {false, true}) {
        for (const bool on_hosts : {false, true}) {
          Scenario scenario = training_on_nodes(nodes);
          scenario.algorithms = {algorithm};
          scenario.training->overlaps = {overlap};
          scenario.training->optimizer = Seconds{0.005};
          scenario.training->noise.stragglers = {{Rank{1}, 1.5}};
          scenario.servers_on_hosts = on_hosts;

          EXPECT_LE(bound_in_ms(scenario), 1e3 * training_rows(scenario).at(0).time.count() + 1e-9)
              << algorithm << ' ' << nodes << ' ' << overlap << ' ' << on_hosts;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringcast
