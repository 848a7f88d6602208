#include "topology/ring_search.hpp"

#include "engine/numbers/error.hpp"
#include "topology/channel_rings.hpp"
#include "topology/ring_bounds.hpp"
#include "topology/ring_load.hpp"

namespace ringcast {

FoundRings search_rings(const TransferPaths& paths, const RingSearch& search) {
  expect(search.channels >= 0, "{} channels", search.channels);
  const auto busbw = [&](const std::vector<RingOrder>& rings) {
    const std::optional<RingBottleneck> found = ring_bottleneck(paths, rings);
    return found ? found->busbw : BytesPerSecond{0};
  };
  std::vector<RingOrder> rings{RingOrder::identity(paths.ranks())};
  std::vector<RingOrder> nccl = channel_rings(paths);
  if (busbw(nccl) > busbw(rings)) {
    rings = std::move(nccl);
  }
  const BytesPerSecond reached = busbw(rings);
  return {std::move(rings), reached, reached >= ring_bound(paths).busbw};
}

}  // namespace ringcast
