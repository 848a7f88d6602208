#pragma once

#include <span>
#include <vector>

#include "engine/training/training_step.hpp"

/// How often the workers of asynchronous training push, each at its own pace.
///
/// All rates are measured over one window, which begins when each worker has ended its first round,
/// as the first pushes of all arrive at once and later ones are spread over time. It ends when each
/// has ended `window_rounds` more; the faster ones go on until then. If each worker stopped after a
/// number of rounds, the slowest would end theirs on idle servers, and the sum of the rates could
/// exceed what the links carry.
///
/// Workers are those of the ranks' times that have rounds; the others serve.
namespace ringcast {

inline constexpr int window_rounds = 8;
/// The rounds of equally fast workers that fill the window.
inline constexpr int first_guess_of_rounds = window_rounds + 2;

/// The mean round of all workers: its time is the number of workers divided by their rounds per
/// second. A worker that ends n rounds in the window makes n per time from its last end before the
/// window to the last one in it, but no more than n + 1 per time of the window, as its next round
/// ends later.
struct MeanRound {
  Seconds time;
  Seconds compute;
  Seconds exchange;  // pushes and pulls
};
/// Throws ContractViolation if a worker has less than `window_rounds` rounds in the window.
[[nodiscard]] MeanRound mean_round(std::span<const StepTimes> ranks);

/// Lets the workers whose rounds end within the window make more, about as many as fill it. Returns
/// whether there are any.
[[nodiscard]] bool fill_window(std::span<int> rounds, std::span<const StepTimes> ranks);

}  // namespace ringcast
