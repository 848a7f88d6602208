#include "sim/model/message_stream.hpp"

#include <gtest/gtest.h>

#include "tests/sim/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast {
namespace {

/// Streams from one GPU to another and back, with 2 B on the cables for 1 B of payload, or 0.3 B of
/// lent slices and their answers.
class MessageStreamTest : public ::testing::Test {
 protected:
  MessageStreamTest() {
    path_.protocols = {{.efficiency = 0.5, .channel_rate = 4_GBps}};
    path_.lent_share = 0.3;
    path_.overhead = Seconds{1};
  }
  [[nodiscard]] static MessageSide side(Bytes length) {
    MessageSide side;
    side.length = length;
    return side;
  }

  Topology topology_{testing::star(2, 10_GBps, 0_us)};
  TransportProfile profile_ = testing::free_of_cost();
  TransferPaths paths_{topology_, profile_, places_of_ranks(topology_, 2, profile_)};
  TransferPath path_;
  MessageCost cost_{paths_, path_};
  MessageStream stream_{cost_};
  MessageStream back_{cost_};
};

TEST_F(MessageStreamTest, LentSlicesAndTheirAnswersTakeTheirShareAtLeastAByte) {
  EXPECT_EQ(cost_.on_wire(5_B, false), 10_B);
  EXPECT_EQ(cost_.on_wire(4_B, true), 1_B);  // 1.2
  EXPECT_EQ(cost_.on_wire(5_B, true), 2_B);  // 1.5
  EXPECT_EQ(cost_.on_wire(1_B, true), 1_B);  // 0.3
}

// The limit of the payload, 3 or 4 GB/s, for twice as many bytes.
TEST_F(MessageStreamTest, FlowsAreLimitedByTheirPayloadUnlessLent) {
  EXPECT_EQ(cost_.limit(5_B, BytesPerSecond{0}, false), 8_GBps);
  EXPECT_EQ(cost_.limit(5_B, 3_GBps, false), 6_GBps);
  EXPECT_EQ(cost_.limit(5_B, 3_GBps, true), BytesPerSecond{0});
}

TEST_F(MessageStreamTest, OneAnswerIsDueForEachLentSlice) {
  MessageSide lent = side(100_B);
  MessageSide answer = side(100_B);
  MessageSide other = side(100_B);

  stream_.post_lent(lent, back_);
  EXPECT_EQ(back_.answers_due(), 1);
  back_.post_send(answer);
  back_.post_send(other);

  EXPECT_TRUE(lent.is_lent);
  EXPECT_TRUE(answer.is_lent);
  EXPECT_FALSE(other.is_lent);
  EXPECT_EQ(back_.answers_due(), 0);
}

TEST_F(MessageStreamTest, AreFreeOnceEitherSideOfTheMessageOnTheWireIsWithdrawn) {
  for (const bool withdraws_send : {true, false}) {
    MessageStream stream{cost_};
    MessageSide send = side(4_B);
    MessageSide recv = side(4_B);
    stream.post_send(send);
    stream.post_recv(recv);
    ASSERT_TRUE(stream.begin(Seconds{0}));

    EXPECT_TRUE(stream.withdraw(withdraws_send ? send : recv));

    EXPECT_FALSE(stream.is_busy());
    EXPECT_EQ(stream.sends().size(), withdraws_send ? 0U : 1U);
    EXPECT_EQ(stream.recvs().size(), withdraws_send ? 1U : 0U);
  }
}

TEST_F(MessageStreamTest, StayBusyWhenALaterSideIsWithdrawn) {
  MessageSide send = side(4_B);
  MessageSide later = side(4_B);
  MessageSide recv = side(4_B);
  stream_.post_send(send);
  stream_.post_send(later);
  stream_.post_recv(recv);
  ASSERT_TRUE(stream_.begin(Seconds{0}));

  EXPECT_FALSE(stream_.withdraw(later));

  EXPECT_TRUE(stream_.is_busy());
  EXPECT_EQ(stream_.sends().size(), 1U);
}

// Sides of 4, 8 and 8 bytes: of one kind only without the first.
TEST_F(MessageStreamTest, KnowWhetherTheirPostedSidesAreAlike) {
  MessageSide first = side(4_B);
  MessageSide second = side(8_B);
  MessageSide third = side(8_B);
  PostedSides posted;
  EXPECT_TRUE(posted.are_alike());
  posted.push_back(second);
  posted.push_back(third);
  EXPECT_TRUE(posted.are_alike());
  posted.push_back(first);
  EXPECT_FALSE(posted.are_alike());
  posted.remove(first);
  EXPECT_TRUE(posted.are_alike());

  PostedSides popped;
  popped.push_back(first);
  popped.push_back(second);
  popped.push_back(third);
  EXPECT_FALSE(popped.are_alike());
  EXPECT_EQ(&popped.pop_front(), &first);
  EXPECT_TRUE(popped.are_alike());
  MessageSide limited = side(8_B);
  limited.limit = 1_GBps;
  popped.push_back(limited);
  EXPECT_FALSE(popped.are_alike());
  popped.remove(limited);
  MessageSide lent = side(8_B);
  lent.is_lent = true;
  popped.push_back(lent);
  EXPECT_FALSE(popped.are_alike());
}

// A message is ready its overhead after both sides are posted, and begins no earlier than now.
TEST_F(MessageStreamTest, BeginNoEarlierThanNow) {
  MessageSide send = side(4_B);
  MessageSide recv = side(4_B);
  recv.posted = Seconds{2};
  stream_.post_send(send);
  stream_.post_recv(recv);
  EXPECT_EQ(stream_.begin(Seconds{2}), Seconds{3});
  stream_.withdraw(send);

  stream_.post_send(send);

  EXPECT_EQ(stream_.begin(Seconds{5}), Seconds{5});
}

TEST_F(MessageStreamTest, CountWhatWasSent) {
  MessageSide send = side(5_B);
  MessageSide recv = side(4_B);
  stream_.post_send(send);
  stream_.post_recv(recv);
  ASSERT_TRUE(stream_.begin(Seconds{0}));

  static_cast<void>(stream_.end(Seconds{1}));

  EXPECT_EQ(recv.sent_length, 5_B);
  EXPECT_EQ(stream_.traffic().messages, 1U);
  EXPECT_EQ(stream_.traffic().bytes, 5U);
  EXPECT_EQ(stream_.traffic().on_cables, 10U);
}

}  // namespace
}  // namespace ringcast
