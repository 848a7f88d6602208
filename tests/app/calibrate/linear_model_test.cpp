#include "app/calibrate/linear_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

// Residuals 1 + x, 2 + y: x = -1, y = -2 leave nothing of the sum of squares 5.
TEST(LinearModel, StepsToTheLeastSquares) {
  const LinearModel model{{{1, 0}, {0, 1}}, {1, 2}};

  const Vector step = model.step(1e-15);

  EXPECT_NEAR(step.at(0), -1, 1e-12);
  EXPECT_NEAR(step.at(1), -2, 1e-12);
  EXPECT_NEAR(model.promised(1e-15), 5, 1e-12);
}

// Rows 1, 2, 3 with residuals a + b row - (2, 3, 5): the line of least squares is 1/3 + 3/2 row.
TEST(LinearModel, FitsALine) {
  const Vector step = LinearModel{{{1, 1, 1}, {1, 2, 3}}, {-2, -3, -5}}.step(1e-15);

  EXPECT_NEAR(step.at(0), 1.0 / 3, 1e-9);
  EXPECT_NEAR(step.at(1), 3.0 / 2, 1e-9);
}

// (1 + x)^2 + 1 x^2 is least at x = -1/2, and (1 + x)^2 has fallen by 3/4 there.
TEST(LinearModel, StepsLessWhereItIsDamped) {
  const LinearModel model{{{1}}, {1}};

  EXPECT_NEAR(model.step(1).at(0), -0.5, 1e-15);
  EXPECT_NEAR(model.promised(1), 0.75, 1e-15);
}

TEST(LinearModel, LeavesAloneWhatHasNoEffect) {
  EXPECT_EQ(LinearModel({{0, 0}}, {1, 2}).step(1e-12), Vector{0});
  EXPECT_EQ(LinearModel({{0, 0}, {1, 0}}, {1, 2}).step(1e-12).at(0), 0);
  EXPECT_EQ(LinearModel({{0, 0}}, {1, 2}).promised(1e-12), 0);
}

// x and y do the same: only their sum is known, -1, and damping shares it between them.
TEST(LinearModel, SharesAmongEqualColumns) {
  const Vector step = LinearModel{{{1, 1}, {1, 1}}, {1, 1}}.step(1e-12);

  EXPECT_NEAR(step.at(0), -0.5, 1e-3);
  EXPECT_NEAR(step.at(0) + step.at(1), -1, 1e-9);
}

// (3, 4) beside (1, 0) is 4 long; beside a column of its own direction nothing is left.
TEST(OwnPart, IsWhatTheOthersCannotDo) {
  EXPECT_NEAR(own_part({{3, 4}}, 0, 1e-4), 5, 1e-15);
  EXPECT_NEAR(own_part({{3, 4}, {1, 0}}, 0, 1e-4), 4, 1e-15);
  EXPECT_NEAR(own_part({{1, 0}, {3, 4}}, 1, 1e-4), 4, 1e-15);
  EXPECT_NEAR(own_part({{3, 4}, {6, 8}}, 0, 1e-4), 0, 1e-14);
  EXPECT_NEAR(own_part({{3, 4}, {1, 0}, {0, 1}}, 0, 1e-4), 0, 1e-14);
}

TEST(OwnPart, DoesNotCountWhatIsTooShort) {
  EXPECT_NEAR(own_part({{3, 4}, {1e-5, 0}}, 0, 1e-4), 5, 1e-15);
}

}  // namespace
}  // namespace ringcast
