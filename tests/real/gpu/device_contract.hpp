#pragma once

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

#include "real/gpu/device.hpp"
#include "tests/real/gpu/arithmetic_cases.hpp"

/// The contract of device.hpp, for a GPU and for the fake one of the tests. A device instantiates
/// DeviceContract with ::testing::Values(device).
namespace ringcast::testing {

struct DeviceUnderTest {
  std::string name;
  /// Returns null if there is no such device; the test is then skipped.
  std::function<std::unique_ptr<Device>()> make;
};

class DeviceContract : public ::testing::TestWithParam<DeviceUnderTest> {
 protected:
  void SetUp() override {
    device_ = GetParam().make();
    if (!device_) {
      GTEST_SKIP() << "no " << GetParam().name << " here";
    }
    stream_ = device_->make_stream();
  }

  OwnedBytes upload(const Bytestring& bytes, std::size_t misalignment) {
    OwnedBytes memory = device_->allocate(Bytes{bytes.size() + misalignment + 1});
    stream_->copy(memory.get() + misalignment, bytes.data(), Bytes{bytes.size()});
    wait_for(*stream_->mark());
    return memory;
  }
  Bytestring download(const std::byte* from, std::size_t size) {
    Bytestring bytes(size);
    stream_->copy(bytes.data(), from, Bytes{size});
    wait_for(*stream_->mark());
    return bytes;
  }

