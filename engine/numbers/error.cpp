#include "engine/numbers/error.hpp"

#include <new>
#include <system_error>

namespace ringcast {

int exit_code_of(const std::exception& failure) {
  if (dynamic_cast<const ScenarioError*>(&failure) != nullptr) {
    return 2;
  }
  if (dynamic_cast<const BackendUnavailable*>(&failure) != nullptr) {
    return 3;
  }
  if (dynamic_cast<const TransportError*>(&failure) != nullptr ||
      dynamic_cast<const std::bad_alloc*>(&failure) != nullptr ||
      dynamic_cast<const std::system_error*>(&failure) != nullptr) {  // the machine's limits
    return 4;
  }
  if (dynamic_cast<const WrongResult*>(&failure) != nullptr) {
    return 5;
  }
  if (dynamic_cast<const OutsideTolerance*>(&failure) != nullptr) {
    return 6;
  }
  if (dynamic_cast<const Interrupted*>(&failure) != nullptr) {
    return 130;  // 128 + SIGINT: what a shell reports for a program that Ctrl-C ended
  }
  return 1;
}

std::string text_of(const std::exception& failure) {
  return dynamic_cast<const std::bad_alloc*>(&failure) != nullptr
             ? "out of memory (expected more free memory, fewer ranks or smaller sizes)"
             : failure.what();
}

}  // namespace ringcast
