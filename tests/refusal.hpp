#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "engine/numbers/error.hpp"

namespace ringcast {

/// The message with which `act` refuses bad input, or that of another kind of failure.
template <typename Failure = ScenarioError, typename Act>
[[nodiscard]] std::string refusal_of(const Act& act) {
  try {
    static_cast<void>(act());
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "nothing was refused";
}

/// The lines of a text, as readers of tools' output take them.
[[nodiscard]] inline std::vector<std::string> lines_of_text(const std::string& text) {
  std::istringstream stream{text};
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace ringcast
