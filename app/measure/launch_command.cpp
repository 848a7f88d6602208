#include "app/measure/launch_command.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

/// The file that is run for a program's name, without links; the name itself if there is none.
fs::path file_of(const fs::path& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders{program.has_parent_path() || path == nullptr ? "." : path};
  std::error_code none;
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path file = fs::canonical(folder / program, none);
    if (!none && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

/// Open MPI refuses to run as root without an option, and its ranks spin while they wait: on fewer
/// cores than ranks, that costs a time slice per message.
void add_mpirun_options(std::vector<std::string>& words, const LaunchOptions& options,
                        const LaunchPlace& place) {
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (place.is_root) {
    add({"--allow-run-as-root"});
  }
  if (options.oversubscribe && (!options.ranks || *options.ranks > place.cores)) {
    add({"--mca", "mpi_yield_when_idle", "1"});
  }
  if (options.unbound && options.mpirun_args.find("bind-to") == std::string::npos) {
    add({"--bind-to", "none"});
  }
}

bool is_plain(char c) {
  constexpr std::string_view plain = "-_./:=,+@%";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != plain.npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string{R"('\'')"} : std::string{c};
  }
  return text + "'";
}

std::vector<std::string> launcher_words(const LaunchOptions& options) {
  std::vector<std::string> words = split_words(options.launcher, "--launcher");
  if (words.empty()) words.emplace_back("mpirun");
  return words;
}

}  // namespace

// All names of Open MPI's launcher are links to one file; MPICH's are links to mpiexec.hydra.
bool is_open_mpis(const LaunchOptions& options) {
  const std::string name = file_of(launcher_words(options).front()).filename();
  return name == "mpirun" || name == "orterun" || name == "prterun" || name.ends_with(".openmpi");
}

LaunchPlace launch_place() {
  std::error_code none;
  const fs::path beside = fs::read_symlink("/proc/self/exe", none).parent_path() / "ringcast-mpi";
  return {.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
          .is_root = ::geteuid() == 0,
          .program = fs::exists(beside, none) ? beside : beside.filename()};
}

std::vector<std::string> launch_command(const LaunchOptions& options,
                                        const std::vector<std::string>& arguments,
                                        const LaunchPlace& place) {
  std::vector<std::string> words = launcher_words(options);
  if (options.ranks) {
    words.insert(words.end(), {"-n", fmt::format("{}", *options.ranks)});
  }
  if (!options.hostfile.empty()) {
    words.insert(words.end(), {"--hostfile", options.hostfile});
  }
  if (options.oversubscribe) {
    words.emplace_back("--oversubscribe");
  }
  if (is_open_mpis(options)) {
    add_mpirun_options(words, options, place);
  }
  const std::vector<std::string> more = split_words(options.mpirun_args, "--mpirun-args");
  words.insert(words.end(), more.begin(), more.end());
  words.push_back(place.program.string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::vector<std::string> split_words(std::string_view text, std::string_view option) {
  std::vector<std::string> words;
  std::optional<std::string> word;  // the current one
  char quote = 0;
  const auto append = [&word](auto more) { word = word.value_or("") + more; };
  const auto finish = [&] {
    if (word) words.push_back(*std::exchange(word, std::nullopt));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      append(text[++at]);
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      append("");
    } else if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      finish();
    } else {
      append(c);
    }
  }
  if (quote != 0) {
    throw ScenarioError{fmt::format("{}: {} without its end in {} (expected words as for a shell)",
                                    option, quote, text)};
  }
  finish();
  return words;
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + quoted(word);
  }
  return line;
}

}  // namespace ringcast
