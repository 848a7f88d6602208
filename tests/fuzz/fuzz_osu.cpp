#include "app/logs/import_file.hpp"
#include "app/report/result.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  ImportOptions options;
  options.ranks = 4;
  static_cast<void>(to_json(import_log(log_of("fuzzed.log", text), "osu", options).result));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
