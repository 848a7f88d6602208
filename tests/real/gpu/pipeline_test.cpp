#include "real/gpu/pipeline.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"
#include "tests/real/gpu/fake_device.hpp"

namespace ringcast::testing {
namespace {

/// An operation that the test completes.
class Step final : public InFlight {
 public:
  explicit Step(const bool& is_done) : is_done_{&is_done} {}
  [[nodiscard]] bool done() override { return *is_done_; }

 private:
  const bool* is_done_;
};

class PipelineTest : public ::testing::Test {
 protected:
  /// Records the stage's letter and the offset of each piece that begins it.
  Pipeline::Stage stage(char letter, const bool& ends = always_) {
    return [this, letter, &ends](const Piece& piece, Workspace&) {
      begun_.push_back(fmt::format("{}{}", letter, piece.offset.count()));
      lengths_ += piece.length.count();
      return std::make_unique<Step>(ends);
    };
  }

  static constexpr bool always_ = true;
  FakeDevice device_{1};
  Staging staging_{device_, Bytes{8}};
  std::vector<std::string> begun_;
  std::uint64_t lengths_ = 0;
};

TEST_F(PipelineTest, EveryPieceGoesThroughEveryStageInOrder) {
  Pipeline pipeline{Bytes{20}, Bytes{8}, staging_, {stage('a'), stage('b')}};

  while (!pipeline.done()) {
  }

  for (const char letter : {'a', 'b'}) {
    std::vector<std::string> of_stage;
    std::ranges::copy_if(begun_, std::back_inserter(of_stage),
                         [letter](const std::string& one) { return one.front() == letter; });
    const std::vector<std::string> expected{fmt::format("{}0", letter), fmt::format("{}8", letter),
                                            fmt::format("{}16", letter)};
    EXPECT_EQ(of_stage, expected);
  }
  EXPECT_EQ(lengths_, 2 * 20U);  // each byte once per stage
}

TEST_F(PipelineTest, PiecesFollowWhileTheFirstIsInALaterStage) {
  bool b_ends = false;
  Pipeline pipeline{Bytes{64}, Bytes{8}, staging_, {stage('a'), stage('b', b_ends)}};

  while (pipeline.advance()) {
  }
  // Four pieces are in flight, each as far as possible: each begins b once, in order, as the stages
  // of different pieces overlap.
  EXPECT_EQ(std::ranges::count(begun_, "a24"), 1);
  EXPECT_EQ(std::ranges::count(begun_, "a32"), 0);
  EXPECT_FALSE(pipeline.done());

  b_ends = true;
  while (!pipeline.done()) {
  }
  EXPECT_EQ(begun_.size(), 2 * 8U);
}

TEST_F(PipelineTest, AStageThatHoldsUpAPieceHoldsUpThoseBehindIt) {
  bool a_ends = false;
  Pipeline pipeline{Bytes{24}, Bytes{8}, staging_, {stage('a', a_ends), stage('b')}};

  while (pipeline.advance()) {
  }
  EXPECT_EQ(begun_, (std::vector<std::string>{"a0", "a8", "a16"}));

  a_ends = true;
  while (!pipeline.done()) {
  }
  EXPECT_EQ(begun_.size(), 2 * 3U);
}

TEST_F(PipelineTest, RefusesNoStagesAndNoPieces) {
  EXPECT_THROW((Pipeline{Bytes{8}, Bytes{8}, staging_, {}}), ContractViolation);
  EXPECT_THROW((Pipeline{Bytes{8}, Bytes{0}, staging_, {stage('a')}}), ContractViolation);
}

TEST(BufferPool, GivesABufferAgainAfterItWasGivenBack) {
  int made = 0;
  BufferPool pool{
      Bytes{8}, [&made](Bytes size) {
        ++made;
        return OwnedBytes{new std::byte[size.count()], [](std::byte* bytes) { delete[] bytes; }};
      }};
  {
    const BufferPool::Lease one = pool.take();
    const BufferPool::Lease other = pool.take();
    EXPECT_NE(one.get(), other.get());
  }
  const BufferPool::Lease again = pool.take();

  EXPECT_EQ(made, 2);
}

TEST(Staging, RefusesSegmentsThatCutElements) {
  FakeDevice device{1};
  EXPECT_THROW((Staging{device, Bytes{12}}), ContractViolation);
  EXPECT_THROW((Staging{device, Bytes{0}}), ContractViolation);
}

TEST(Workspace, ScratchHasTheAlignmentOfItsDestination) {
  FakeDevice device{1};
  Staging staging{device, Bytes{8}};
  Workspace space{staging};
  const OwnedBytes destination = device.allocate(Bytes{64});

  const std::byte* const scratch = space.scratch_like(destination.get() + 20);

  const auto place = [](const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address) % vector_size;
  };
  EXPECT_EQ(place(scratch), place(destination.get() + 20));
}

}  // namespace
}  // namespace ringcast::testing
