#include "app/predict/trace.hpp"

#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/common/counted.hpp"
#include "app/common/file_output.hpp"
#include "app/report/json_text.hpp"
#include "sim/model/link_load.hpp"

namespace ringcast {
namespace {

// The trace format (Google, "Trace Event Format") has processes with threads; ours are two groups
// with lanes. Times are in microseconds.
constexpr int ranks_group = 1;
constexpr int cables_group = 2;

double microseconds(Seconds time) {
  return time.count() * 1e6;
}

/// Collects events as text, since a trace may have a million of them.
class TraceText {
 public:
  void group(int group, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", group,
                    quoted(name)));
  }
  void lane(int group, int lane, std::string_view name) {
    add(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    group, lane, quoted(name)));
    add(fmt::format(
        R"({{"ph":"M","name":"thread_sort_index","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})",
        group, lane));
  }
  void span(int group, int lane, std::string_view name, Seconds begin, Seconds end,
            std::string_view arguments) {
    add(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                    quoted(name), group, lane, microseconds(begin), microseconds(end - begin),
                    arguments));
  }
  [[nodiscard]] std::string finish() {
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + text_ + "\n]}\n";
  }

 private:
  static std::string quoted(std::string_view text) { return text_of(nlohmann::ordered_json(text)); }
  void add(std::string_view event) {
    text_ += text_.empty() ? "" : ",\n";
    text_ += event;
  }

  std::string text_;
};

void add_ranks(TraceText& trace, const SimReport& report) {
  trace.group(ranks_group, "ranks");
  std::map<std::pair<Rank, Tag>, int> lanes;
  for (const DeliveredMessage& message : report.messages) {
    lanes[{message.to, message.tag}] = 0;
  }
  int number = 0;
  for (auto& [key, lane] : lanes) {
    const auto& [rank, tag] = key;
    lane = ++number;
    trace.lane(ranks_group, lane,
               fmt::format("rank {} receives, channel {}", index_of(rank), static_cast<int>(tag)));
  }
  for (const DeliveredMessage& message : report.messages) {
    const Seconds duration = message.end - message.begin;
    trace.span(ranks_group, lanes.at({message.to, message.tag}),
               fmt::format("from rank {}", index_of(message.from)), message.begin, message.end,
               fmt::format(R"("bytes":{},"bytes_per_s":{})", message.length.count(),
                           duration > Seconds{0} ? (message.length / duration).value() : 0.0));
  }
}

void add_cables(TraceText& trace, const SimReport& report, const TransferPaths& paths) {
  trace.group(cables_group, "cables");
  std::map<LinkId, int> lanes;
  for (const BusyInterval& busy : busy_intervals(report.messages, paths)) {
    const auto [found, is_new] = lanes.try_emplace(busy.link, static_cast<int>(lanes.size()) + 1);
    if (is_new) {
      trace.lane(cables_group, found->second, paths.topology().name_of(busy.link));
    }
    trace.span(cables_group, found->second, counted(busy.flows, "message"), busy.begin, busy.end,
               "");
  }
}

}  // namespace

void write_trace(const std::filesystem::path& file, const SimReport& report,
                 const TransferPaths& paths) {
  TraceText trace;
  add_ranks(trace, report);
  add_cables(trace, report, paths);
  write_file(file, trace.finish());
}

void write_trace(const std::filesystem::path& file, Rank rank,
                 const std::vector<TimelineSpan>& timeline) {
  constexpr int compute_lane = 1;
  constexpr int communication_lane = 2;
  TraceText trace;
  trace.group(ranks_group, fmt::format("rank {}", index_of(rank)));
  trace.lane(ranks_group, compute_lane, "compute");
  trace.lane(ranks_group, communication_lane, "communication");
  for (const TimelineSpan& span : timeline) {
    trace.span(ranks_group, span.communicates ? communication_lane : compute_lane, span.name,
               span.time.begin, span.time.end, "");
  }
  write_file(file, trace.finish());
}

}  // namespace ringcast
