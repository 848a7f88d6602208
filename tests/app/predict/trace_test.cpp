#include "app/predict/trace.hpp"

#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/report/training_iterations.hpp"
#include "engine/numbers/error.hpp"
#include "tests/app/temporary_folder.hpp"
#include "tests/sim/forked.hpp"
#include "tests/sim/machines.hpp"

namespace ringcast {
namespace {

using Json = nlohmann::json;

constexpr int traced_ranks = 4;
constexpr std::uint64_t elements = 4'000'000;  // 16 MB; chunks of 4 MB
constexpr int ranks_group = 1;
constexpr int cables_group = 2;

/// The trace of a ring all-reduce with `channels` channels.
Json trace_of(const Cluster& cluster, std::size_t channels = 1) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "trace.json";
  testing::run_forked([&] {
    const Topology topology{cluster};
    SimOptions options;
    options.traffic.record_messages = true;
    SimTransport transport{topology, traced_ranks, testing::free_of_cost(), Reduction{}, options};
    transport.run([&](RankContext& self) {
      const std::vector<RingOrder> rings(channels, RingOrder::identity(traced_ranks));
      const BufferId data = self.memory.allocate(elements * 4_B);
      make_allreduce("ring", {rings, std::nullopt})->run({data, elements}, self);
    });
    write_trace(file, transport.report(), transport.paths());
    return std::string{};
  });
  std::ifstream in{file};
  return Json::parse(in).at("traceEvents");
}

Json trace_of_star(std::size_t channels = 1) {
  return trace_of(testing::star(traced_ranks, 10_GBps, 1_us), channels);
}

/// The names of a group's lanes, by number.
std::map<int, std::string> lanes(const Json& events, int group) {
  std::map<int, std::string> names;
  for (const Json& event : events) {
    if (event.at("name") == "thread_name" && event.at("pid") == group) {
      names[event.at("tid")] = event.at("args").at("name");
    }
  }
  return names;
}

std::vector<Json> spans(const Json& events, int group) {
  std::vector<Json> found;
  for (const Json& event : events) {
    if (event.at("ph") == "X" && event.at("pid") == group) {
      found.push_back(event);
    }
  }
  return found;
}

TEST(Trace, HasALaneForEachRank) {
  EXPECT_EQ(lanes(trace_of_star(), ranks_group),
            (std::map<int, std::string>{{1, "rank 0 receives, channel 0"},
                                        {2, "rank 1 receives, channel 0"},
                                        {3, "rank 2 receives, channel 0"},
                                        {4, "rank 3 receives, channel 0"}}));
}

TEST(Trace, HasALaneForEachRankAndChannel) {
  const std::map<int, std::string> names = lanes(trace_of_star(2), ranks_group);

  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(names.at(2), "rank 0 receives, channel 1");
}

TEST(Trace, HasALaneForEachDirectionOfABusyCable) {
  // A fifth GPU takes no part.
  const std::map<int, std::string> names =
      lanes(trace_of(testing::star(traced_ranks + 1, 10_GBps, 1_us)), cables_group);

  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(names.at(1), "switch -> gpu0");
  EXPECT_EQ(names.at(2), "gpu0 -> switch");
  EXPECT_EQ(names.at(8), "gpu3 -> switch");
}

// Byte FF is in no character of UTF-8.
TEST(Trace, HasNamesOfAnyBytes) {
  Cluster cluster = testing::star(traced_ranks, 10_GBps, 1_us);
  cluster.vertices[0].name = "switch\xFF";

  EXPECT_EQ(lanes(trace_of(cluster), cables_group).at(1), "switch\\xff -> gpu0");
}

// Each rank receives 6 chunks of 4 MB at 10 GB/s.
TEST(Trace, ShowsWhatEachRankReceives) {
  std::map<int, std::uint64_t> bytes;

  for (const Json& span : spans(trace_of_star(), ranks_group)) {
    bytes[span.at("tid")] += span.at("args").at("bytes").get<std::uint64_t>();
    EXPECT_NEAR(span.at("args").at("bytes_per_s").get<double>() / 10e9, 1, 1e-6);
    EXPECT_NEAR(span.at("dur").get<double>(), 400, 1e-3);
  }

  EXPECT_EQ(bytes, (std::map<int, std::uint64_t>{
                       {1, 24'000'000}, {2, 24'000'000}, {3, 24'000'000}, {4, 24'000'000}}));
}

// A cable that carries one message at a time at its full rate is busy for
// bytes / bandwidth = 24 MB / (10 GB/s) = 2,400 us. Its latency is no work.
TEST(Trace, ShowsACableAsBusyForWhatItCarried) {
  std::map<int, double> busy_us;

  for (const Json& span : spans(trace_of_star(), cables_group)) {
    busy_us[span.at("tid")] += span.at("dur").get<double>();
    EXPECT_EQ(span.at("name"), "1 message");
  }

  ASSERT_EQ(busy_us.size(), 8U);
  for (const auto& [lane, busy] : busy_us) {
    EXPECT_NEAR(busy, 2400, 1e-3) << lane;
  }
}

// Two channels of half the size each: the same bytes, always two messages at once.
TEST(Trace, ShowsHowManyMessagesShareACable) {
  std::map<int, double> busy_us;

  for (const Json& span : spans(trace_of_star(2), cables_group)) {
    busy_us[span.at("tid")] += span.at("dur").get<double>();
    EXPECT_EQ(span.at("name"), "2 messages");
  }

  ASSERT_EQ(busy_us.size(), 8U);
  for (const auto& [lane, busy] : busy_us) {
    EXPECT_NEAR(busy, 2400, 1e-3) << lane;
  }
}

TEST(Trace, HasNoSpanBeforeTheBeginningOrOfNegativeLength) {
  const Json events = trace_of_star();

  for (const int group : {ranks_group, cables_group}) {
    for (const Json& span : spans(events, group)) {
      EXPECT_GE(span.at("ts").get<double>(), 0);
      EXPECT_GE(span.at("dur").get<double>(), 0);
    }
  }
}

TEST(Trace, EscapesNames) {
  Cluster cluster = testing::star(traced_ranks, 10_GBps, 1_us);
  cluster.vertices[1].name = "\"quoted\" \\ and\nbroken";

  const std::map<int, std::string> names = lanes(trace_of(cluster), cables_group);

  EXPECT_EQ(names.at(1), "switch -> \"quoted\" \\ and\nbroken");
}

TEST(Trace, ThatCannotBeWrittenIsRefused) {
  const Topology topology{testing::star(2, 10_GBps, 1_us)};
  const TransferPaths paths{topology, {}, {}};

  EXPECT_THROW(write_trace("/nonexistent/folder/trace.json", SimReport{}, paths), ScenarioError);
}

TEST(Trace, OfNothingIsValid) {
  const TemporaryFolder folder;
  const Topology topology{testing::star(2, 10_GBps, 1_us)};
  const TransferPaths paths{topology, {}, {}};

  write_trace(folder / "trace.json", SimReport{}, paths);

  std::ifstream in{folder / "trace.json"};
  EXPECT_TRUE(Json::parse(in).contains("traceEvents"));
}

/// The spans of a lane, in the order of the file.
std::vector<Json> spans_of_lane(const Json& events, int lane) {
  std::vector<Json> found;
  for (const Json& span : spans(events, ranks_group)) {
    if (span.at("tid") == lane) {
      found.push_back(span);
    }
  }
  return found;
}

std::vector<std::string> names_of(const std::vector<Json>& spans) {
  std::vector<std::string> names;
  names.reserve(spans.size());
  for (const Json& span : spans) {
    names.push_back(span.at("name"));
  }
  return names;
}

// Two layers, forward 1 ms and backward 2 ms each; their buckets' all-reduces take 3 ms each, the
// first beside the backward of `a`: ends at 4 + 3 and 7 + 3 ms. Then the optimizer's 1 ms.
TEST(Trace, OfATrainingHasALaneForEachStrand) {
  const TemporaryFolder folder;
  Training training;
  training.layers = {{"a", 10, {}}, {"b", 10, {}}};
  TrainingStep step;
  step.layers = {{Seconds{1e-3}, Seconds{2e-3}}, {Seconds{1e-3}, Seconds{2e-3}}};
  step.buckets = {{1, 1, 10}, {0, 0, 10}};
  step.optimizer = Seconds{1e-3};
  const StepTimes times{{Seconds{0}, Seconds{11e-3}},
                        Seconds{7e-3},
                        {{Seconds{4e-3}, Seconds{7e-3}}, {Seconds{7e-3}, Seconds{10e-3}}}};

  write_trace(folder / "trace.json", Rank{3}, timeline_of(training, step, times));
  std::ifstream in{folder / "trace.json"};
  const Json events = Json::parse(in).at("traceEvents");

  EXPECT_EQ(lanes(events, ranks_group),
            (std::map<int, std::string>{{1, "compute"}, {2, "communication"}}));
  const std::vector<Json> computed = spans_of_lane(events, 1);
  EXPECT_EQ(names_of(computed), (std::vector<std::string>{"forward a", "forward b", "backward b",
                                                          "backward a", "optimizer"}));
  for (std::size_t i = 1; i < computed.size(); ++i) {
    const double end =
        computed[i - 1].at("ts").get<double>() + computed[i - 1].at("dur").get<double>();
    EXPECT_GE(computed[i].at("ts").get<double>(), end - 1e-6);
  }
  // Microseconds.
  EXPECT_NEAR(computed.back().at("ts").get<double>(), 10'000, 1e-6);
  const std::vector<Json> reduced = spans_of_lane(events, 2);
  EXPECT_EQ(names_of(reduced), (std::vector<std::string>{"bucket 1: b", "bucket 2: a"}));
  EXPECT_NEAR(reduced[0].at("ts").get<double>(), 4000, 1e-6);
  EXPECT_NEAR(reduced[1].at("dur").get<double>(), 3000, 1e-6);
}

}  // namespace
}  // namespace ringcast
