#include "engine/reference/host_memory.hpp"

#include <gtest/gtest.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

constexpr Bytes largest_size{~std::uint64_t{0}};

std::string refusal_to_find(const Memory& memory, Slice slice) {
  std::vector<std::byte> bytes(16);
  try {
    memory.read(slice, bytes);
  } catch (const ContractViolation& violation) {
    const std::string message = violation.what();
    return message.substr(message.rfind(": ") + 2);  // behind file and line
  }
  return "accepted";
}

/// Memories of either kind, with buffers of 16 and of 0 bytes.
template <typename Kind>
class MemoryBounds : public ::testing::Test {
 protected:
  MemoryBounds() : buffer_{memory_.allocate(Bytes{16})}, empty_{memory_.allocate(Bytes{0})} {}
  Kind memory_;
  BufferId buffer_;
  BufferId empty_;
};
using Kinds = ::testing::Types<HostMemory, PhantomMemory>;
TYPED_TEST_SUITE(MemoryBounds, Kinds);

TYPED_TEST(MemoryBounds, RefuseSlicesThatEndOutside) {
  EXPECT_EQ(refusal_to_find(this->memory_, {this->buffer_, Bytes{1}, Bytes{16}}),
            "16 bytes at 1 of buffer 0, which has 16 bytes");
  EXPECT_EQ(refusal_to_find(this->memory_, {this->buffer_, Bytes{17}, Bytes{0}}),
            "0 bytes at 17 of buffer 0, which has 16 bytes");
  EXPECT_EQ(refusal_to_find(this->memory_, {this->empty_, Bytes{0}, Bytes{1}}),
            "1 bytes at 0 of buffer 1, which has 0 bytes");
}

TYPED_TEST(MemoryBounds, GiveScratchAgainWhereItIsLargeEnough) {
  const BufferId first = this->memory_.scratch(8_B);

  EXPECT_EQ(this->memory_.scratch(8_B), first);
  EXPECT_EQ(this->memory_.scratch(3_B), first);
  EXPECT_NE(this->memory_.scratch(9_B), first);
}

TYPED_TEST(MemoryBounds, RefuseSlicesWhoseEndOverflows) {
  EXPECT_EQ(refusal_to_find(this->memory_, {this->buffer_, Bytes{8}, largest_size}),
            "18446744073709551615 bytes at 8 of buffer 0, which has 16 bytes");
  EXPECT_EQ(refusal_to_find(this->memory_, {this->buffer_, largest_size, Bytes{8}}),
            "8 bytes at 18446744073709551615 of buffer 0, which has 16 bytes");
}

TYPED_TEST(MemoryBounds, RefuseUnknownBuffers) {
  EXPECT_EQ(refusal_to_find(this->memory_, {BufferId{2}, Bytes{0}, Bytes{1}}), "buffer 2 of 2");
  EXPECT_EQ(refusal_to_find(this->memory_, {BufferId{-1}, Bytes{0}, Bytes{1}}), "buffer -1 of 2");
}

TEST(HostMemory, KeepsWhatIsWrittenAndNothingElse) {
  HostMemory memory;
  const BufferId buffer = memory.allocate(Bytes{4});

  memory.write({buffer, Bytes{1}, Bytes{2}}, std::vector{std::byte{7}, std::byte{8}});

  std::vector<std::byte> bytes(4);
  memory.read({buffer, Bytes{0}, Bytes{4}}, bytes);
  EXPECT_EQ(bytes, (std::vector{std::byte{0}, std::byte{7}, std::byte{8}, std::byte{0}}));
}

TEST(HostMemory, FindsTheSameBytesAfterFurtherAllocations) {
  HostMemory memory;
  const Slice slice{memory.allocate(Bytes{8}), Bytes{4}, Bytes{4}};
  const std::span<std::byte> before = memory.find(slice);
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(memory.allocate(Bytes{8}));
  }

  const std::span<std::byte> after = memory.find(slice);

  EXPECT_EQ(before.data(), after.data());
  EXPECT_EQ(after.size(), 4U);
}

TEST(HostMemory, RefusesSpansOfAnotherLength) {
  HostMemory memory;
  const Slice slice{memory.allocate(Bytes{8}), Bytes{0}, Bytes{8}};
  std::vector<std::byte> short_by_one(7);

  EXPECT_THROW(memory.write(slice, short_by_one), ContractViolation);
  EXPECT_THROW(memory.read(slice, short_by_one), ContractViolation);
}

TEST(HostMemory, TakesEmptyBuffersAndSlices) {
  HostMemory memory;
  const Slice nothing{memory.allocate(Bytes{0}), Bytes{0}, Bytes{0}};

  memory.write(nothing, {});

  EXPECT_TRUE(memory.find(nothing).empty());
}

TEST(PhantomMemory, HoldsNoData) {
  PhantomMemory memory;
  const Slice slice{memory.allocate(Bytes{4}), Bytes{0}, Bytes{4}};
  std::vector<std::byte> bytes(4);

  EXPECT_FALSE(memory.holds_data());
  EXPECT_TRUE(HostMemory{}.holds_data());
  EXPECT_NO_THROW(memory.check(slice));
  EXPECT_THROW(memory.write(slice, bytes), ContractViolation);
  EXPECT_THROW(memory.read(slice, bytes), ContractViolation);
}

TEST(PhantomMemory, CountsBuffersThatNoMachineCouldHold) {
  PhantomMemory memory;
  const Slice end{memory.allocate(largest_size), Bytes{largest_size.count() - 1}, Bytes{1}};

  EXPECT_NO_THROW(memory.check(end));
  EXPECT_THROW(memory.check({end.buffer, largest_size, Bytes{1}}), ContractViolation);
}

}  // namespace
}  // namespace ringcast
