#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/measure_options.hpp"
#include "app/config/scenario/searched_rings.hpp"
#include "app/measure/job_words.hpp"
#include "app/measure/measure_training.hpp"
#include "app/measure/measurement.hpp"
#include "app/measure/on_ranks.hpp"
#include "app/measure/rank_backend.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// The measurement as one rank sees it.
class RankMeasurement {
 public:
  RankMeasurement(MpiWorld& world, RankReporter& reporter, const MeasureOptions& options)
      : world_{world},
        reporter_{reporter},
        options_{options},
        scenario_{read_scenario(options.scenario, options.overrides, Purpose::measurement)},
        backend_{reporter.in_call([&] {
          return RankBackend{world, reporter, options.ranks};
        })} {
    expect_ranks(*std::ranges::max_element(scenario_.ranks), world.size());
    expect_options_fit(options, scenario_);
    plan_cells();
    if (backend_.uses_gpus()) report_gpus();
  }

  void run() {
    std::unique_ptr<Transport> transport;
    for (auto i = static_cast<std::size_t>(options_.first_cell); i < cells_.size(); ++i) {
      const int ranks = cells_[i].cell.ranks;
      if (!problems_[i].empty()) {
        reporter_.send(skipped_word, problems_[i]);
        continue;
      }
      if (!transport || transport->size() != ranks) {
        reporter_.in_call([&] {
          transport.reset();
          transport = backend_.make_transport(ranks, scenario_.reduction);
        });
      }
      run_cell(*transport, cells_[i]);
    }
  }

 private:
  [[nodiscard]] std::vector<std::string> gathered(const std::string& mine) {
    return reporter_.in_call([&] { return world_.gather(mine); });
  }

  void report_gpus() {
    const auto hosts = reporter_.in_call([&] { return gpus_of_hosts(world_); });
    reporter_.send(gpus_word, to_text(hosts));
    for (const std::string& remark : remarks_on(hosts))
      reporter_.send(remark_word, remark);
  }

  void plan_cells() {
    cells_ = plan_measurement(scenario_, world_.node_of());
    for (PlannedTraining& planned : cells_) {
      planned.cell.transport = backend_.name();
      if (planned.cell.ring_order == searched_rings) set_rings(planned, agreed_rings(planned));
      backend_.expect_runs(planned.cell);
      if (!planned.refusal) expect_runnable(planned, scenario_);
    }
    find_problems();
  }

  /// Rank 0 searches on the scenario's cluster, whose i-th GPU or process is rank i, and broadcasts
  /// its rings: a search that reaches its time limit may find others on other ranks.
  const std::vector<RingOrder>& agreed_rings(const PlannedTraining& planned) {
    const auto [known, is_new] =
        rings_.try_emplace({planned.cell.ranks, planned.cell.channels.value()});
    if (is_new) {
      std::string found;
      if (world_.rank() == Rank{0}) {
        const Topology topology{build_cluster(scenario_.cluster)};
        found = text_of(SearchedRings{scenario_, topology}.of(planned));
      }
      known->second = rings_of(gathered(found).front());
    }
    return known->second;
  }

  /// Finds cells that need too much memory, which would end the job. To be called before the first
  /// cell, while memory is free. All ranks leave out the same cells.
  void find_problems() {
    for (const auto& planned : cells_) {
      if (planned.refusal) {
        problems_.push_back(*planned.refusal);
        continue;
      }
      const std::vector<std::string> all = gathered(backend_.memory_shortage(planned));
      const auto found = std::ranges::find_if(all, [](const auto& text) { return !text.empty(); });
      problems_.push_back(found == all.end() ? "" : *found);
    }
  }

  void run_cell(Transport& transport, const PlannedTraining& planned) {
    reporter_.set_activity(fmt::format("measured {}", to_text(planned.cell)));
    const Row row = scenario_.training ? train(transport, planned)
                                       : measure_cell(transport, *backend_.algorithm_of(planned),
                                                      planned, options_.timing, report());
    if (world_.rank() == Rank{0}) reporter_.send(row_word, to_json(row));  // only rank 0 has it
  }

  Row train(Transport& transport, const PlannedTraining& planned) {
    const Training& training = *scenario_.training;
    std::optional<Rank> timeline;
    if (options_.timeline) {
      timeline = timeline_rank(*options_.timeline, scenario_);
    }
    const AllreduceHalves algorithms = backend_.algorithms_of(planned);
    Row row = measure_training(transport, {algorithms.reduce.get(), algorithms.gather.get()},
                               planned, training, options_.timing, timeline, report());
    if (training.broadcast) {
      const auto [found, is_new] = broadcasts_.try_emplace(broadcast_key(planned));
      if (is_new) {
        found->second = measure_broadcast(transport, planned, options_.timing);
      }
      row.iteration.value().broadcast = found->second;
    }
    return row;
  }

  ReportRuns report() {
    return [this](int ended, int all) {
      constexpr std::chrono::milliseconds interval{500};
      if (const auto now = std::chrono::steady_clock::now(); now - reported_at_ > interval) {
        reported_at_ = now;
        reporter_.send(progress_word, fmt::format("{:.3f}", static_cast<double>(ended) / all));
      }
    };
  }

  MpiWorld& world_;
  RankReporter& reporter_;
  const MeasureOptions& options_;
  Scenario scenario_;
  RankBackend backend_;
  SearchedRings::Found rings_;
  std::vector<PlannedTraining> cells_;
  std::vector<std::string> problems_;  // why each cell is left out; empty: it runs
  std::map<BroadcastKey, Seconds> broadcasts_;
  std::chrono::steady_clock::time_point reported_at_{};
};

}  // namespace

void add_mpi_measure_command(Command& program) {
  const auto options = std::make_shared<MeasureOptions>();
  Command command =
      program.command("measure", "run a scenario on these ranks and report how long it takes");
  add_measure_options(command, *options);
  command.option("--first-cell", options->first_cell, "of a job that continues an interrupted one");
  command.runs([options] {
    return on_ranks([&](MpiWorld& world, RankReporter& reporter) {
      reporter.set_timeout(options->ranks.timeout);
      RankMeasurement{world, reporter, *options}.run();
      return 0;
    });
  });
}

}  // namespace ringcast
