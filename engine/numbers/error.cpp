#include "engine/numbers/error.hpp"

#include <new>
#include <system_error>

namespace ringcast {

int exit_code_of(const std::exception& failure) {
  if (const auto* const error = dynamic_cast<const Error*>(&failure)) {
    return error->exit_code();
  }
  const bool is_of_system = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr ||
                            dynamic_cast<const std::system_error*>(&failure) != nullptr;
  return is_of_system ? TransportError::code : 1;  // resource limits of the host
}

void throw_error(int exit_code, const std::string& text) {
  switch (exit_code) {
    case 1:
      throw ContractViolation{text};
    case ScenarioError::code:
      throw ScenarioError{text};
    case BackendUnavailable::code:
      throw BackendUnavailable{text};
    case WrongResult::code:
      throw WrongResult{text};
    case OutsideTolerance::code:
      throw OutsideTolerance{text};
    case Interrupted::code:
      throw Interrupted{};
    default:
      throw TransportError{text};
  }
}

std::string text_of(const std::exception& failure) {
  return dynamic_cast<const std::bad_alloc*>(&failure) != nullptr
             ? "out of memory (expected more free memory, fewer ranks or smaller sizes)"
             : failure.what();
}

void detail::throw_violation(const char* file, int line, fmt::string_view format,
                             fmt::format_args args) {
  throw ContractViolation{fmt::format("{}:{}: {}", file, line, fmt::vformat(format, args))};
}

}  // namespace ringcast
