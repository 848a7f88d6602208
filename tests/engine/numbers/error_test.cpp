#include "engine/numbers/error.hpp"

#include <concepts>
#include <new>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

// One type per remedy: none of them is another, and a bug of ours is none of them.
static_assert(std::derived_from<ScenarioError, Error>);
static_assert(std::derived_from<BackendUnavailable, Error>);
static_assert(std::derived_from<TransportError, Error>);
static_assert(std::derived_from<WrongResult, Error>);
static_assert(std::derived_from<OutsideTolerance, Error>);
static_assert(std::derived_from<Error, std::runtime_error>);
static_assert(!std::derived_from<ContractViolation, Error>);
static_assert(std::derived_from<ContractViolation, std::logic_error>);

TEST(Expect, IsSilentWhenTheConditionHolds) {
  EXPECT_NO_THROW(expect(true, "never said: {}", 1));
}

TEST(Expect, NamesTheCallersFileAndLineAndFormatsTheText) {
  std::string message;
  constexpr int line_of_call = __LINE__ + 2;
  try {
    expect(false, "a ring of {} in a job of {}", 3, std::string{"four"});
  } catch (const ContractViolation& violation) {
    message = violation.what();
  }

  EXPECT_EQ(message, fmt::format("{}:{}: a ring of 3 in a job of four", __FILE__, line_of_call));
}

TEST(Error, HasAnExitCodeOfItsOwnForEveryRemedy) {
  EXPECT_EQ(exit_code_of(ScenarioError{""}), 2);
  EXPECT_EQ(exit_code_of(BackendUnavailable{""}), 3);
  EXPECT_EQ(exit_code_of(TransportError{""}), 4);
  EXPECT_EQ(exit_code_of(WrongResult{""}), 5);
  EXPECT_EQ(exit_code_of(OutsideTolerance{""}), 6);
  EXPECT_EQ(exit_code_of(ContractViolation{""}), 1);
  EXPECT_EQ(exit_code_of(std::bad_alloc{}), 4);
}

TEST(Error, IsThrownAgainByItsExitCode) {
  EXPECT_THROW(throw_error(ScenarioError::code, ""), ScenarioError);
  EXPECT_THROW(throw_error(BackendUnavailable::code, ""), BackendUnavailable);
  EXPECT_THROW(throw_error(WrongResult::code, ""), WrongResult);
  EXPECT_THROW(throw_error(OutsideTolerance::code, ""), OutsideTolerance);
  EXPECT_THROW(throw_error(Interrupted::code, ""), Interrupted);
  EXPECT_THROW(throw_error(1, ""), ContractViolation);
  EXPECT_THROW(throw_error(77, ""), TransportError);  // no failure has it
}

TEST(Error, CarriesItsMessageUnchanged) {
  EXPECT_STREQ(ScenarioError{"a.yaml:1:2: {}"}.what(), "a.yaml:1:2: {}");
}

}  // namespace
}  // namespace ringcast
