#pragma once

#include "app/predict/validate.hpp"

namespace ringcast {

/// Predicts the rows whose algorithm a tuner chose with each other algorithm that it has for the
/// machine too, and sets their ValidatedRow::best: a wrong choice is then seen as such.
void add_best(Validation& validation, const PredictOptions& options);

}  // namespace ringcast
