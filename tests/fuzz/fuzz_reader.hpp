#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/numbers/error.hpp"

namespace ringcast {

/// The body of a libFuzzer target: gives its input to `read` as a text. A refusal by ScenarioError
/// is as good as a result; any other exception, and what a sanitizer finds, stops the run.
template <typename Read>
int fuzz_reader(const std::uint8_t* data, std::size_t size, const Read& read) {
  try {
    read(std::string{data, data + size});
  } catch (const ScenarioError&) {
    return 0;
  }
  return 0;
}

}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
