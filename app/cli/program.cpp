#include "app/cli/program.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/common/console.hpp"
#include "app/common/mapped.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "app/report/provenance.hpp"
#include "engine/numbers/error.hpp"
#include "engine/numbers/printable.hpp"

namespace ringcast {
namespace {

std::vector<std::string> command_names(CLI::App& app) {
  return mapped(app.get_subcommands({}), &CLI::App::get_name);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// Options of mpirun, nccl-tests and OSU that have other names here.
struct ForeignOption {
  std::string_view name;
  std::string_view ours;
  std::string_view use;
};
constexpr auto foreign_options = std::to_array<ForeignOption>({
    {"--hosts", "--hostfile", "--hostfile FILE, with a host a line"},
    {"--host", "--hostfile", "--hostfile FILE, with a host a line"},
    {"-H", "--hostfile", "--hostfile FILE, with a host a line"},
    {"--machinefile", "--hostfile", "--hostfile FILE"},
    {"-n", "--ranks", "--ranks 4"},
    {"-np", "--ranks", "--ranks 4"},
    {"--np", "--ranks", "--ranks 4"},
    {"--nprocs", "--ranks", "--ranks 4"},
    {"-g", "--ranks", "--ranks 8"},
    {"--ngpus", "--ranks", "--ranks 8"},
    {"--gpus", "--ranks", "--ranks 8"},
    {"--minbytes", "--min", "--min 1MiB"},
    {"--maxbytes", "--max", "--max 1GiB"},
    {"--stepfactor", "--factor", "--factor 2"},
    {"--iters", "--repetitions", "--repetitions 20"},
    {"-w", "--warmup", "--warmup 5"},
    {"--warmup_iters", "--warmup", "--warmup 5"},
    {"-d", "--data-type", "--data-type float32"},
    {"--datatype", "--data-type", "--data-type float32"},
    {"-o", "--output", "--output FILE"},
    {"--csv", "--format", "--format csv"},
    {"--json", "--format", "--format json"},
    {"--cluster", "", "the file of a scenario, whose key cluster names one"},
});

std::string unknown_option(const std::string& given, const std::vector<std::string>& names,
                           const std::string& help) {
  const std::string text = given.substr(0, given.find('='));
  for (const ForeignOption& foreign : foreign_options) {
    const bool is_here =
        foreign.ours.empty() || std::ranges::find(names, foreign.ours) != names.end();
    if (text == foreign.name && is_here) {
      return fmt::format("unknown option \"{}\" (expected {}; see {})", text, foreign.use, help);
    }
  }
  const std::vector<std::string_view> views{names.begin(), names.end()};
  return fmt::format("unknown option \"{}\"{} (see {})", text, suggestion(text, views), help);
}

/// CLI11's error as a message with a suggestion: CLI11 reports an unknown command as a missing one.
std::string problem(const CLI::ParseError& error, CLI::App& app) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  CLI::App& command = given.empty() ? app : *given.front();
  const std::string help =
      (given.empty() ? app.get_name() : app.get_name() + " " + command.get_name()) + " --help";
  const std::vector<std::string> surplus = app.remaining(true);
  const std::string text = surplus.empty() ? "" : surplus.front();

  if (text.starts_with('-')) {
    return unknown_option(text, option_names(command), help);
  }
  if (given.empty()) {
    const std::vector<std::string> names = command_names(app);
    const std::vector<std::string_view> views{names.begin(), names.end()};
    return fmt::format("{} (expected {}; see {})",
                       text.empty()
                           ? std::string{"no command"}
                           : fmt::format("unknown command \"{}\"{}", text, suggestion(text, views)),
                       listed(views, "or"), help);
  }
  if (!text.empty()) {
    return fmt::format("surplus argument \"{}\" (see {})", text, help);
  }
  std::string what = error.what();
  if (const std::size_t at = what.find(": At Most 1 required"); at != std::string::npos) {
    what = what.substr(0, at) + ": given more than once (expected once)";
  }
  if (what.ends_with(')')) {  // what is expected
    what.pop_back();
    return fmt::format("{}; see {})", what, help);
  }
  return fmt::format("{} (see {})", what, help);
}

void parse(CLI::App& app, int argc, char** argv, int& exit_code) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      throw ScenarioError{problem(error, app)};
    }
    exit_code = app.exit(error);  // --help, --version
  }
}

}  // namespace

