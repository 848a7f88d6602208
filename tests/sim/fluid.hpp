#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <vector>

/// An oracle for simulations: flows that share links max-min fairly, without SimGrid and as plain
/// as possible. All shares are computed afresh at every event, which only small cases can afford.
namespace ringcast::testing {

class Fluid {
 public:
  using Action = std::function<void()>;
  static constexpr double no_cap = std::numeric_limits<double>::infinity();

  /// Link i carries at most rates[i] bytes per second.
  explicit Fluid(std::vector<double> rates) : rates_{std::move(rates)} {}
  [[nodiscard]] double now() const { return now_; }
  /// Calls `action` at a time, in order; those of one time in the order of these calls.
  void at(double time, Action action) { actions_.emplace(std::max(time, now_), std::move(action)); }
  /// A flow begins now; `ended` is called when its bytes have passed. A link that it crosses twice
  /// is there twice.
  void flow(std::vector<int> links, double bytes, double cap, Action ended) {
    flows_.push_back({std::move(links), bytes, cap, 0, std::move(ended)});
  }

  void run() {
    while (!actions_.empty() || !flows_.empty()) {
      share();
      double next = actions_.empty() ? no_cap : actions_.begin()->first;
      for (const Flow& flow : flows_) {
        next = std::min(next, now_ + flow.left / flow.rate);
      }
      advance_to(next);
    }
  }

 private:
  struct Flow {
    std::vector<int> links;
    double left;
    double cap;
    double rate;
    Action ended;
  };

  /// Raises all rates together; a flow stops at its cap, or when a link of it is full.
  void share() {
    std::vector<double> free = rates_;
    std::vector<int> crossings(rates_.size(), 0);
    std::vector<Flow*> rising;
    for (Flow& flow : flows_) {
      rising.push_back(&flow);
      for (const int link : flow.links) {
        ++crossings[at_of(link)];
      }
    }
    const auto level_of = [&](const Flow& flow) {
      double level = flow.cap;
      for (const int link : flow.links) {
        level = std::min(level, free[at_of(link)] / crossings[at_of(link)]);
      }
      return level;
    };
    while (!rising.empty()) {
      double level = no_cap;
      for (const Flow* flow : rising) {
        level = std::min(level, level_of(*flow));
      }
      // Links that are full at one level differ by rounding.
      const auto stops = std::partition(rising.begin(), rising.end(), [&](const Flow* flow) {
        return level_of(*flow) > level * (1 + 1e-13);
      });
      for (auto stopped = stops; stopped != rising.end(); ++stopped) {
        (*stopped)->rate = level;
      }
      for (auto stopped = stops; stopped != rising.end(); ++stopped) {
        for (const int link : (*stopped)->links) {
          free[at_of(link)] = std::max(0.0, free[at_of(link)] - level);
          --crossings[at_of(link)];
        }
      }
      rising.erase(stops, rising.end());
    }
  }

  /// What ends or is due within rounding of this time does so now.
  void advance_to(double time) {
    const double due = time + 1e-15 + 2e-16 * time;
    std::vector<Action> now_due;
    std::vector<Flow> going;
    for (Flow& flow : flows_) {
      const bool ends = now_ + flow.left / flow.rate <= due;
      flow.left -= flow.rate * (time - now_);
      if (ends) {
        now_due.push_back(std::move(flow.ended));
      } else {
        going.push_back(std::move(flow));
      }
    }
    flows_ = std::move(going);
    now_ = time;
    while (!actions_.empty() && actions_.begin()->first <= due) {
      now_due.push_back(std::move(actions_.begin()->second));
      actions_.erase(actions_.begin());
    }
    for (const Action& action : now_due) {
      action();
    }
  }

  [[nodiscard]] static std::size_t at_of(int link) { return static_cast<std::size_t>(link); }

  std::vector<double> rates_;
  double now_ = 0;
  std::vector<Flow> flows_;
  std::multimap<double, Action> actions_;
};

}  // namespace ringcast::testing
