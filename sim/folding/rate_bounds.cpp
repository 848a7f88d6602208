#include "sim/folding/rate_bounds.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "sim/folding/folding.hpp"

namespace ringcast {
namespace {

/// The largest number of crossings of each link at once by the flows of all ranks, counted rank by
/// rank.
class Crossings {
 public:
  explicit Crossings(std::size_t links) : own_(links), all_(links) {}

  /// A flow of the current rank.
  void add(const Leg& leg) {
    ++flow_;
    for (const LinkId link : leg.links) {
      Own& own = own_[index_of(link)];
      if (own.flows == 0) links_.push_back(link);
      ++own.flows;
      own.by_last = std::exchange(own.last, flow_) == flow_ ? own.by_last + 1 : 1;
      own.by_one = std::max(own.by_one, own.by_last);
    }
  }
  /// Ends the current rank, which has at most `most_flows` flows at once.
  void end_rank(int most_flows) {
    for (const LinkId link : links_) {
      Own& own = own_[index_of(link)];
      all_[index_of(link)] += std::min(own.flows, most_flows * own.by_one);
      own = {};
    }
    links_.clear();
  }
  [[nodiscard]] double of(LinkId link) const { return all_[index_of(link)]; }

 private:
  struct Own {
    int flows = 0;    // crossings by all flows
    int by_one = 0;   // the most crossings by one flow
    int by_last = 0;  // crossings by the flow `last`
    int last = 0;
  };
  std::vector<Own> own_;
  std::vector<LinkId> links_;  // of the current rank
  std::vector<double> all_;
  int flow_ = 0;  // the last one
};

}  // namespace

// The streams of a class have equal rates, but these counts may differ among them: ranks of other
// classes may cross their links. So the least rate over the class is taken.
RateBounds Folding::rate_bounds() const {
  const std::span<const Link> links = paths_->topology().links();
  Crossings sent{links.size()};
  Crossings received{links.size()};
  Crossings copied{links.size()};
  for (int rank = 0; rank < ranks(); ++rank) {
    const DryRun::OneRank& own = run_.ranks[static_cast<std::size_t>(rank)];
    for (const int stream : own.streams) {
      const auto at = static_cast<std::size_t>(stream);
      (run_.streams[at].from == Rank{rank} ? sent : received).add(path_of_[at]->main);
    }
    sent.end_rank(own.most_sends);
    received.end_rank(own.most_recvs);
  }
  for (const RankCopy& copy : copies_) {
    copied.add(copy.leg);
    copied.end_rank(1);
  }

  constexpr BytesPerSecond unlimited{std::numeric_limits<double>::infinity()};
  RateBounds bounds{std::vector(job_.routes.size(), unlimited),
                    std::vector(job_.routes.size(), unlimited)};
  const auto bound = [&](int route, const Leg& leg) {
    const auto at = static_cast<std::size_t>(route);
    for (const LinkId link : leg.links) {
      const double bandwidth = links[index_of(link)].bandwidth.value();
      const auto alone = static_cast<double>(std::ranges::count(leg.links, link));
      const double shared = std::min(sent.of(link), received.of(link)) + copied.of(link);
      bounds.most[at] = std::min(bounds.most[at], BytesPerSecond{bandwidth / alone});
      bounds.least[at] =
          std::min(bounds.least[at], BytesPerSecond{bandwidth / std::max(alone, shared)});
    }
  };
  for (std::size_t stream = 0; stream < path_of_.size(); ++stream) {
    bound(stream_class_[stream], path_of_[stream]->main);
  }
  for (const RankCopy& copy : copies_) {
    const Rank representing = representative(Rank{copy.rank});
    const auto place = std::ranges::lower_bound(job_.ranks, representing) - job_.ranks.begin();
    bound(job_.copies[static_cast<std::size_t>(place)].at(copy.direction), copy.leg);
  }
  return bounds;
}

FluidJob at_rates(FluidJob job, const std::vector<BytesPerSecond>& rates) {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    FlowRoute& route = job.routes[i];
    if (route.crossings.empty()) continue;
    route.crossings.clear();
    route.limit = narrower(route.limit, rates[i]);
  }
  return job;
}

}  // namespace ringcast
