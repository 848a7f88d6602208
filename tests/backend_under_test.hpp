#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/contracts/transport.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {

/// Makes transports of the backend under test, which hold data.
struct BackendUnderTest {
  std::string name;
  /// Null if that many ranks are not possible here; the test is then skipped.
  std::function<std::unique_ptr<Transport>(int ranks, Reduction)> make;
  /// If every rank is a process that runs the test: whether this process is one of `ranks` ranks.
  /// Null if one process runs all ranks.
  std::function<bool(int ranks)> is_a_rank = nullptr;
  /// With is_a_rank: whether this is true in any process.
  std::function<bool(bool)> is_true_anywhere = nullptr;
};
inline std::ostream& operator<<(std::ostream& out, const BackendUnderTest& backend) {
  return out << backend.name;
}

/// The cases of one backend and of another, as values of a suite.
template <typename Cases>
auto values_of_both(const Cases& cases_of, const BackendUnderTest& one,
                    const BackendUnderTest& another) {
  auto cases = cases_of(one);
  for (const auto& more : cases_of(another)) {
    cases.push_back(more);
  }
  return ::testing::ValuesIn(cases);
}

inline const auto name_of_case = [](const auto& test) { return test.param.name; };

namespace contract {

class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) {
    throw CheckFailed{fmt::format(text, std::forward<Args>(args)...)};
  }
}

/// Requires that `action` throws an Expected.
template <typename Expected>
void require_throw(const std::function<void()>& action, const std::string& what) {
  try {
    action();
  } catch (const Expected&) {
    return;
  }
  throw CheckFailed{what + " was not refused"};
}

inline constexpr Rank first{0};
inline constexpr Rank second{1};
inline constexpr Rank third{2};
inline constexpr Tag tag{0};
inline constexpr Tag other_tag{7};

inline Slice allocate(RankContext& self, std::uint64_t bytes) {
  return {self.memory.allocate(Bytes{bytes}), Bytes{0}, Bytes{bytes}};
}

inline std::vector<std::byte> bytes_of(RankContext& self, Slice slice) {
  std::vector<std::byte> bytes(slice.length.count());
  self.memory.read(slice, bytes);
  return bytes;
}

/// A new buffer that holds one int.
inline Slice hold(RankContext& self, int value) {
  const Slice slice = allocate(self, sizeof(value));
  self.memory.write(slice, std::as_bytes(std::span{&value, 1}));
  return slice;
}
inline int value_of(RankContext& self, Slice slice) {
  int value = 0;
  self.memory.read(slice, std::as_writable_bytes(std::span{&value, 1}));
  return value;
}
inline void require_value(RankContext& self, Slice slice, int expected) {
  const int value = value_of(self, slice);
  require(value == expected, "rank {} holds {} (expected {})", index_of(self.network.rank()), value,
          expected);
}

/// A new buffer of ints that all have one value.
inline Slice hold_all(RankContext& self, std::uint64_t count, int value) {
  const Slice slice = allocate(self, count * sizeof(value));
  const std::vector<int> values(count, value);
  self.memory.write(slice, std::as_bytes(std::span{values}));
  return slice;
}
inline void require_all(RankContext& self, Slice slice, int expected) {
  std::vector<int> values(slice.length.count() / sizeof(int));
  self.memory.read(slice, std::as_writable_bytes(std::span{values}));
  const auto other = std::ranges::find_if(values, [&](int value) { return value != expected; });
  require(other == values.end(), "rank {} holds {} at {} of {} (expected {})",
          index_of(self.network.rank()), other == values.end() ? 0 : *other, other - values.begin(),
          values.size(), expected);
}

/// On one of two ranks. At the call: a wait could last until a peer's message comes.
inline void require_bounded_messages(RankContext& self) {
  const Rank peer{1 - index_of(self.network.rank())};
  const Slice behind{self.memory.allocate(Bytes{8}), Bytes{4}, Bytes{8}};
  const auto refuses = [](const auto& message, const std::string& what) {
    require_throw<ContractViolation>([&] { static_cast<void>(message()); }, what);
  };
  refuses([&] { return self.network.send(peer, behind, tag); }, "a long send");
  refuses([&] { return self.network.recv(peer, behind, tag); }, "a long recv");
  refuses([&] { return self.network.recv_accumulate(peer, behind, tag); }, "a long sum");
}

/// A barrier of two ranks. Messages with its tag are not part of the test.
inline void meet(RankContext& self, Rank peer) {
  constexpr Tag meeting{1000};
  const Slice theirs = allocate(self, 1);
  const Slice mine = allocate(self, 1);
  Pending came = self.network.recv(peer, theirs, meeting);
  self.network.send(peer, mine, meeting).wait();
  came.wait();
}

/// A dropped send leaves no message. For backends with rendezvous sends: an eager one has already
/// sent it.
inline void expect_a_dropped_send_is_withdrawn(Transport& transport) {
  transport.run([](RankContext& self) {
    if (self.network.rank() == first) {
      { const Pending dropped = self.network.send(second, hold(self, 1), tag); }
      meet(self, second);
      self.network.send(second, hold(self, 2), tag).wait();
      return;
    }
    const Slice slice = hold(self, 0);
    meet(self, first);
    self.network.recv(first, slice, tag).wait();
    require_value(self, slice, 2);
  });
}

/// Each of two ranks gets an error with both lengths. For backends whose ranks are threads.
inline void expect_both_sides_of_a_mismatch(Transport& transport) {
  std::string on_first;
  std::string on_second;
  transport.run([&](RankContext& self) {
    const bool sends = self.network.rank() == first;
    try {
      if (sends) {
        self.network.send(second, allocate(self, 8), Tag{5}).wait();
      } else {
        self.network.recv_accumulate(first, allocate(self, 4), Tag{5}).wait();
      }
    } catch (const TransportError& error) {
      (sends ? on_first : on_second) = error.what();
    }
  });

  EXPECT_EQ(on_first, "rank 0: send of 8 bytes to rank 1 under tag 5: rank 1 expects 4 bytes");
  EXPECT_EQ(on_second,
            "rank 1: recv_accumulate of 4 bytes from rank 0 under tag 5: rank 0 sends 8 bytes");
}

}  // namespace contract

/// For the suites of all backends: makes a transport, or skips the test.
class BackendTest {
 protected:
  static constexpr Reduction int_sum{ElementType::int32, Operation::sum};

  static void run(const BackendUnderTest& backend, int ranks, Reduction reduction,
                  const RankProgram& program) {
    const std::unique_ptr<Transport> transport = backend.make(ranks, reduction);
    if (!transport) {
      GTEST_SKIP() << "no " << ranks << " ranks on " << backend.name;
    }
    transport->run(program);
  }
};

}  // namespace ringcast
