#pragma once

namespace ringcast {

// By which fraction of the predicted time published machines are faster and slower. Those of links
// are in LinkClass::spread.

/// 78 % of the published rows below 4 MiB are between these: most machines take longer than the
/// constants of NCCL and of other machines give, up to twice as long, few take less.
inline constexpr double overheads_shorter = 0.25;
inline constexpr double overheads_longer = 1;

/// How much longer the computation of several GPUs takes than that of one: input, host and kernels
/// of the communication, which the model does not have. With it, bands contain 89 % of the rows of
/// published trainings (tests/scenarios/published_trainings_test.py).
inline constexpr double computation_longer = 0.25;

}  // namespace ringcast
