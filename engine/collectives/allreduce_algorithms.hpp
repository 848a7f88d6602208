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
/// Whether the algorithm divides the buffer among the channels; others use the first one only.
/// False for a name that is not in the table.
[[nodiscard]] bool divides_among_channels(std::string_view name);
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
/// The number of messages of one run, by all ranks together. An upper bound if some pieces
/// are empty: with few elements, or in segments of few.
[[nodiscard]] double allreduce_message_count(std::string_view name,
                                             const CollectiveOptions& options,
                                             std::uint64_t elements, Bytes element_size);
/// The number of chunks that the buffer is cut into. Their lengths differ by at most one element:
/// they are equal if the number of elements is a multiple of this.
[[nodiscard]] std::uint64_t allreduce_chunk_count(std::string_view name,
                                                  const CollectiveOptions& options);
/// The concurrent rings of an all-reduce, each on its share of the buffer; none for algorithms that
/// are not rings.
[[nodiscard]] std::vector<RingOrder> concurrent_rings(std::string_view name,
                                                      const CollectiveOptions& options);
/// The most memory that a rank allocates in addition to its buffer. A backend may allocate more, to
/// receive what it then combines (ComposedAccumulate).
[[nodiscard]] Bytes allreduce_scratch(std::string_view name, const CollectiveOptions& options,
                                      std::uint64_t elements, Bytes element_size);

}  // namespace ringcast
