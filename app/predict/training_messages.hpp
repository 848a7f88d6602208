#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/config/scenario/training_plan.hpp"
#include "app/predict/predict.hpp"

namespace ringcast {

/// An upper bound of the messages of one iteration or, if workers are asynchronous, of the `rounds`
/// of each; by default of equally fast ones.
[[nodiscard]] double message_count(const PlannedTraining& planned,
                                   std::span<const int> rounds = {});
/// Throws ScenarioError for so many messages that simulating them would take too long.
void expect_simulable(double messages);
/// The elements of each all-reduce of an iteration, or of each of its halves.
[[nodiscard]] std::vector<std::uint64_t> call_sizes(const PlannedTraining& planned);
/// The bytes of all gradients, after compression.
[[nodiscard]] Bytes travelling_size(const PlannedTraining& planned);
/// The bytes that a rank accesses per iteration: all gradients, and the weights if these have
/// separate buffers.
[[nodiscard]] Bytes working_set(const PlannedTraining& planned);
/// Whether the calls are rings of whole chunks of at least one element.
[[nodiscard]] bool has_plain_rings(const PlannedTraining& planned);
/// The time of its simulation on one core if all ranks differ.
[[nodiscard]] Seconds expected_work(const PlannedTraining& planned, Fidelity fidelity);

}  // namespace ringcast
