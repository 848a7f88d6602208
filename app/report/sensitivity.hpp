#pragma once

#include "app/config/input_numbers.hpp"

namespace ringcast {

/// The effect of one input parameter on a row's time.
struct Sensitivity {
  InputNumber number;
  double change = 0;        // 0.1: raised and lowered by 10 % of it
  double when_raised = 0;   // (time with the raised number - time) / time
  double when_lowered = 0;  // the same for the lowered
};

}  // namespace ringcast
