// A linear programme over all ring orders: ring r gets the bus bandwidth y_r and crosses link l
// c(l, r) times.
//
//   maximize sum y_r   such that   sum over r of c(l, r) y_r <= b_l for each link, y >= 0
//
// Its dual puts a price on each link so that each ring costs at least 1. For all prices p >= 0
//
//   busbw <= sum over l of p_l b_l / (the cost of the cheapest ring),
//
// of which C / m in ring_bounds.cpp, with equal prices for the links between m parties, is a
// special case. Rings are generated on demand (column generation; Gilmore, Gomory: A linear
// programming approach to the cutting-stock problem, 1961): the simplex method needs a ring that
// costs less than 1 at its current prices, and shortest_cycle() finds the cheapest. The bound is
// tighter than those by cuts, which do not express that a ring visits each rank once:
//
//   four GPUs with NVLinks of 25 GB/s in a square, a fifth connected to one of them by 50 GB/s,
//   PCIe of 5 GB/s for the rest: a ring that enters the fifth by its NVLink leaves it by PCIe. So
//   rings reach 5 + 5 GB/s, while the cut at the fifth has 55.
#include "topology/rings/ring_mix.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include <coin/ClpSimplex.hpp>

#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"
#include "topology/rings/job_nodes.hpp"
#include "topology/rings/shortest_cycle.hpp"

namespace ringcast::detail {

namespace {

/// The most rings: far more than machines of 13 ranks have needed.
constexpr int most_steps = 2'000;
/// The relative accuracy of the optimum, and the share of a ring that counts as zero.
constexpr double accuracy = 1e-6;
constexpr double nothing = 1e-9;

/// The crossings of links by a hop: row of the programme, number of times.
using Column = std::vector<std::pair<std::size_t, double>>;

class RingProgramme {
 public:
  RingProgramme(const TransferPaths& paths, const BoundedRings& bounded)
      : ranks_{index(paths.ranks())} {
    crossings_.resize(ranks_ * ranks_);
    for (std::size_t from = 0; from < ranks_; ++from) {
      for (std::size_t to = 0; to < ranks_; ++to) {
        if (from != to) {
          add_hop(paths, from, to, bounded);
        }
      }
    }
  }

  [[nodiscard]] const std::vector<LinkId>& links() const { return links_; }
  [[nodiscard]] const std::vector<double>& limits() const { return limits_; }

  /// The cheapest ring at these prices; empty if there is no ring.
  [[nodiscard]] std::vector<int> cheapest(const std::vector<double>& prices) const {
    std::vector<std::vector<double>> costs(ranks_, std::vector<double>(ranks_));
    for (std::size_t from = 0; from < ranks_; ++from) {
      for (std::size_t to = 0; to < ranks_; ++to) {
        costs[from][to] = cost(from, to, prices);
      }
    }
    return shortest_cycle(costs);
  }

  /// Sums over the hops of a ring by row.
  [[nodiscard]] std::vector<double> crossings_of(const std::vector<int>& ring) const {
    std::vector<double> sums(links_.size());
    for (std::size_t i = 0; i < ring.size(); ++i) {
      for (const auto& [row, times] :
           *crossings_[index(ring[i]) * ranks_ + index(ring[(i + 1) % ring.size()])]) {
        sums[row] += times;
      }
    }
    return sums;
  }

 private:
  void add_hop(const TransferPaths& paths, std::size_t from, std::size_t to,
               const BoundedRings& bounded) {
    const Rank a{static_cast<int>(from)};
    const Rank b{static_cast<int>(to)};
    const TransferPath& path = paths.between(a, b);
    const int node = place_of(paths, a).node;
    if (node == place_of(paths, b).node && !bounded.may_use(path, node)) {
      return;
    }
    Column& column = crossings_[from * ranks_ + to].emplace();
    for_each_leg(path, [&](const Leg& leg) {
      for (const LinkId link : leg.links) {
        const auto [known, is_new] = rows_.try_emplace(link, links_.size());
        if (is_new) {
          links_.push_back(link);
          limits_.push_back(bounded.rate_over(paths.topology().links()[index_of(link)].bandwidth));
        }
        column.emplace_back(known->second, 1.0);
      }
    });
  }

  [[nodiscard]] double cost(std::size_t from, std::size_t to,
                            const std::vector<double>& prices) const {
    const std::optional<Column>& column = crossings_[from * ranks_ + to];
    if (!column) {
      return std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    for (const auto& [row, times] : *column) {
      sum += times * prices[row];
    }
    return sum;
  }

  std::size_t ranks_;
  std::vector<std::optional<Column>> crossings_;  // by from * ranks + to; none: not a hop
  std::map<LinkId, std::size_t> rows_;
  std::vector<LinkId> links_;  // by row
  std::vector<double> limits_;
};

/// A linear programme (Clp): maximizes the sum of non-negative variables under the limits of rows.
/// Columns are added one by one.
class ColumnProgramme {
 public:
  explicit ColumnProgramme(const std::vector<double>& limits) {
    model_.setLogLevel(0);
    model_.setOptimizationDirection(-1);
    model_.resize(static_cast<int>(limits.size()), 0);
    for (std::size_t row = 0; row < limits.size(); ++row) {
      model_.setRowBounds(static_cast<int>(row), -COIN_DBL_MAX, limits[row]);
    }
  }

