#include "engine/contracts/choice.hpp"

#include <array>
#include <memory>

#include <gtest/gtest.h>

namespace ringcast {
namespace {

/// What a test completes.
struct Message {
  bool is_done = false;
  DoneMark mark;
  void complete() {
    is_done = true;
    mark.set();
  }
};

class Awaited final : public Pending::Operation {
 public:
  explicit Awaited(Message& message) : message_{&message} {}
  void wait() override {}
  void cancel() noexcept override {}
  [[nodiscard]] bool is_done() const override { return message_->is_done; }
  void mark_when_done(DoneMark mark) override {
    message_->mark = mark;
    if (message_->is_done) mark.set();
  }

 private:
  Message* message_;
};

Pending pending(Message& message) {
  return Pending{std::make_unique<Awaited>(message)};
}

// 130 operations, over three words of marks.
TEST(Choice, FindsTheNextCompleteOneAndThenTheFirst) {
  constexpr std::size_t operations = 130;
  std::array<Message, operations> messages;
  std::vector<Pending> all;
  for (Message& message : messages) {
    all.push_back(pending(message));
  }
  Choice choice{operations};
  for (std::size_t i = 0; i < operations; ++i) {
    choice.set(i, &all[i]);
  }
  EXPECT_EQ(choice.count(), operations);
  EXPECT_EQ(choice.next_marked(), std::nullopt);
  for (const std::size_t i : {std::size_t{129}, std::size_t{63}, std::size_t{64}}) {
    messages[i].complete();
  }
  EXPECT_EQ(choice.next_marked(), 63);
  choice.set(63, nullptr);
  messages[5].complete();  // has its turn after the later ones
  EXPECT_EQ(choice.next_marked(), 64);
  choice.set(64, nullptr);
  EXPECT_EQ(choice.next_marked(), 129);
  choice.set(129, nullptr);
  EXPECT_EQ(choice.next_marked(), 5);
  choice.set(5, nullptr);
  EXPECT_EQ(choice.next_marked(), std::nullopt);
  EXPECT_EQ(choice.count(), operations - 4);
}

TEST(Choice, FindsAnOperationThatWasCompleteBefore) {
  Message message;
  message.complete();
  const Pending operation = pending(message);
  Choice choice{1};
  choice.set(0, &operation);
  EXPECT_TRUE(choice.is_done(0));
  EXPECT_EQ(choice.next_marked(), 0);
}

// An operation that was replaced still marks its number.
TEST(Choice, IgnoresTheMarkOfAReplacedOperation) {
  Message before;
  Message now;
  const Pending first = pending(before);
  const Pending second = pending(now);
  Choice choice{1};
  choice.set(0, &first);
  choice.set(0, &second);
  before.complete();
  EXPECT_EQ(choice.next_marked(), std::nullopt);
  now.complete();
  EXPECT_EQ(choice.next_marked(), 0);
  choice.set(0, nullptr);
  EXPECT_FALSE(choice.is_done(0));
  EXPECT_EQ(choice.count(), 0);
}

}  // namespace
}  // namespace ringcast
