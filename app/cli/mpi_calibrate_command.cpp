#include <memory>

#include <unistd.h>

#include "app/calibrate/calibration.hpp"
#include "app/cli/commands.hpp"
#include "app/measure/on_ranks.hpp"
#include "real/mpi/mpi_transport.hpp"

namespace ringcast {
namespace {

struct CalibrateOptions {
  int ranks = 1;
  bool quick = false;
  Seconds timeout{60};
};

int run_mpi_calibrate(const CalibrateOptions& options, MpiWorld& world, RankReporter& reporter) {
  reporter.set_timeout(options.timeout);
  reporter.set_activity("measured the machine");
  expect_ranks(options.ranks, world.size());
  Calibration calibration;
  calibration.hosts = hosts_of_nodes(world);
  calibration.node_of = world.node_of();
  // All cores, not only those that the launcher binds this rank to.
  calibration.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const auto transport =
      reporter.in_call([&] { return make_mpi_transport(world, {}, {.timeout = options.timeout}); });
  transport->run([&](RankContext& self) {
    calibration.samples = measure_machine(self, calibration.node_of,
                                          options.quick ? quick_effort() : CalibrationEffort{});
  });
  if (world.rank() == Rank{0}) reporter.send(calibration_word, to_json(calibration));
  return 0;
}

}  // namespace

void add_mpi_calibrate_command(Command& program) {
  const auto options = std::make_shared<CalibrateOptions>();
  Command command = program.command(
      "calibrate", "measure these ranks; rank 0 reports what `ringcast calibrate` fits");
  command.option("--ranks", options->ranks, "the least number of ranks").range(1, 100'000);
  command.flag("--quick", options->quick, "fewer sizes and repetitions");
  command.duration("--timeout", options->timeout, "end a job that makes no progress for this long");
  command.runs([options] {
    return on_ranks([&](MpiWorld& world, RankReporter& reporter) {
      return run_mpi_calibrate(*options, world, reporter);
    });
  });
}

}  // namespace ringcast