  /// Adds a variable and solves again. `column`: the coefficient of the variable in each row.
  void add(const std::vector<double>& column) {
    std::vector<int> rows;
    std::vector<double> elements;
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column[row] != 0) {
        rows.push_back(static_cast<int>(row));
        elements.push_back(column[row]);
      }
    }
    const auto entries = static_cast<int>(rows.size());
    model_.addColumn(entries, rows.data(), elements.data(), 0, COIN_DBL_MAX, 1);
    model_.primal();
    if (!model_.isProvenOptimal()) {
      throw ContractViolation{"a linear programme of rings without an optimum"};
    }
  }

  [[nodiscard]] double sum() const { return model_.objectiveValue(); }
  /// The dual values: for each row, the gain of the sum per unit of its limit.
  [[nodiscard]] std::vector<double> prices() const {
    const std::span duals{model_.getRowPrice(), static_cast<std::size_t>(model_.numberRows())};
    std::vector<double> prices;
    for (const double dual : duals) {
      prices.push_back(std::max(dual, 0.0));
    }
    return prices;
  }
  /// By column.
  [[nodiscard]] std::span<const double> values() const {
    return {model_.getColSolution(), static_cast<std::size_t>(model_.numberColumns())};
  }

 private:
  ClpSimplex model_;
};

/// Generates rings until none would increase the sum.
class RingMixer {
 public:
  explicit RingMixer(const RingProgramme& programme)
      : programme_{&programme}, limits_{programme.limits()} {
    for (const double limit : limits_) {
      unit_ = std::max(unit_, limit);
    }
    for (double& limit : limits_) {
      limit /= unit_;
    }
  }

  std::optional<RingMix> run(double enough) {
    ColumnProgramme programme{limits_};
    std::vector<double> prices(limits_.size(), 1);
    for (int step = 0; step < most_steps; ++step) {
      const std::vector<int> ring = programme_->cheapest(prices);
      if (ring.empty()) {
        return std::nullopt;
      }
      const std::vector<double> crossings = programme_->crossings_of(ring);
      if (std::ranges::all_of(crossings, [](double times) { return times == 0; })) {
        return std::nullopt;  // nothing limits this ring
      }
      note_bound(prices, crossings);
      if (programme.sum() >= (1 - accuracy) * std::min(bound_, enough / unit_)) {
        break;
      }
      programme.add(crossings);
      rings_.push_back(ring);
      prices = programme.prices();
    }
    return mix_of(programme.values());
  }

 private:
  void note_bound(const std::vector<double>& prices, const std::vector<double>& crossings) {
    const auto sum = [&](const std::vector<double>& each) {
      return std::inner_product(prices.begin(), prices.end(), each.begin(), 0.0);
    };
    if (sum(limits_) < bound_ * sum(crossings)) {
      bound_ = sum(limits_) / sum(crossings);
      prices_ = prices;
    }
  }

  [[nodiscard]] RingMix mix_of(std::span<const double> values) const {
    RingMix mix;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < nothing) {
        continue;
      }
      std::vector<Rank>& ring = mix.rings.emplace_back();
      for (const int rank : rings_[i]) {
        ring.push_back(Rank{rank});
      }
      mix.rates.push_back(values[i] * unit_);
    }
    mix.bound = bound_ * unit_;
    for (std::size_t row = 0; row < prices_.size(); ++row) {
      if (prices_[row] > accuracy) {
        mix.binding.push_back(programme_->links()[row]);
      }
    }
    return mix;
  }

  const RingProgramme* programme_;
  std::vector<double> limits_;  // in units of the highest
  double unit_ = 1;
  std::vector<std::vector<int>> rings_;
  double bound_ = std::numeric_limits<double>::max();
  std::vector<double> prices_;  // that set the bound
};

}  // namespace

std::optional<RingMix> best_ring_mix(const TransferPaths& paths, double enough,
                                     const BoundedRings& bounded) {
  if (paths.ranks() < 3 || index(paths.ranks()) > most_vertices_of_shortest_cycle) {
    return std::nullopt;
  }
  return RingMixer{RingProgramme{paths, bounded}}.run(enough);
}

// D'Hondt's method: it maximizes the least ratio of a ring's rate to its number of copies.
std::vector<std::vector<Rank>> equal_rings(const RingMix& mix, std::size_t count) {
  std::vector<std::vector<Rank>> set;
  std::vector<int> times(mix.rings.size());
  while (set.size() < count) {
    std::size_t next = 0;
    for (std::size_t ring = 1; ring < times.size(); ++ring) {
      const bool higher = mix.rates[ring] * (times[next] + 1) > mix.rates[next] * (times[ring] + 1);
      next = higher ? ring : next;
    }
    ++times[next];
    set.push_back(mix.rings[next]);
  }
  return set;
}

}  // namespace ringcast::detail
