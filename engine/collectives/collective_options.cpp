#include "engine/collectives/collective_options.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"

namespace ringcast {

CollectiveOptions checked(CollectiveOptions options) {
  expect(!options.channels.empty(), "a ring collective needs at least one channel");
  for (const RingOrder& ring : options.channels) {
    expect(ring.size() == options.channels.front().size(), "channels of {} and of {} ranks",
           options.channels.front().size(), ring.size());
  }
  expect(options.segment_size != Bytes{0}, "a segment of no bytes");
  const auto ranks = static_cast<std::size_t>(options.channels.front().size());
  expect(options.node_of.empty() || options.node_of.size() == ranks, "the nodes of {} of {} ranks",
         options.node_of.size(), ranks);
  std::vector<Rank> servers = options.servers;
  std::ranges::sort(servers);
  expect(std::ranges::adjacent_find(servers) == servers.end(), "a server that comes twice");
  expect(servers.empty() || index_of(servers.front()) >= 0, "rank {} as a server",
         servers.empty() ? 0 : index_of(servers.front()));
  return options;
}

std::uint64_t segment_elements(const CollectiveOptions& options, Bytes element_size) {
  if (!options.segment_size) {
    return 0;
  }
  return std::max<std::uint64_t>(1, options.segment_size->count() / element_size.count());
}

void expect_whole_job(const CollectiveOptions& options, const Endpoint& network) {
  const int ranks = options.channels.front().size();
  expect(ranks == network.size(), "a ring of {} in a job of {}", ranks, network.size());
}

}  // namespace ringcast
