#pragma once

#include "app/predict/validate.hpp"

namespace ringcast {

/// Sets ValidatedRow::best of the rows whose algorithm a tuner chose.
void add_best(Validation& validation, const PredictOptions& options);

}  // namespace ringcast
