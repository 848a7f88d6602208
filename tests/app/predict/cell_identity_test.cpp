#include "app/predict/cell_identity.hpp"

#include <set>

#include <gtest/gtest.h>

#include "app/common/cell_cache.hpp"
#include "app/predict/predict_training.hpp"
#include "app/report/json_text.hpp"
#include "tests/app/predict/alike_layers.hpp"
#include "tests/app/predict/predictions.hpp"

namespace ringcast {
namespace {

class CellIdentity : public PredictTest {
 protected:
  static std::vector<std::string> identities_of(const Scenario& scenario) {
    const CellIdentities identities{scenario, Fidelity::cheapest};
    std::vector<std::string> all;
    for (const PlannedCell& planned : plan(scenario, Topology{build_cluster(scenario.cluster)})) {
      all.push_back(identities.of(planned));
    }
    return all;
  }
  static std::string identity_of(const Scenario& scenario) { return identities_of(scenario).at(0); }
  [[nodiscard]] Scenario base() const { return scenario_on(two_nodes(), 8, 1_MiB); }
  static SocketSpec& socket_of(Scenario& scenario) {
    return scenario.cluster.node_types.at(0).sockets.at(0);
  }
  static std::vector<DeviceSpec>& devices_of(Scenario& scenario) {
    return socket_of(scenario).root_complexes.at(0).devices;
  }
  static void join_by_cables(Scenario& scenario, BytesPerSecond bandwidth) {
    CableSpec cable = machines::fdr();
    cable.bandwidth = bandwidth;
    scenario.cluster.single_switch.reset();
    scenario.cluster.explicit_fabric =
        ExplicitFabricSpec{{"a"}, {{"node0.nic0", "a", cable}, {"node1.nic0", "a", cable}}};
  }
};

TEST_F(CellIdentity, IgnoresWhatOnlyLabelsARow) {
  Scenario other = base();
  other.name = "other";
  other.file = folder() / "other.yaml";
  other.cluster.name = "other";
  other.cluster.source = "elsewhere";
  other.transport.name = "other";
  other.transport.source = "elsewhere";

  EXPECT_EQ(identity_of(other), identity_of(base()));
}

TEST_F(CellIdentity, KnowsOrdersByTheirRanksNotTheirNames) {
  Scenario scenario = base();
  scenario.ring_orders = {{"by-rank", {}}, {"interleaved", {}}, {"reversed", {}}};
  scenario.ranks = {4, 8};  // the first node alone, and both

  const std::vector<std::string> all = identities_of(scenario);

  EXPECT_EQ(all[0], all[1]);
  EXPECT_NE(all[0], all[2]);
  EXPECT_NE(all[3], all[4]);
}

TEST_F(CellIdentity, ChangesWithAllThatTheTimeDependsOn) {
  using Change = std::function<void(Scenario&)>;
  const Change changes[] = {
      [](Scenario& each) { each.ranks = {7}; },
      [](Scenario& each) { each.sizes = {2_MiB}; },
      [](Scenario& each) { each.algorithms = {"tree"}; },
      [](Scenario& each) { each.reduction.type = ElementType::float16; },
      [](Scenario& each) { each.channels = {2}; },
      [](Scenario& each) { each.segment_size = 64_KiB; },
      [](Scenario& each) {
        each.ring_orders = {{"reversed", {}}};
      },
      [](Scenario& each) { each.transport.message_overhead = Seconds{1e-6}; },
      [](Scenario& each) { each.transport.overheads[PathKind::p2p] = Seconds{1e-6}; },
      [](Scenario& each) { each.transport.gpus_per_process = 2; },
      [](Scenario& each) { each.transport.channel_buffer = 8_MiB; },
      [](Scenario& each) { each.transport.least_channels = 32; },
      [](Scenario& each) { each.transport.most_channels = 8; },
      [](Scenario& each) { each.transport.pxn = false; },
      [](Scenario& each) { each.transport.eager_limit = 1_KiB; },
      [](Scenario& each) { each.transport.eager_limit = 0_B; },
      [](Scenario& each) { each.transport.fused_reduction = !each.transport.fused_reduction; },
      [](Scenario& each) { each.cluster.single_switch->cable.latency += Seconds{1e-9}; },
      [](Scenario& each) { each.cluster.nodes.at(0).count = 3; },
      [](Scenario& each) { each.cluster.job_gpus = {7, 6, 5, 4, 3, 2, 1, 0}; },
      [](Scenario& each) { each.degraded = "node1.nic0=1GB/s"; },
      [](Scenario& each) {
        each.cluster.node_types.at(0).sockets.at(0).memory = BytesPerSecond{1e10};
      },
      [](Scenario& each) { devices_of(each).at(0).count = 5; },
      [](Scenario& each) { devices_of(each).at(0).cable.bandwidth = 9_GBps; },
      [](Scenario& each) {
        socket_of(each).caches = {{1_MiB, 20_GBps}};
      },
      [](Scenario& each) {
        socket_of(each).caches = {{2_MiB, 20_GBps}};
      },
      [](Scenario& each) {
        socket_of(each).caches = {{2_MiB, 20_GBps, {}, 9_GBps}};
      },
      [](Scenario& each) { each.transport.protocols = {{.algorithm = "ring", .name = "LL"}}; },
      [](Scenario& each) {
        each.transport.protocols = {{.algorithm = "ring", .name = "LL", .handshakes = 0.5}};
      },
      [](Scenario& each) { join_by_cables(each, 5_GBps); },
      [](Scenario& each) { join_by_cables(each, 4_GBps); },
  };
  std::set<std::string> all{identity_of(base())};
  for (const Change& change : changes) {
    Scenario changed = base();
    change(changed);
    EXPECT_TRUE(all.insert(identity_of(changed)).second) << all.size();
  }
  const CellIdentities simgrid{base(), Fidelity::simgrid};
  const PlannedCell planned = plan(base(), Topology{build_cluster(base().cluster)}).at(0);
  EXPECT_TRUE(all.insert(simgrid.of(planned)).second);
  EXPECT_TRUE(all.insert(simgrid.of(planned, 1)).second);
  const CellIdentities without_bounds{base(), Fidelity::cheapest, false};
  EXPECT_TRUE(all.insert(without_bounds.of(planned)).second);
}

// idle_nics() has no remedy for searched rings, whatever their order.
TEST_F(CellIdentity, IgnoresProtocolsThatTheTunerDoesNotChoose) {
  Scenario scenario = base();
  scenario.transport.tuner = Tuner::nccl;
  scenario.transport.protocols = {{.algorithm = "ring", .name = "LL"},
                                  {.algorithm = "ring", .name = "Simple"}};
  const Topology topology{build_cluster(scenario.cluster)};
  const std::string chosen = plan(scenario, topology).at(0).transport.value().protocols.at(0).name;

  for (const std::size_t changed : {0U, 1U}) {
    Scenario other = scenario;
    Protocol& protocol = other.transport.protocols.at(changed);
    protocol.call_overhead += Seconds{1e-12};
    EXPECT_EQ(identity_of(other) == identity_of(scenario), protocol.name != chosen);
  }
}

TEST_F(CellIdentity, DistinguishesSearchedRings) {
  const Scenario scenario = base();
  const CellIdentities identities{scenario, Fidelity::cheapest};
  PlannedCell planned = plan(scenario, Topology{build_cluster(scenario.cluster)}).at(0);
  const std::string by_rank = identities.of(planned);
  planned.cell.ring_order = searched_rings;

  EXPECT_NE(identities.of(planned), by_rank);
}

TEST_F(CellIdentity, ChangesWithAllThatAnIterationDependsOn) {
  Scenario scenario = base();
  scenario.sizes.clear();
  scenario.training = alike_layers("two layers", 2, 1000);
  const auto of = [&](const std::function<void(PlannedTraining&)>& change, int repetition = 0) {
    const CellIdentities identities{scenario, Fidelity::cheapest};
    const Topology topology{build_cluster(scenario.cluster)};
    PlannedTraining planned = plan_training(scenario, topology).at(0);
    change(planned);
    return identities.of(planned, repetition);
  };
  const std::function<void(PlannedTraining&)> changes[] = {
      [](PlannedTraining&) {},
      [](PlannedTraining& each) { each.step.layers.at(0).forward += Seconds{1e-3}; },
      [](PlannedTraining& each) { each.step.buckets.at(0).elements = 999; },
      [](PlannedTraining& each) { each.step.buckets.at(0).last_layer = 0; },
      [](PlannedTraining& each) { each.step.optimizer = Seconds{1e-3}; },
      [](PlannedTraining& each) { each.step.launch_ahead = 1; },
      [](PlannedTraining& each) { each.step.passes = 2; },
      [](PlannedTraining& each) { each.step.overlap = !each.step.overlap; },
      [](PlannedTraining& each) { each.one_gpu_samples_per_s *= 2; },
      [](PlannedTraining& each) { each.cell.ranks = 7; },
  };
  std::set<std::string> all;
  for (const auto& change : changes)
    EXPECT_TRUE(all.insert(of(change)).second) << all.size();
  EXPECT_TRUE(all.insert(of(changes[0], 1)).second);
  ComputationNoise& noise = scenario.training->noise;
  for (const ComputationNoise& other :
       {ComputationNoise{0.1, 1, {}}, ComputationNoise{0.1, 2, {}},
        ComputationNoise{0.1, 2, {{Rank{1}, 1.5}}}, ComputationNoise{0.1, 2, {{Rank{1}, 2}}}}) {
    noise = other;
    EXPECT_TRUE(all.insert(of(changes[0])).second) << all.size();
  }
}

/// The rows, as a child sends them.
std::vector<std::string> texts_of(const Result& result) {
  std::vector<std::string> texts;
  for (const Row& row : result.rows)
    texts.push_back(checked_outcome(row));
  return texts;
}

TEST_F(CellIdentity, OfEqualCellsIsThatOfEqualRows) {
  Scenario scenario = base();
  scenario.ranks = {3, 8};
  scenario.channels = {1, 2};
  scenario.ring_orders = {{"by-rank", {}}, {"interleaved", {}}, {"nccl", {}}, {"searched", {}}};
  scenario.algorithms = {"tree", "auto"};
  CellCache cache;

  const Result alone = predict(scenario, {});
  const Result once = predict(scenario, {.cache = &cache});
  const Result again = predict(scenario, {.cache = &cache});

  EXPECT_EQ(texts_of(once), texts_of(alone));
  EXPECT_EQ(texts_of(again), texts_of(alone));
}

}  // namespace
}  // namespace ringcast
