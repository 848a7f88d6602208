#include "sim/folding/dry_run.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// What one of two ranks does with the other.
struct Self {
  RankContext& context;
  Rank other;
  BufferId data;

  [[nodiscard]] Slice slice(Bytes length) const { return {data, 0_B, length}; }
  Pending send(int tag, Bytes length, Returns returns = {}) const {
    return context.network.send(other, slice(length), Tag{tag}, returns);
  }
  Pending recv(int tag, Bytes length) const {
    return context.network.recv(other, slice(length), Tag{tag});
  }
  Pending recv_accumulate(int tag, Bytes length) const {
    return context.network.recv_accumulate(other, slice(length), Tag{tag});
  }
};
using Part = std::function<void(const Self&)>;

DryRun dry_run_of(const Part& first, const Part& second) {
  return dry_run(2, Reduction{}, [&](RankContext& self) {
    const bool is_first = self.network.rank() == Rank{0};
    const Self one{self, Rank{is_first ? 1 : 0}, self.memory.allocate(100_B)};
    (is_first ? first : second)(one);
  });
}

bool have_one_shape(const Part& first, const Part& second) {
  const DryRun run = dry_run_of(first, second);
  return run.ranks[0].shape == run.ranks[1].shape;
}

TEST(DryRunShapes, AreEqualForEqualPrograms) {
  const Part part = [](const Self& self) {
    Pending sent = self.send(0, 4_B);
    self.recv(0, 4_B).wait();
    sent.wait();
  };
  EXPECT_TRUE(have_one_shape(part, part));
}

TEST(DryRunShapes, TellOperationsAndLengthsApart) {
  const auto does = [](auto operation) {
    return [=](const Self& self) { operation(self).wait(); };
  };
  const Part sends = does([](const Self& self) { return self.send(0, 4_B); });
  const Part recvs = does([](const Self& self) { return self.recv(0, 4_B); });
  const Part adds = does([](const Self& self) { return self.recv_accumulate(0, 4_B); });
  EXPECT_FALSE(have_one_shape(sends, does([](const Self& self) { return self.send(0, 8_B); })));
  EXPECT_FALSE(have_one_shape(recvs, does([](const Self& self) { return self.recv(0, 8_B); })));
  EXPECT_FALSE(
      have_one_shape(adds, does([](const Self& self) { return self.recv_accumulate(0, 8_B); })));
  EXPECT_FALSE(have_one_shape(recvs, adds));
}

TEST(DryRunShapes, TellReductionsAndComputationsApart) {
  const auto accumulates = [](Bytes length) {
    return [=](const Self& self) {
      static_cast<void>(self.context.reducer.accumulate(self.slice(length), self.slice(length)));
    };
  };
  const auto finishes = [](Bytes length) {
    return [=](const Self& self) {
      static_cast<void>(self.context.reducer.finish(self.slice(length), 2));
    };
  };
  const auto computes = [](Seconds work) {
    return [=](const Self& self) { static_cast<void>(self.context.processor.compute(work)); };
  };
  const Part nothing = [](const Self&) {};
  EXPECT_FALSE(have_one_shape(accumulates(4_B), nothing));
  EXPECT_FALSE(have_one_shape(accumulates(4_B), accumulates(8_B)));
  EXPECT_FALSE(have_one_shape(finishes(4_B), nothing));
  EXPECT_FALSE(have_one_shape(finishes(4_B), finishes(8_B)));
  EXPECT_FALSE(have_one_shape(computes(Seconds{1}), computes(Seconds{2})));
}

// On one stream or on two; the first of two sends is waited for first or last.
TEST(DryRunShapes, TellStreamsAndWaitsApart) {
  const auto sends_twice = [](int second_tag, bool in_order) {
    return [=](const Self& self) {
      Pending first = self.send(0, 4_B);
      Pending second = self.send(second_tag, 4_B);
      (in_order ? first : second).wait();
      (in_order ? second : first).wait();
    };
  };
  EXPECT_FALSE(have_one_shape(sends_twice(0, true), sends_twice(1, true)));
  EXPECT_FALSE(have_one_shape(sends_twice(1, true), sends_twice(1, false)));
}

// The answer comes on the first stream or on the second, or on none.
TEST(DryRunShapes, TellTheStreamsOfAnswersApart) {
  const auto lends = [](Returns returns) {
    return [=](const Self& self) {
      self.recv(1, 4_B).wait();
      self.recv(2, 4_B).wait();
      self.send(0, 4_B, returns).wait();
    };
  };
  EXPECT_FALSE(have_one_shape(lends({}), lends(Returns{Tag{1}})));
  EXPECT_FALSE(have_one_shape(lends(Returns{Tag{1}}), lends(Returns{Tag{2}})));
}

TEST(DryRunShapes, TellRepetitionsApartAndSkipThem) {
  const auto repeats = [](std::int64_t rounds) {
    return [=](const Self& self) { EXPECT_EQ(self.context.network.repeats({rounds}), rounds); };
  };
  EXPECT_FALSE(have_one_shape(repeats(10), repeats(20)));
}

TEST(DryRunShapes, TellOutlinesApart) {
  const auto outlines = [](auto declare) {
    return [=](const Self& self) { declare(*self.context.network.outline(), self); };
  };
  const Part one = outlines([](Outline& outline, const Self&) { outline.add(1); });
  const Part two = outlines([](Outline& outline, const Self&) { outline.add(2); });
  const Part sends = outlines([](Outline& outline, const Self& self) {
    outline.add(1);
    outline.sends(self.other, self.slice(4_B), Tag{0});
  });
  const Part receives = outlines([](Outline& outline, const Self& self) {
    outline.add(1);
    outline.receives(self.other, self.slice(4_B), Tag{0});
  });
  EXPECT_FALSE(have_one_shape(one, two));
  EXPECT_FALSE(have_one_shape(one, sends));
  EXPECT_FALSE(have_one_shape(one, receives));
}

// Two messages on one stream, then one on each of two, then one again.
TEST(DryRunStreams, AreCountedWhileTheyHaveMessagesThatAreNotWaitedFor) {
  const Part part = [](const Self& self) {
    for (const int second_tag : {0, 1}) {
      Pending first = self.send(0, 4_B);
      Pending second = self.send(second_tag, 4_B);
      first.wait();
      second.wait();
    }
    self.send(2, 4_B).wait();
  };
  const Part one_after_the_other = [](const Self& self) {
    for (const int tag : {0, 0, 1}) {
      Pending first = self.recv(tag, 4_B);
      Pending second = self.recv(tag, 4_B);
      first.wait();
      second.wait();
    }
  };
  const DryRun run = dry_run_of(part, one_after_the_other);

  EXPECT_EQ(run.ranks[0].most_sends, 2);
  EXPECT_EQ(run.ranks[0].most_recvs, 0);
  EXPECT_EQ(run.ranks[1].most_sends, 0);
  EXPECT_EQ(run.ranks[1].most_recvs, 1);
}

TEST(DryRunStreams, HavePeersInTheJob) {
  const Part to_nobody = [](const Self& self) {
    self.context.network.send(Rank{2}, self.slice(4_B), Tag{0}).wait();
  };
  EXPECT_THROW(static_cast<void>(dry_run_of(to_nobody, to_nobody)), ContractViolation);
}

}  // namespace
}  // namespace ringcast
