#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/common/cell_pool.hpp"
#include "engine/contracts/transport.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast::testing {

/// Runs `work` in a child process, since SimGrid has one simulation per process, and throws here
/// what it threw there.
inline std::string run_forked(const std::function<std::string()>& work) {
  const CellOutcome outcome =
      run_cells(1, 1, [&](std::size_t, const ReportProgress&) { return work(); }).front();
  if (outcome.succeeded()) {
    return outcome.text;
  }
  throw_error(outcome.exit_code, outcome.text);
}

inline double number_from_fork(const std::function<double()>& work) {
  return std::stod(run_forked([&] { return fmt::format("{}", work()); }));
}

/// A transport whose every run is a process of its own. What a program leaves in variables of the
/// test is lost; what it throws comes back.
class ForkedTransport final : public Transport {
 public:
  using Make = std::function<std::unique_ptr<Transport>()>;
  ForkedTransport(std::string name, int size, Make make)
      : name_{std::move(name)}, size_{size}, make_{std::move(make)} {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] int size() const override { return size_; }
  void run(const RankProgram& program) override {
    run_forked([&] {
      make_()->run(program);
      return std::string{};
    });
  }

 private:
  std::string name_;
  int size_;
  Make make_;
};

}  // namespace ringcast::testing
