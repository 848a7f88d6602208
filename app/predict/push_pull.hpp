#pragma once

#include <string>
#include <vector>

#include "app/config/scenario.hpp"
#include "app/predict/predict.hpp"
#include "app/report/result.hpp"

namespace ringcast {

/// Training through asynchronous parameter servers (engine/parameter_server_async.hpp): how often
/// its workers push and pull. No all-reduce, and no time that could be compared with one's.
struct PushPullRow {
  int ranks = 1;
  int servers = 1;
  int workers = 1;
  bool servers_on_hosts = false;  // else each takes a rank that would work
  Bytes size;                     // what a worker pushes, and pulls, in a round
  ElementType type = ElementType::float32;
  std::string transport;
  int rounds = 1;
  // Rounds per second of a worker: on average over the workers, of the slowest, of the fastest.
  double rounds_per_s = 0;
  double slowest_rounds_per_s = 0;
  double fastest_rounds_per_s = 0;
};

struct FailedPushPull {
  int ranks = 1;
  Bytes size;
  std::string error;
  int exit_code = 1;
};

struct PushPullResult {
  Provenance provenance;
  std::vector<PushPullRow> rows;
  std::vector<FailedPushPull> failures;
};

/// Simulates `rounds` rounds for each of the scenario's ranks and sizes, from a standstill, each in
/// a child process. The servers are those of the scenario, by default the first rank of each node;
/// its algorithms and rings have no meaning here. Throws what predict() throws, and ScenarioError
/// where no rank is left to work.
[[nodiscard]] PushPullResult predict_push_pull(const Scenario& scenario, int rounds,
                                               const PredictOptions& options);

/// JSON with rows of kind "parameter-server"; CSV with the same keys; a table for people.
[[nodiscard]] std::string to_json(const PushPullResult& result);
[[nodiscard]] std::string to_csv(const PushPullResult& result);
[[nodiscard]] std::string to_table(const PushPullResult& result);
/// One row, as it comes from a child process, and back.
[[nodiscard]] std::string to_json(const PushPullRow& row);
[[nodiscard]] PushPullRow push_pull_row_from_json(const std::string& text);

}  // namespace ringcast
