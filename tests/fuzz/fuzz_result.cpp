#include "app/report/comparison.hpp"
#include "app/report/result.hpp"
#include "tests/fuzz/fuzz_reader.hpp"

namespace ringcast {
namespace {

void read_fuzzed(const std::string& text) {
  const Result result = result_from_json(text, "fuzzed.json");
  const Result again = result_from_json(to_json(result), "again.json");
  expect(again.rows.size() == result.rows.size(), "the result changes when it is written");
  static_cast<void>(to_table(result));
  static_cast<void>(to_csv(result));
  static_cast<void>(to_table(compare({"a.json", result}, {"b.json", again})));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
