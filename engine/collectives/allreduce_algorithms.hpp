#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/collectives/collective_options.hpp"
#include "engine/contracts/collective.hpp"

namespace ringcast {

/// The names of all all-reduce algorithms, in the order of help texts.
[[nodiscard]] const std::vector<std::string>& allreduce_names();
/// To add an algorithm: write its function, its message count and its chunk count in a file of its
/// own, declare them in algorithms.hpp, and add a line to the table in allreduce_algorithms.cpp.
/// Throws ContractViolation for a name that is not in the table, and for options that checked()
/// refuses.
[[nodiscard]] std::unique_ptr<Collective> make_allreduce(std::string_view name,
                                                         CollectiveOptions options);
/// An all-reduce in two phases: `reduce` combines each element on one rank, `gather` copies it from
/// there to all.
struct AllreduceHalves {
  std::shared_ptr<const Collective> reduce;
  std::shared_ptr<const Collective> gather;
};
/// The algorithms that can be run in halves.
[[nodiscard]] const std::vector<std::string>& names_with_halves();
/// Throws ContractViolation for any other.
[[nodiscard]] AllreduceHalves make_allreduce_halves(std::string_view name,
                                                    CollectiveOptions options);
/// How many messages one run exchanges, all ranks together. No fewer than there are; more where
/// there are so few elements that some pieces are empty.
[[nodiscard]] double allreduce_message_count(std::string_view name,
                                             const CollectiveOptions& options,
                                             std::uint64_t elements, Bytes element_size);
/// How many chunks the buffer is cut into, whose lengths differ by at most one element: if it has a
/// multiple of that many elements, they are all equal.
[[nodiscard]] std::uint64_t allreduce_chunk_count(std::string_view name,
                                                  const CollectiveOptions& options);
/// The rings that an all-reduce runs side by side, each on its share of the buffer; none: it is no
/// set of rings.
[[nodiscard]] std::vector<RingOrder> concurrent_rings(std::string_view name,
                                                      const CollectiveOptions& options);
/// The memory that a rank takes beside its buffer, at most.
[[nodiscard]] Bytes allreduce_scratch(std::string_view name, const CollectiveOptions& options,
                                      std::uint64_t elements, Bytes element_size);

}  // namespace ringcast
