#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/refusal.hpp"

namespace ringcast {

/// A temporary folder of this process, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_{std::filesystem::temp_directory_path() / fmt::format("ringcast-test-{}", getpid())} {
    std::filesystem::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream{path_ / name, std::ios::binary} << text;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The message of the ScenarioError that `read` throws, with paths relative to the folder.
template <typename Read>
std::string message_of(const TemporaryFolder& folder, const Read& read) {
  std::string message = refusal_of(read);
  const std::string prefix = (folder / "").string();
  for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
    message.erase(at, prefix.size());
  }
  return message;
}

/// One slip in a file that is right otherwise, and what is said of it.
struct Slip {
  const char* name;
  std::string_view original;
  std::string_view replacement;
  std::string message = {};
};

inline std::string right_with(std::string right, const Slip& slip) {
  const std::size_t at = right.find(slip.original);
  EXPECT_NE(at, std::string::npos) << "the file does not have " << slip.original;
  if (at != std::string::npos) right.replace(at, slip.original.size(), slip.replacement);
  return right;
}

inline std::string name_of_slip(const ::testing::TestParamInfo<Slip>& slip) {
  return slip.param.name;
}

/// Two nodes of 4 GPUs at one switch: 8 ranks.
inline constexpr const char* eight_gpus = R"(name: eight GPUs
node_types:
  box:
    sockets:
      - root_complexes:
          - devices:
              - {kind: gpu, count: 4, link: pcie-3.0-x16}
              - {kind: nic, link: pcie-3.0-x16}
nodes:
  - {type: box, count: 2}
fabric: {kind: switch, link: infiniband-fdr-4x}
)";

}  // namespace ringcast
