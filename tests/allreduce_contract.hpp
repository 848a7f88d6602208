#pragma once

#include "engine/collectives/algorithms.hpp"
#include "engine/collectives/allreduce_algorithms.hpp"
#include "tests/collective_checks.hpp"
#include "tests/reduction_cases.hpp"

/// The third conformance suite: every all-reduce of allreduce_names() on a backend. A backend
/// instantiates
/// - AllreduceContract with ::testing::ValuesIn(every_allreduce(backend)), name_of_allreduce_case;
/// - AllreduceReductionContract with ::testing::ValuesIn(every_algorithm(backend)) and
///   name_of_algorithm_case.
///
/// A case makes a transport per reduction, so a backend must be able to run several in a process.
namespace ringcast {

struct AlgorithmCase {
  BackendUnderTest backend;
  std::string algorithm;
};
inline std::ostream& operator<<(std::ostream& out, const AlgorithmCase& algorithm_case) {
  return out << algorithm_case.backend << ' ' << algorithm_case.algorithm;
}

struct AllreduceCase {
  BackendUnderTest backend;
  std::string algorithm;
  int ranks;
};
inline std::ostream& operator<<(std::ostream& out, const AllreduceCase& allreduce_case) {
  return out << allreduce_case.backend << ' ' << allreduce_case.algorithm << ' '
             << allreduce_case.ranks << " ranks";
}

/// GoogleTest allows letters, digits and underscores.
inline std::string as_test_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}
inline const auto name_of_algorithm_case = [](const auto& test) {
  return fmt::format("{}_{}", test.param.backend.name, as_test_name(test.param.algorithm));
};
inline const auto name_of_allreduce_case = [](const auto& test) {
  return fmt::format("{}_{}_{}ranks", test.param.backend.name, as_test_name(test.param.algorithm),
                     test.param.ranks);
};

inline std::vector<AlgorithmCase> every_algorithm(const BackendUnderTest& backend) {
  std::vector<AlgorithmCase> cases;
  for (const std::string& name : allreduce_names()) {
    cases.push_back({backend, name});
  }
  return cases;
}
inline std::vector<AllreduceCase> every_allreduce(const BackendUnderTest& backend) {
  std::vector<AllreduceCase> cases;
  for (const std::string& name : allreduce_names()) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      cases.push_back({backend, name, ranks});
    }
  }
  return cases;
}

namespace contract {

/// One channel whose order does not begin with rank 0, or two; on nodes of one rank, of two, ...
inline CollectiveOptions backward_options(int ranks, int channels,
                                          std::optional<Bytes> segment_size) {
  CollectiveOptions options{{ring_of_channel(ranks, 1)}, segment_size};
  for (int node = 0; static_cast<int>(options.node_of.size()) < ranks; ++node) {
    const auto room = static_cast<std::size_t>(ranks) - options.node_of.size();
    options.node_of.insert(options.node_of.end(),
                           std::min(room, static_cast<std::size_t>(node) + 1), node);
  }
  if (channels == 2) {
    options.channels.push_back(ring_of_channel(ranks, 0));
  }
  return options;
}

/// Whole chunks, and segments that cut any of them.
inline std::vector<Shape> allreduce_shapes(int ranks, Bytes element_size) {
  std::vector<Shape> shapes;
  const auto n = static_cast<std::uint64_t>(ranks);
  for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{1}, n - 1, n, n + 1,
                                       std::uint64_t{101}, std::uint64_t{1001}}) {
    const std::uint64_t small = elements > 101 ? 17 : 3;
    for (const int channels : {1, 2}) {
      for (const auto& segment : {std::optional<Bytes>{}, std::optional{small * element_size}}) {
        shapes.push_back({elements, backward_options(ranks, channels, segment),
                          fmt::format("{} ranks, {} elements, {} channels, segments of {}", ranks,
                                      elements, channels, segment ? small : 0)});
      }
    }
  }
  return shapes;
}

/// Also in the two phases of an algorithm, if it has them.
inline void check_ways(RankContext& self, const std::string& algorithm, Shape shape) {
  check_allreduce(self, algorithm, shape);
  if (std::ranges::count(names_with_halves(), algorithm) > 0) check_halves(self, algorithm, shape);
  if (algorithm != "tree") return;
  shape.options.reduce_first = true;
  shape.name += ", sums first";
  check_allreduce(self, algorithm, shape);
}

