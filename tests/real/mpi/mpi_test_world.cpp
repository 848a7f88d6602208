#include "tests/real/mpi/mpi_test_world.hpp"

#include <algorithm>
#include <iostream>
#include <optional>

namespace ringcast::testing {
namespace {

std::optional<MpiWorld> the_world;

/// Reports a failure of any process on the first.
class FailureCollector final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::string mine;
    const ::testing::TestResult& result = *test.result();
    for (int i = 0; i < result.total_part_count(); ++i) {
      if (result.GetTestPartResult(i).failed()) {
        mine += result.GetTestPartResult(i).message();
      }
    }
    const std::vector<std::string> all = world().gather(mine);
    for (std::size_t rank = 1; rank < all.size() && world().rank() == Rank{0}; ++rank) {
      if (!all[rank].empty()) {
        ADD_FAILURE() << "process " << rank << ": " << all[rank];
      }
    }
  }
};

void listen() {
  ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (world().rank() != Rank{0}) {
    delete listeners.Release(listeners.default_result_printer());
  }
  listeners.Append(new FailureCollector);  // owned by GoogleTest
}

}  // namespace

MpiWorld& world() {
  return *the_world;
}

BackendUnderTest process_backend(
    const std::string& name,
    const std::function<std::unique_ptr<Transport>(int ranks, Reduction)>& make) {
  BackendUnderTest backend;
  backend.name = name;
  backend.make = [make](int ranks, Reduction reduction) -> std::unique_ptr<Transport> {
    return ranks > world().size() ? nullptr : make(ranks, reduction);
  };
  backend.is_a_rank = [](int ranks) { return index_of(world().rank()) < ranks; };
  backend.is_true_anywhere = [](bool here) {
    const std::vector<std::string> all = world().gather(here ? "yes" : "no");
    return std::ranges::find(all, "yes") != all.end();
  };
  return backend;
}

BackendUnderTest mpi_backend(const std::string& name, const MpiOptions& options) {
  return process_backend(name, [options](int ranks, Reduction reduction) {
    MpiOptions with_ranks = options;
    with_ranks.ranks = ranks;
    return make_mpi_transport(world(), reduction, with_ranks);
  });
}

}  // namespace ringcast::testing

int main(int argc, char** argv) {
  using namespace ringcast::testing;
  try {
    ::testing::InitGoogleTest(&argc, argv);
    if (::testing::GTEST_FLAG(list_tests)) {
      return RUN_ALL_TESTS();
    }
    the_world.emplace();
    listen();
    const int failed = RUN_ALL_TESTS();
    the_world.reset();
    return failed;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
