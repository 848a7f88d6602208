#include "engine/schedule/ring_schedule.hpp"

#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

int modulo(int chunk, int size) {
  return ((chunk % size) + size) % size;
}

TEST(RingSteps, SendWhatTheyReceivedInTheStepBefore) {
  for (int step = 1; step < 6; ++step) {
    EXPECT_EQ(reduce_scatter_step(3, step).outgoing_chunk,
              reduce_scatter_step(3, step - 1).incoming_chunk);
    EXPECT_EQ(all_gather_step(3, step).outgoing_chunk, all_gather_step(3, step - 1).incoming_chunk);
  }
}

TEST(RingSteps, ReceiveWhatThePreviousPositionSends) {
  for (int size = 2; size <= 9; ++size) {
    for (int position = 0; position < size; ++position) {
      const int previous = modulo(position - 1, size);
      for (int step = 0; step < phase_steps(size); ++step) {
        EXPECT_EQ(modulo(reduce_scatter_step(position, step).incoming_chunk, size),
                  modulo(reduce_scatter_step(previous, step).outgoing_chunk, size));
        EXPECT_EQ(modulo(all_gather_step(position, step).incoming_chunk, size),
                  modulo(all_gather_step(previous, step).outgoing_chunk, size));
      }
    }
  }
}

TEST(RingSteps, CompleteChunkPAtPositionP) {
  for (int size = 2; size <= 9; ++size) {
    for (int position = 0; position < size; ++position) {
      const RingStep last = reduce_scatter_step(position, phase_steps(size) - 1);

      EXPECT_EQ(modulo(last.incoming_chunk, size), position);
      EXPECT_EQ(all_gather_step(position, 0).outgoing_chunk, position);
    }
  }
}

TEST(RingSchedule, MovesEveryOtherChunkThroughEveryPositionOnceInEachPhase) {
  for (int size = 1; size <= 9; ++size) {
    const ElementRange share{0, static_cast<std::uint64_t>(size) * 10};
    std::map<std::uint64_t, int> visits;
    for (int position = 0; position < size; ++position) {
      const RingSchedule schedule{RingPhases::both, position, size, share, 0};
      for (std::int64_t i = 0; i < schedule.count(); ++i) {
        ++visits[schedule[i].incoming.first];
      }
    }
    for (const auto& [first, count] : visits) {
      EXPECT_EQ(count, 2 * (size - 1)) << "chunk at " << first << " of " << size;
    }
  }
}

TEST(RingSchedule, HasNoTransferForOneRank) {
  EXPECT_EQ((RingSchedule{RingPhases::both, 0, 1, {0, 100}, 10}.count()), 0);
}

TEST(RingSchedule, SendsSegmentByIndexWhatItReceivedOneChunkEarlier) {
  const RingSchedule schedule{RingPhases::both, 1, 3, {0, 100}, 7};

  // The largest chunk has 34 elements: five segments of at most 7.
  ASSERT_EQ(schedule.segments(), 5);
  ASSERT_EQ(schedule.count(), 2 * 2 * 5);
  for (std::int64_t i = schedule.segments(); i < schedule.count(); ++i) {
    EXPECT_EQ(schedule[i].outgoing, schedule[i - schedule.segments()].incoming);
  }
  // Chunks of 2, 1 and 1 elements.
  EXPECT_EQ((RingSchedule{RingPhases::both, 1, 3, {0, 4}, 1}.segments()), 2);
}

TEST(RingSchedule, CompletesChunksInTheLastReducingStepOnly) {
  const RingSchedule schedule{RingPhases::both, 0, 4, {0, 16}, 2};

  for (std::int64_t i = 0; i < schedule.count(); ++i) {
    const std::int64_t step = i / schedule.segments();
    const Arrival expected = step < 2    ? Arrival::combines
                             : step == 2 ? Arrival::completes
                                         : Arrival::replaces;
    EXPECT_EQ(schedule[i].arrival, expected) << "step " << step;
  }
}

TEST(RingSchedule, CompletesNothingInAPartialReduceScatter) {
  const RingSchedule schedule{RingPhases::partial_reduce_scatter, 0, 4, {0, 16}, 0};

  ASSERT_EQ(schedule.count(), 3);
  for (std::int64_t i = 0; i < schedule.count(); ++i) {
    EXPECT_EQ(schedule[i].arrival, Arrival::combines) << "step " << i;
  }
}

// Three groups of five chunks of 4: 4, 8 and 8 elements. Position 0 first sends the chunk of
// position 2, and receives that of position 1, in as many segments as the longest needs.
TEST(RingSchedule, MovesChunksOfGivenLengths) {
  const RingSchedule schedule{RingPhases::reduce_scatter, 0, ChunkGroups{{{100, 20}, 5}, 3}, 4};

  ASSERT_EQ(schedule.segments(), 2);
  EXPECT_EQ(schedule[0].outgoing, (ElementRange{112, 4}));
  EXPECT_EQ(schedule[1].incoming, (ElementRange{108, 4}));
  EXPECT_EQ(schedule[3].incoming, (ElementRange{102, 2}));
}

TEST(RingSchedule, RefusesAPositionOutsideTheRing) {
  EXPECT_THROW((RingSchedule{RingPhases::both, 3, 3, {0, 1}, 0}), ContractViolation);
  EXPECT_THROW((RingSchedule{RingPhases::both, -1, 3, {0, 1}, 0}), ContractViolation);
}

