#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "app/cli/cell_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output_options.hpp"
#include "app/cli/progress_bar.hpp"
#include "app/cli/sweep_options.hpp"
#include "app/common/console.hpp"
#include "app/common/counted.hpp"
#include "app/common/file_output.hpp"
#include "app/common/signal_watch.hpp"
#include "app/config/cluster/nvlink_domains.hpp"
#include "app/config/scenario/sweep_reader.hpp"
#include "app/config/yaml/input_node.hpp"
#include "app/measure/hostfile.hpp"
#include "app/predict/compare_rings.hpp"
#include "app/report/plot.hpp"
#include "app/report/ring_export.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/part_of_cluster.hpp"

namespace ringcast {
namespace {

/// The options of `ringcast rings`.
struct RingsArguments {
  std::string cluster;
  ScenarioOverrides overrides;  // --ranks and the transport's
  std::string size;
  std::string channels = "auto";
  std::string time_limit = "10s";
  std::string seed = "1";
  std::string degrade;
  std::string export_format;  // one of ring_export_formats(); empty: no export
  std::string hostfile;       // of the export: names the hosts
  OutputOptions output;
  int jobs = 1;
  bool no_predict = false;
};

/// The scenario of one all-reduce on a ring: that of a bare cluster, or the last one of a sweep.
Scenario read_job(const RingsArguments& arguments) {
  ScenarioOverrides overrides = arguments.overrides;
  overrides.algorithm = "ring";
  overrides.ring = "by-rank";
  overrides.channels = "1";
  Scenario scenario = read_scenario(arguments.cluster, overrides);
  if (overrides.ranks && scenario.ranks.size() > 1) {
    throw ScenarioError{fmt::format("--ranks: {} numbers (expected one)", scenario.ranks.size())};
  }
  scenario.ranks = {*std::ranges::max_element(scenario.ranks)};
  if (scenario.training) {
    scenario.sizes = {scenario.training->parameters * size_of(scenario.reduction.type)};
    scenario.training.reset();
  }
  scenario.sizes = {*std::ranges::max_element(scenario.sizes)};
  if (!arguments.size.empty()) {
    scenario.sizes = {read_whole_elements(InputNode::from_option("--size", arguments.size),
                                          scenario.reduction.type)};
  }
  return scenario;
}

RingSearch read_search(const RingsArguments& arguments) {
  constexpr int most_channels = 1024;
  RingSearch search;
  if (arguments.channels != "auto") {
    const InputNode channels = InputNode::from_option("--channels", arguments.channels);
    if (arguments.channels.find_first_not_of("0123456789") != std::string::npos) {
      channels.fail(in_quotes(arguments.channels),
                    fmt::format("auto, or a whole number from 1 to {}", most_channels));
    }
    search.channels = channels.integer(1, most_channels);
  }
  search.time_limit = InputNode::from_option("--time-limit", arguments.time_limit).time();
  search.seed = InputNode::from_option("--seed", arguments.seed).integer(0, largest_seed);
  return search;
}

/// `svg`, `png` or `pdf` for a picture, else nothing.
std::string picture_format(const std::string& output) {
  const std::string suffix = std::filesystem::path{output}.extension();
  return suffix == ".svg" || suffix == ".png" || suffix == ".pdf" ? suffix.substr(1) : "";
}

/// mpirun accepts surplus and repeated hosts; here each line must name a node.
void check_hosts(const std::string& file, const ClusterSpec& cluster) {
  std::vector<std::string> hosts = hosts_of(file);
  const std::vector<int> of_ranks = nodes_of_ranks(cluster);
  const std::size_t nodes = std::set<int>{of_ranks.begin(), of_ranks.end()}.size();
  constexpr const char* expected = "a host for each";
  const std::string_view owner = cluster.job_gpus.empty() ? "the cluster" : "the job";
  if (hosts.size() > nodes) {
    throw ScenarioError{fmt::format("--hostfile: {}, but {} has {} (expected {})",
                                    counted(hosts.size(), "host"), owner, counted(nodes, "node"),
                                    expected)};
  }
  std::ranges::sort(hosts);
  if (const auto twice = std::ranges::adjacent_find(hosts); twice != hosts.end()) {
    throw ScenarioError{fmt::format("--hostfile: {} is named twice, but {} has {} (expected {})",
                                    *twice, owner, counted(nodes, "node"), expected)};
  }
}

/// Launchers and NCCL_GRAPH_FILE identify GPUs by their host.
void check_export(const std::string& format, const ClusterSpec& cluster) {
  if (format.empty() || format == "ringcast") return;
  if (std::ranges::any_of(cluster.node_types, is_several_hosts)) {
    throw ScenarioError{fmt::format(
        "--export {}: the hosts of a rack are one node here, as NVLink joins them (expected "
        "ringcast)",
        format)};
  }
}

void check_file(const RingsArguments& arguments, const Scenario& scenario) {
  constexpr int most_drawn = 4096;
  constexpr int most_around = 16'384;  // GPUs of 2 kB on two machines: the 64 MiB that are read
  const int ranks = scenario.ranks.front();
  const std::string& output = arguments.output.output;
  if (output.empty()) return;
  if (arguments.export_format.empty()) {
    format_of_name("--output", output, {"svg", "png", "pdf", "json", "csv", "txt"});
    const bool is_picture = !picture_format(output).empty();
    if (is_picture && ranks > most_drawn) {
      throw ScenarioError{
          fmt::format("--output {}: a picture of {} ranks (expected at most {}: fewer --ranks, or "
                      "a file .json, .csv or .txt)",
                      output, ranks, most_drawn)};
    }
    ClusterSpec whole = scenario.cluster;
    whole.job_gpus.clear();
    const int gpus = count_ranks(whole);
    if (is_picture && !arguments.degrade.empty() && gpus > most_around) {
      throw ScenarioError{fmt::format(
          "--output {}: with --degrade a picture of all {} GPUs of the cluster (expected at most "
          "{}: a cluster with fewer nodes, or a file .json, .csv or .txt)",
          output, gpus, most_around)};
    }
  }
  check_writable(output);
}

std::filesystem::path file_of(const std::filesystem::path& output, const std::string& host) {
  std::filesystem::path file = output;
  return file.replace_filename(
      fmt::format("{}.{}{}", output.stem().string(), host, output.extension().string()));
}

/// Writes the best rings in the format of --export. Where the hosts need different files, FILE.xml
/// becomes FILE.HOST.xml.
void write_ring_files(const RingComparison& comparison, const RingsArguments& arguments) {
  const std::string& output = arguments.output.output;
  const ComparedMachine& machine = comparison.machines.back();
  const FoundRings& best = machine.orders.back().found;
  const std::vector<std::string> names =
      arguments.hostfile.empty() ? std::vector<std::string>{} : hosts_of(arguments.hostfile);
  const JobMap map = job_map(*machine.paths, names);
  const ExportedRings rings{*machine.paths, map, best.rings, best.busbw};
  const std::vector<RingFile> files = exported(arguments.export_format, rings);
  if (const std::string note = note_of_export(arguments.export_format, rings); !note.empty()) {
    print_message(note + "\n");
  }
  if (output.empty()) {
    if (files.size() > 1) {
      throw ScenarioError{fmt::format(
          "--export {}: the {} need different files (expected --output FILE.xml, which becomes "
          "FILE.HOST.xml for each)",
          arguments.export_format, counted(files.size(), "host"))};
    }
    print_output(files.front().text);
    return;
  }
  for (const RingFile& file : files) {
    write_file(file.host.empty() ? std::filesystem::path{output} : file_of(output, file.host),
               file.text);
  }
  if (files.size() > 1) {
    print_message(fmt::format(
        "ringcast: a file for each of {}: {} to {}\n", counted(files.size(), "host"),
        file_of(output, files.front().host).string(), file_of(output, files.back().host).string()));
  }
}

void write_comparison(const RingComparison& comparison, const RingsArguments& arguments) {
  const std::string& output = arguments.output.output;
  const std::string picture = picture_format(output);
  if (!arguments.export_format.empty()) {
    write_ring_files(comparison, arguments);
  } else if (!picture.empty()) {
    write_file(output, picture_of_rings(to_json(comparison), picture));
  } else {
    write_answer(comparison, arguments.output);
  }
}

int run_rings(const RingsArguments& arguments) {
  RingQuestion question{read_job(arguments), read_search(arguments), arguments.degrade,
                        !arguments.no_predict, arguments.jobs};
  if (!question.scenario.note.empty()) print_message(question.scenario.note + "\n");
  const bool only_export = !arguments.export_format.empty() && arguments.output.output.empty();
  if (only_export && arguments.output.format != "table") {
    throw ScenarioError{fmt::format(
        "--format {}: with --export, standard output has the rings (expected --output FILE for "
        "them, or no --format)",
        arguments.output.format)};
  }
  question.simulates = question.simulates && !only_export;
  check_export(arguments.export_format, question.scenario.cluster);
  if (!arguments.hostfile.empty()) check_hosts(arguments.hostfile, question.scenario.cluster);
  check_file(arguments, question.scenario);
  const SignalWatch signals;
  RingComparison comparison;
  {
    ProgressBar search{"search", arguments.output.quiet};
    ProgressBar bar{"rings", arguments.output.quiet};
    comparison = compare_rings(question, shown_on(search), shown_on(bar));
  }
  for (const FailedCell& failure : comparison.failures) {
    print_failure(failure);
  }
  if (is_complete(comparison.failures)) write_comparison(comparison, arguments);
  if (!only_export) print_answer(comparison, arguments.output);
  return exit_code_for(comparison.failures);
}

void add_search_options(Command& command, RingsArguments& arguments) {
  command.option("--ranks", arguments.overrides.ranks,
                 "the number of ranks; by default all of the cluster");
  add_job_options(command, arguments.overrides);
  add_transport_options(command, arguments.overrides);
  command.option("--size", arguments.size,
                 "the buffer to predict for; by default the scenario's largest, or 1 GiB");
  command.option("--channels", arguments.channels, "the number of rings, or auto: the fastest")
      .shows_default();
  command.option("--time-limit", arguments.time_limit, "the longest that the search may take")
      .shows_default();
  command.option("--seed", arguments.seed, "of the search: the same seed finds the same rings")
      .shows_default();
  command.option("--degrade", arguments.degrade,
                 "compare again with slower or missing cables: node4.nic0=3GB/s,leaf0 - "
                 "spine0=missing");
}

}  // namespace

void add_rings_command(Command& program) {
  const auto arguments = std::make_shared<RingsArguments>();
  Command command = program.command(
      "rings", "search the fastest ring orders of a cluster, compare and export them");
  command.option("cluster", arguments->cluster, "a cluster or a scenario file").required();
  add_search_options(command, *arguments);
  const Option format =
      command
          .option("--export", arguments->export_format,
                  "write the rings for another program, to standard output or --output")
          .one_of(ring_export_formats());
  command
      .option("--hostfile", arguments->hostfile,
              "with --export: the names of the hosts that are the cluster's nodes, in its order")
      .file_name()
      .needs(format);
  add_output_options(command, arguments->output, "; a picture of the rings: .svg, .png or .pdf");
  add_jobs_option(command, arguments->jobs);
  command.flag("--no-predict", arguments->no_predict,
               "only search: bandwidths as the links allow, without latencies");
  command.flag("--quiet", arguments->output.quiet,
               "no progress bar, and no table where --output is given");
  command.runs([arguments] { return run_rings(*arguments); });
}

}  // namespace ringcast