Option Option::required() const {
  return Option{option_->required()};
}
Option Option::shows_default() const {
  return Option{option_->capture_default_str()};
}
Option Option::shows_default(const std::string& text) const {
  return Option{option_->default_str(text)};
}
Option Option::range(int least, int most) const {
  const auto problem = [least, most](const std::string& text) {
    int value = 0;
    return CLI::detail::lexical_cast(text, value) && value >= least && value <= most
               ? std::string{}
               : fmt::format("\"{}\" (expected a whole number from {} to {})", text, least, most);
  };
  return Option{option_->check(problem, fmt::format("INT in [{} - {}]", least, most))};
}
Option Option::one_of(const std::vector<std::string>& values) const {
  const auto problem = [values](const std::string& text) {
    const std::vector<std::string_view> views{values.begin(), values.end()};
    return std::ranges::find(values, text) != values.end()
               ? std::string{}
               : fmt::format("unknown \"{}\"{} (expected {})", text, suggestion(text, views),
                             listed(views, "or"));
  };
  return Option{option_->check(problem, fmt::format("{{{}}}", fmt::join(values, ",")))};
}
Option Option::file_name() const {
  return Option{option_->check([](const std::string& value) -> std::string {
    return value.empty() ? "an empty text (expected the name of a file)" : "";
  })};
}
Option Option::group(const std::string& heading) const {
  return Option{option_->group(heading)};
}
Option Option::needs(Option other) const {
  return Option{option_->needs(other.option_)};
}
Option Option::excludes(Option other) const {
  return Option{option_->excludes(other.option_)};
}

Command Command::command(const std::string& name, const std::string& help) {
  return {*app_->add_subcommand(name, help), *exit_code_};
}
template <typename Value>
Option Command::option(const std::string& names, Value& value, const std::string& help) {
  return Option{app_->add_option(names, value, help)};
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, std::optional<int>&, const std::string&);
template Option Command::option(const std::string&, std::optional<std::string>&,
                                const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
Option Command::callback_option(const std::string& names,
                                const std::function<void(const std::string&)>& read,
                                const std::string& help) {
  return Option{app_->add_option_function<std::string>(names, read, help)};
}
Option Command::duration(const std::string& name, Seconds& value, const std::string& help) {
  const auto read = [name, &value](const std::string& text) {
    try {
      value = parse_time(text);
    } catch (const ScenarioError& problem) {
      throw ScenarioError{fmt::format("{}: {}", name, problem.what())};
    }
    if (value <= Seconds{0}) {
      throw ScenarioError{fmt::format("{}: no time at all (expected e.g. 10 s)", name)};
    }
  };
  return callback_option(name, read, help).shows_default(to_text(value));
}
Option Command::flag(const std::string& names, bool& value, const std::string& help) {
  return Option{
      app_->add_flag(names, value, help)->multi_option_policy(CLI::MultiOptionPolicy::Throw)};
}
bool Command::has(const std::string& name) const {
  return app_->get_option_no_throw(name) != nullptr;
}
std::vector<std::string> Command::names() const {
  return option_names(*app_);
}
Option Command::find(const std::string& name) const {
  return Option{app_->get_option(name)};
}
std::vector<std::string> Command::given(const std::vector<std::string>& names) const {
  std::vector<std::string> words;
  for (const std::string& name : names) {
    const CLI::Option* option = app_->get_option(name);
    if (option->empty()) {
      continue;
    }
    words.push_back(name);
    if (option->get_expected_max() > 0) {  // no flag
      words.insert(words.end(), option->results().begin(), option->results().end());
    }
  }
  return words;
}
void Command::runs(const std::function<int()>& body) {
  app_->callback([body, exit_code = exit_code_] { *exit_code = body(); });
}

int run_program(const std::string& name, const std::string& description, int argc, char** argv,
                const std::function<void(Command&)>& add_commands) {
  occupy_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond ulimit -f fails with EFBIG
  try {
    CLI::App app{description, name};
    app.require_subcommand(1);
    app.set_version_flag("--version", program_version());
    app.get_formatter()->column_width(34);
    int exit_code = 0;
    Command program{app, exit_code};
    add_commands(program);
    parse(app, argc, argv, exit_code);
    finish_output();
    return exit_code;
  } catch (const Interrupted& stop) {
    print_message(fmt::format("{}: {}\n", name, stop.what()));
    return exit_code_of(stop);
  } catch (const Error& error) {
    print_message(without_controls(error.what()) + "\n");
    return exit_code_of(error);
  } catch (const std::exception& failure) {
    const bool is_bug = exit_code_of(failure) == 1;
    print_message(fmt::format(
        "{}: {}{}\n", name, is_bug ? "internal error, please report it: " : "", text_of(failure)));
    return exit_code_of(failure);
  }
}

}  // namespace ringcast