TEST(SegmentCount, IsTheFewestThatFit) {
  EXPECT_EQ(segment_count(0, 4), 1);
  EXPECT_EQ(segment_count(4, 4), 1);
  EXPECT_EQ(segment_count(5, 4), 2);
  EXPECT_EQ(segment_count(5, 0), 1);
  EXPECT_EQ(segment_count(2'147'483'647, 1), 2'147'483'647);
  EXPECT_THROW(static_cast<void>(segment_count(1ULL << 40U, 1)), ContractViolation);
}

TEST(RingSchedule, SkipsToTheTransfersThatHaveElements) {
  const auto is_empty = [](const Transfer& transfer) {
    return transfer.outgoing.count == 0 && transfer.incoming.count == 0;
  };
  for (const RingPhases phases :
       {RingPhases::reduce_scatter, RingPhases::all_gather, RingPhases::both}) {
    for (int size = 1; size <= 7; ++size) {
      for (std::uint64_t elements = 0; elements <= 8; ++elements) {
        for (int position = 0; position < size; ++position) {
          const RingSchedule ring{phases, position, size, {100, elements}, 0};
          for (std::int64_t from = 0; from <= ring.count(); ++from) {
            std::int64_t next = from;
            while (next < ring.count() && is_empty(ring[next])) {
              ++next;
            }
            EXPECT_EQ(ring.next_filled(from), next)
                << elements << " elements, position " << position << " of " << size;
          }
        }
      }
    }
  }
}

// The only element is in the chunk that position 0 sends first.
TEST(RingSchedule, SkipsNothingWhereChunksAreRenumbered) {
  const ChunkGroups groups{{{0, 1}, 3}, 3};
  const RingSchedule ring{RingPhases::both, 0, groups.in_sequence({2, 1, 0}), 0};

  ASSERT_EQ(ring[0].outgoing.count, 1U);
  EXPECT_EQ(ring.next_filled(0), 0);
}

// Groups of two chunks, which have 2, 1 or no elements, are cut into two segments.
TEST(RingSchedule, SkipsWholeStepsOfSeveralSegments) {
  for (std::uint64_t elements = 0; elements <= 10; ++elements) {
    for (int position = 0; position < 5; ++position) {
      const RingSchedule ring{RingPhases::both, position, ChunkGroups{{{100, elements}, 10}, 5}, 1};
      const auto is_empty = [&](std::int64_t index) {  // the step has its longest segment first
        const Transfer first = ring[index - index % ring.segments()];
        return first.outgoing.count == 0 && first.incoming.count == 0;
      };
      for (std::int64_t from = 0; from <= ring.count(); ++from) {
        std::int64_t next = from;
        while (next < ring.count() && is_empty(next)) {
          ++next;
        }
        EXPECT_EQ(ring.next_filled(from), next) << elements << " elements, position " << position;
      }
    }
  }
}

/// The lengths and arrivals of a step, and of the transfers that it waits for.
std::vector<std::tuple<std::uint64_t, std::uint64_t, Arrival>> step_of(const RingSchedule& ring,
                                                                       int step) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, Arrival>> transfers;
  for (std::int64_t i = std::int64_t{step - 1} * ring.segments();
       i < std::int64_t{step + 1} * ring.segments(); ++i) {
    const Transfer transfer = ring[i];
    transfers.emplace_back(transfer.outgoing.count, transfer.incoming.count, transfer.arrival);
  }
  return transfers;
}

// A step that repeats the last one has its transfers, and follows one that had, too: each run of
// steps of a kind repeats from its third step to its last.
TEST(RingSchedule, SaysHowManyStepsRepeatTheLast) {
  for (const int size : {1, 2, 3, 4, 5, 9}) {
    for (const std::uint64_t segment : {0U, 3U}) {
      for (const RingPhases phases : {RingPhases::reduce_scatter, RingPhases::all_gather,
                                      RingPhases::partial_reduce_scatter, RingPhases::both}) {
        const RingSchedule ring{
            phases, size / 2, size, {0, 10U * static_cast<unsigned>(size)}, segment};
        const auto steps = static_cast<int>(ring.count() / ring.segments());
        for (int step = 2; step < steps; ++step) {
          int repeated = 0;
          while (step + repeated < steps &&
                 step_of(ring, step + repeated) == step_of(ring, step - 1)) {
            ++repeated;
          }

          EXPECT_EQ(ring.steps_like_last(step), repeated) << size << " ranks, step " << step;
        }
        EXPECT_EQ(ring.steps_like_last(0), 0);
        EXPECT_EQ(ring.steps_like_last(1), 0);
        EXPECT_EQ(ring.steps_like_last(steps), 0);
        EXPECT_EQ(ring.steps_like_last(steps + 1), 0);
      }
    }
  }
}

TEST(RingSchedule, RepeatsNothingWhereChunksDiffer) {
  const RingSchedule ring{RingPhases::both, 0, 8, {0, 81}, 0};

  for (int step = 0; step < 14; ++step) {
    EXPECT_EQ(ring.steps_like_last(step), 0);
  }
}

}  // namespace
}  // namespace ringcast
