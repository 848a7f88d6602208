#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/ring_export.hpp"
#include "tests/app/report/ring_file_readers.hpp"
#include "tests/topology/machines.hpp"
#include "topology/transfers/rank_places.hpp"

namespace ringcast::ring_files {

/// A job on all GPUs or processes of a machine.
class Job {
 public:
  explicit Job(const ClusterSpec& spec, int ranks = 0, const std::vector<std::string>& names = {})
      : topology_{build_cluster(spec)},
        paths_{
            topology_, {}, places_of_ranks(topology_, ranks > 0 ? ranks : topology_.ranks(), {})},
        map_{job_map(paths_, names)} {}

  [[nodiscard]] const TransferPaths& paths() const { return paths_; }
  [[nodiscard]] const JobMap& map() const { return map_; }
  [[nodiscard]] std::vector<RingFile> files(std::string_view format,
                                            const std::vector<RingOrder>& rings) const {
    return exported(format, {paths_, map_, rings, BytesPerSecond{48e9}});
  }
  [[nodiscard]] std::string text(std::string_view format,
                                 const std::vector<RingOrder>& rings) const {
    return files(format, rings).at(0).text;
  }
  [[nodiscard]] std::string note(std::string_view format,
                                 const std::vector<RingOrder>& rings) const {
    return note_of_export(format, {paths_, map_, rings, BytesPerSecond{48e9}});
  }
  [[nodiscard]] std::string refused(std::string_view format,
                                    const std::vector<RingOrder>& rings) const {
    return machines::refusal([&] { static_cast<void>(files(format, rings)); });
  }

  /// The ring that visits the devices in this order, beginning with rank 0.
  [[nodiscard]] std::vector<int> ranks_of(const std::vector<Device>& devices) const {
    std::vector<int> ranks;
    for (const Device& device : devices) {
      for (std::size_t rank = 0; rank < map_.places.size(); ++rank) {
        const JobMap::Place& place = map_.places[rank];
        if (Device{map_.hosts[static_cast<std::size_t>(place.host)], place.device} == device) {
          ranks.push_back(static_cast<int>(rank));
        }
      }
    }
    std::ranges::rotate(ranks, std::ranges::find(ranks, 0));
    return ranks;
  }

 private:
  Topology topology_;
  TransferPaths paths_;
  JobMap map_;
};

inline RingOrder ring(const std::vector<int>& ranks) {
  std::vector<Rank> order;
  for (const int rank : ranks)
    order.push_back(Rank{rank});
  return RingOrder{order};
}

}  // namespace ringcast::ring_files
