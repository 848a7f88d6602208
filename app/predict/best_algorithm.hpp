#pragma once

#include "app/predict/validate.hpp"

namespace ringcast {

/// Predicts the rows whose algorithm a tuner chose with each other algorithm of the tuner on that
/// machine, too, and sets their ValidatedRow::best, which shows wrong choices.
void add_best(Validation& validation, const PredictOptions& options);

}  // namespace ringcast