  /// Combines on the device, with `into` and `from` at these offsets from a multiple of 256 bytes.
  Bytestring combined(Reduction reduction, const Bytestring& into, const Bytestring& from,
                      std::size_t into_shift, std::size_t from_shift) {
    const OwnedBytes mine = upload(into, into_shift);
    const OwnedBytes theirs = upload(from, from_shift);
    stream_->accumulate(reduction, mine.get() + into_shift, theirs.get() + from_shift,
                        Bytes{into.size()});
    return download(mine.get() + into_shift, into.size());
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceStream> stream_;
};

TEST_P(DeviceContract, CombinesEvery16BitPatternAsDefined) {
  const Bytestring every = every_16_bits();
  for (const ElementType type : {ElementType::float16, ElementType::bfloat16}) {
    for (const Operation operation : all_operations) {
      for (const std::uint16_t pattern : telling_16_bits()) {
        const Bytestring same = as_bytestring(std::vector<std::uint16_t>(1U << 16U, pattern));
        Bytestring expected = every;
        accumulate_bytes({type, operation}, expected, same);
        ASSERT_EQ(combined({type, operation}, every, same, 0, 0), expected)
            << name_of(type) << ' ' << name_of(operation) << ' ' << pattern;
      }
    }
  }
}

/// All alignments of two slices modulo 16 bytes, for no, few, and many elements.
TEST_P(DeviceContract, CombinesEveryTypeAtEveryAlignment) {
  for (const ElementType type : all_element_types) {
    const std::size_t size = size_of(type).count();
    for (const Operation operation : all_operations) {
      for (const std::size_t elements : {1UL, 2UL, 7UL, 8UL, 9UL, 4096UL, 10'007UL}) {
        const Bytestring into = random_elements(type, elements, 1);
        const Bytestring from = random_elements(type, elements, 2);
        Bytestring expected = into;
        accumulate_bytes({type, operation}, expected, from);
        for (std::size_t shift = 0; shift < 16; shift += size) {
          for (const std::size_t other : {shift, (shift + size) % 16}) {
            const Bytestring result = combined({type, operation}, into, from, shift, other);
            ASSERT_EQ(first_difference(type, expected, result), elements)
                << name_of(type) << ' ' << name_of(operation) << " at " << shift << ", " << other;
          }
        }
      }
    }
  }
}

TEST_P(DeviceContract, DividesEveryTypeAtEveryAlignment) {
  for (const ElementType type : all_element_types) {
    for (const int ranks : {1, 3, 8, 1000}) {
      for (const std::size_t elements : {1UL, 9UL, 100'003UL}) {
        const Reduction reduction{type, Operation::avg};
        const Bytestring sums = random_elements(type, elements, 5);
        Bytestring expected = sums;
        finish_bytes(reduction, expected, ranks);
        const std::size_t shift = size_of(type).count();
        const OwnedBytes memory = upload(sums, shift);
        stream_->finish(reduction, memory.get() + shift, Bytes{sums.size()}, ranks);
        const Bytestring result = download(memory.get() + shift, sums.size());
        ASSERT_EQ(first_difference(type, expected, result), elements) << name_of(type);
      }
    }
  }
}

TEST_P(DeviceContract, LeavesBytesBesideASliceAlone) {
  const Bytestring ones(64, std::byte{1});
  const OwnedBytes mine = upload(ones, 0);
  const OwnedBytes theirs = upload(ones, 0);

  stream_->accumulate({ElementType::int32, Operation::sum}, mine.get() + 4, theirs.get() + 4,
                      Bytes{52});

  Bytestring expected(64, std::byte{2});
  std::fill(expected.begin(), expected.begin() + 4, std::byte{1});
  std::fill(expected.begin() + 56, expected.end(), std::byte{1});
  EXPECT_EQ(download(mine.get(), 64), expected);
}

TEST_P(DeviceContract, SpinsForTheTimeAndStopsWhenTold) {
  using Clock = std::chrono::steady_clock;
  const OwnedBytes stop = device_->allocate_pinned(Bytes{sizeof(int)});
  auto* const flag = new (stop.get()) int{0};
  const Clock::time_point begin = Clock::now();
  stream_->spin(Seconds{0.05}, flag);
  wait_for(*stream_->mark());
  EXPECT_GE(Clock::now() - begin, Seconds{0.05});

  stream_->spin(Seconds{100}, flag);
  *static_cast<volatile int*>(flag) = 1;
  wait_for(*stream_->mark());
  EXPECT_LT(Clock::now() - begin, Seconds{50});
}

/// Streams run concurrently: the second ends while the first still spins.
TEST_P(DeviceContract, AStreamDoesNotWaitForAnother) {
  const OwnedBytes stop = device_->allocate_pinned(Bytes{sizeof(int)});
  auto* const flag = new (stop.get()) int{0};
  const OwnedBytes memory = device_->allocate(Bytes{64});
  const std::unique_ptr<DeviceStream> other = device_->make_stream();

  stream_->spin(Seconds{100}, flag);
  const std::unique_ptr<InFlight> spun = stream_->mark();
  other->clear(memory.get(), Bytes{64});
  wait_for(*other->mark());
  EXPECT_FALSE(spun->done());
  *static_cast<volatile int*>(flag) = 1;
  wait_for(*spun);

  Bytestring cleared(64, std::byte{1});
  other->copy(cleared.data(), memory.get(), Bytes{64});
  wait_for(*other->mark());
  EXPECT_EQ(cleared, Bytestring(64));
}

TEST_P(DeviceContract, SharedMemoryCanBeOpenedAndHoldsTheSameBytes) {
  const Bytestring sevens(1000, std::byte{7});
  const OwnedBytes memory = upload(sevens, 0);
  const SharedHandle handle = device_->share(memory.get());
  const std::unique_ptr<Device> other = GetParam().make();

  const OwnedBytes opened = other->open(handle);

  EXPECT_EQ(download(opened.get(), 1000), sevens);
}

TEST_P(DeviceContract, PinnedMemoryIsReadAndWrittenByBothSides) {
  const OwnedBytes pinned = device_->allocate_pinned(Bytes{16});
  std::fill_n(pinned.get(), 16, std::byte{3});
  const OwnedBytes memory = device_->allocate(Bytes{16});

  stream_->copy(memory.get(), pinned.get(), Bytes{16});
  wait_for(*stream_->mark());
  std::fill_n(pinned.get(), 16, std::byte{4});
  stream_->copy(pinned.get(), memory.get(), Bytes{16});
  wait_for(*stream_->mark());

  EXPECT_TRUE(std::all_of(pinned.get(), pinned.get() + 16,
                          [](std::byte byte) { return byte == std::byte{3}; }));
}

}  // namespace ringcast::testing
