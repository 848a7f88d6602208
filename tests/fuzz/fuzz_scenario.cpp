#include "app/config/scenario/plan.hpp"
#include "app/config/scenario/scenario_reader.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const Scenario scenario =
      read_scenario(yaml_of(RINGCAST_SOURCE_DIR "/scenarios/fuzzed.yaml", text));
  expect(!scenario.ranks.empty(), "a scenario without ranks");
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
