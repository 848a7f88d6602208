#include "app/cli/sweep_options.hpp"

#include <fmt/ranges.h>

namespace ringcast {
namespace {

constexpr auto group = "Overriding the scenario";

}  // namespace

void add_transport_options(Command& command, ScenarioOverrides& overrides) {
  command
      .option("--transport", overrides.transport,
              "a transport file, a name of the catalogue, or a release of NCCL: nccl-2.26")
      .file_name()
      .group(group);
  command
      .option("--nccl-env", overrides.nccl_env,
              "NCCL's variables as the job has them: \"NCCL_ALGO=Ring,Tree NCCL_P2P_LEVEL=PHB\"")
      .group(group);
  command
      .option("--protocol", overrides.protocol,
              "protocols among which the tuner chooses, as NCCL_PROTO: LL,LL128,Simple")
      .group(group);
}

void add_job_options(Command& command, ScenarioOverrides& overrides) {
  command
      .option("--nodes", overrides.nodes,
              "nodes of the job, in its order: 0-3,16, or hosts: gpu[017-020]")
      .group(group);
  command.option("--gpus", overrides.gpus, "its GPUs on each node, as CUDA_VISIBLE_DEVICES: 4-7")
      .group(group);
}

void add_sweep_options(Command& command, ScenarioOverrides& overrides,
                       const std::vector<std::string>& algorithms,
                       const std::vector<std::string>& rings) {
  command.option("--ranks", overrides.ranks, "numbers of ranks: 8,16,40").group(group);
  command.option("--sizes", overrides.sizes, "buffer sizes: 1MiB,64MiB").group(group);
  command.option("--min,-b", overrides.min, "smallest size of a series").group(group);
  command.option("--max,-e", overrides.max, "largest size of a series").group(group);
  command.option("--factor,-f", overrides.factor, "ratio of one size to the previous").group(group);
  command
      .option("--algorithm", overrides.algorithm,
              fmt::format("algorithms: {}", fmt::join(algorithms, ",")))
      .group(group);
  command
      .option("--ring", overrides.ring,
              fmt::format("ring orders: {}, or a file of rings", fmt::join(rings, ",")))
      .group(group);
  command.option("--channels", overrides.channels, "numbers of rings that run in parallel: 1,8")
      .group(group);
  command
      .option("--segment-size", overrides.segment_size,
              "size of a chunk's segments: 512KiB, or whole")
      .group(group);
  command.option("--data-type", overrides.data_type, "float32, bfloat16, ...").group(group);
  command.option("--bucket-size", overrides.bucket_size, "training: bucket sizes, 4MiB,64MiB")
      .group(group);
  command.option("--overlap", overrides.overlap, "training: on, off or both").group(group);
}

}  // namespace ringcast
