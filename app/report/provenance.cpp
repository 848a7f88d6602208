#include "app/report/provenance.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/common/file_input.hpp"
#include "app/common/file_output.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

namespace {

/// The models of a cluster's GPUs: `V100, A100`; absent if not all are known.
std::optional<std::string> models_of(const ClusterSpec& cluster) {
  std::set<std::string> models;
  for (const NodeTypeSpec& type : cluster.node_types)
    models.insert(type.gpu);
  if (models.contains("")) return std::nullopt;
  return fmt::format("{}", fmt::join(models, ", "));
}

}  // namespace

// Defined in a file that the build generates (cmake/Version.cmake).
extern const char* const version_text;

std::string program_version() {
  return version_text;
}

std::string sha256_of(const std::filesystem::path& file) {
  return sha256_of(std::vector{file});
}

std::string sha256_of(const std::vector<std::filesystem::path>& files) {
  constexpr std::size_t any = std::size_t{1} << 40U;  // an output may be larger than any input
  std::string bytes;
  for (const std::filesystem::path& file : files) {
    bytes += read_file(file, any, "the file that was read before");
  }
  return sha256_of_bytes(bytes);
}

std::string sha256_of_bytes(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  expect(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) == 1,
         "SHA-256 is not available");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += fmt::format("{:02x}", digest.at(i));
  }
  return hex;
}

std::optional<std::string> digest_if_there(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::is_regular_file(file, none) ? std::optional{sha256_of(file)}
                                                      : std::nullopt;
}

std::string program_identity() {
  struct stat program {};
  const bool is_known = ::stat("/proc/self/exe", &program) == 0;
  return is_known ? fmt::format("{} {} {}.{:09}", program_version(), program.st_size,
                                program.st_mtim.tv_sec, program.st_mtim.tv_nsec)
                  : program_version();
}

std::optional<std::string> plan_digest(std::string_view settings) {
  const auto inputs = noted_inputs();
  if (!inputs) {
    return std::nullopt;
  }
  std::string plan = fmt::format("{}\n{}\n", program_identity(), settings);
  for (const std::filesystem::path& input : *inputs) {
    plan += sha256_of(input) + "\n";
  }
  return sha256_of_bytes(plan);
}

std::string time_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::string this_host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

Provenance provenance_of(const Scenario& scenario, std::string backend, bool simulated) {
  return {.program_version = program_version(),
          .scenario = scenario.name,
          .scenario_file = scenario.file.string(),
          .scenario_sha256 = sha256_of(scenario.file),
          .cluster = scenario.cluster.name,
          .backend = std::move(backend),
          .host = this_host_name(),
          .gpus = simulated ? models_of(scenario.cluster) : std::nullopt,
          .started_at = time_now(),
          .simulated = simulated};
}

std::string how(const Provenance& from) {
  if (from.simulated) {
    return "predicted";
  }
  return from.gpus ? fmt::format("measured with {} on {}", from.backend, *from.gpus)
                   : "measured with " + from.backend;
}

}  // namespace ringcast