/// All-reduces `input` three times, and requires the bits of rank 0 everywhere, every time.
inline void require_same_bits(RankContext& self, const std::string& algorithm, const Shape& shape,
                              const std::vector<std::byte>& input) {
  const Slice data = allocate(self, input.size());
  const CollectiveRequest request{data.buffer, shape.elements};
  const auto allreduce = make_allreduce(algorithm, shape.options);
  std::vector<std::byte> before;
  for (int repetition = 0; repetition < 3; ++repetition) {
    self.memory.write(data, input);
    allreduce->run(request, self);
    const std::vector<std::byte> result = bytes_of(self, data);
    require(repetition == 0 || result == before, "{}: repetition {} differs", shape.name,
            repetition);
    before = result;
  }

  make_ring_broadcast(shape.options, first)->run(request, self);
  require(bytes_of(self, data) == before, "{}: rank {} has other bits than rank 0", shape.name,
          index_of(self.network.rank()));
}

}  // namespace contract

class AllreduceContract : public BackendTest, public ::testing::TestWithParam<AllreduceCase> {};

TEST_P(AllreduceContract, LeavesTheNaiveSumOnEveryRank) {
  const auto& [backend, algorithm, ranks] = GetParam();
  const Reduction reduction{ElementType::float32, Operation::sum};
  const auto shapes = contract::allreduce_shapes(ranks, size_of(reduction.type));

  run(backend, ranks, reduction, [&, name = algorithm](RankContext& self) {
    for (const contract::Shape& shape : shapes) {
      contract::check_ways(self, name, shape);
    }
  });
}

class AllreduceReductionContract : public BackendTest,
                                   public ::testing::TestWithParam<AlgorithmCase> {
 protected:
  using Input = std::function<std::vector<std::byte>(int rank, std::uint64_t elements)>;

  /// Requires the same bits on all ranks, for 2 to 9 of them.
  static void run_for_same_bits(Reduction reduction, const Input& input) {
    for (int ranks = 2; ranks <= 9; ++ranks) {
      const contract::Shape shape{1001, contract::backward_options(ranks, 2, Bytes{68}),
                                  fmt::format("{} ranks", ranks)};
      run(GetParam().backend, ranks, reduction, [&](RankContext& self) {
        contract::require_same_bits(self, GetParam().algorithm, shape,
                                    input(index_of(self.network.rank()), shape.elements));
      });
    }
  }
};

/// Sums that round: their bits depend on the order in which an algorithm adds.
TEST_P(AllreduceReductionContract, RoundsToTheSameBitsOnEveryRank) {
  run_for_same_bits({ElementType::float32, Operation::sum}, [](int rank, std::uint64_t elements) {
    const auto seed = static_cast<std::uint64_t>(rank) + 1;
    return contract::varied_elements(ElementType::float32, elements, seed);
  });
}

/// 0 and -0 are equal: which of them a maximum is depends on the order of the operands.
TEST_P(AllreduceReductionContract, TakesTheSameZeroOnEveryRank) {
  run_for_same_bits({ElementType::float32, Operation::max}, [](int rank, std::uint64_t elements) {
    return contract::elements_as_bytes(ElementType::float32, elements, [rank](std::uint64_t i) {
      return (i >> static_cast<unsigned>(rank)) % 2 == 0 ? 0.0 : -0.0;
    });
  });
}

/// More segments in each half, quarter, ... of the buffer than may be in flight.
TEST_P(AllreduceReductionContract, CutsABufferIntoThousandsOfSegments) {
  constexpr int ranks = 5;
  const contract::Shape shape{2501, contract::backward_options(ranks, 1, Bytes{4}),
                              "tiny segments"};
  run(GetParam().backend, ranks, {ElementType::float32, Operation::sum},
      [&](RankContext& self) { contract::check_ways(self, GetParam().algorithm, shape); });
}

TEST_P(AllreduceReductionContract, CombinesEveryTypeByEveryOperation) {
  const auto& [backend, algorithm] = GetParam();
  for (const ReductionCase& one : every_reduction(backend)) {
    const Bytes segment = 5 * size_of(one.reduction.type);
    run(backend, 6, one.reduction, [&, name = algorithm](RankContext& self) {
      for (const std::uint64_t elements : {std::uint64_t{5}, std::uint64_t{101}}) {
        contract::check_allreduce(
            self, name,
            {elements, contract::backward_options(self.network.size(), 1, segment),
             fmt::format("{} {} of {} elements", name_of(one.reduction.operation),
                         name_of(one.reduction.type), elements)});
      }
    });
  }
}

}  // namespace ringcast
