#include "real/mpi/segment.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/refusal.hpp"

namespace ringcast {
namespace {

constexpr Bytes pebibyte{std::uint64_t{1} << 50U};

class SegmentOf : public ::testing::TestWithParam<Sharing> {};

TEST_P(SegmentOf, IsZeroFilled) {
  const Segment segment{Bytes{(std::uint64_t{64} << 20U) + 1}, GetParam()};  // two steps

  EXPECT_EQ(segment.bytes().size(), (std::uint64_t{64} << 20U) + 1);
  EXPECT_TRUE(std::ranges::all_of(segment.bytes(), [](std::byte b) { return b == std::byte{}; }));
}

// Without a check the system would kill processes of its choice.
TEST_P(SegmentOf, MoreThanTheHostHasIsAnError) {
  const std::string refusal = refusal_of<TransportError>([] {
    const Segment segment{pebibyte, GetParam()};
  });

  EXPECT_TRUE(refusal.starts_with("taking 1 PiB of memory: the host has ")) << refusal;
}

// A host of many ranks has more segments than a process may have descriptors.
TEST(Segment, OfAnotherProcessKeepsNoDescriptor) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return std::distance(begin(all), end(all));
  };
  const Segment own{Bytes{4096}, Sharing::this_host};
  const auto before = descriptors();

  const Segment opened{Bytes{4096}, getpid(), own.descriptor()};

  EXPECT_EQ(descriptors(), before);
  opened.bytes()[7] = std::byte{5};
  EXPECT_EQ(own.bytes()[7], std::byte{5});
}

INSTANTIATE_TEST_SUITE_P(Shared, SegmentOf,
                         ::testing::Values(Sharing::this_process, Sharing::this_host),
                         [](const auto& tested) {
                           return tested.param == Sharing::this_host ? "host" : "process";
                         });

}  // namespace
}  // namespace ringcast
