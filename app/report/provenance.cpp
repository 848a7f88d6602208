#include "app/report/provenance.hpp"

#include <array>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "app/common/file_input.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

// Defined in a file that the build writes anew when the answer changes (cmake/Version.cmake).
extern const char* const version_text;

std::string program_version() {
  return version_text;
}

std::string sha256_of(const std::filesystem::path& file) {
  return sha256_of(std::vector{file});
}

std::string sha256_of(const std::vector<std::filesystem::path>& files) {
  std::string bytes;
  for (const std::filesystem::path& file : files) {
    bytes += read_file(file, largest_yaml, "the file that was read before");
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

std::string time_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

Provenance provenance_of(const Scenario& scenario, std::string backend, bool simulated) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return {.program_version = program_version(),
          .scenario = scenario.name,
          .scenario_file = scenario.file.string(),
          .scenario_sha256 = sha256_of(scenario.file),
          .cluster = scenario.cluster.name,
          .backend = std::move(backend),
          .host = host.data(),
          .started_at = time_now(),
          .simulated = simulated};
}

}  // namespace ringcast
