#include "scenarios/algorithms.hpp"

#include "scenarios/scenario.hpp"

namespace ringcast {

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> table = {
      {"ring", [](RingOptions options) -> std::unique_ptr<Collective> {
         return std::make_unique<RingAllreduce>(std::move(options));
       }},
  };
  return table;
}

const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Algorithm& algorithm : algorithms()) all.emplace_back(algorithm.name);
    return all;
  }();
  return names;
}

}  // namespace ringcast
