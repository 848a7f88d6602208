#pragma once

#include <optional>

#include "topology/routes/topology.hpp"
#include "topology/transfers/transport_profile.hpp"

namespace ringcast {

/// The machine for ranks with a working set of `buffer` bytes each: cores copy and reduce at the
/// cluster file's rates for the caches that hold the working set.
class CachedMachine {
 public:
  /// `any_size` must outlive this.
  CachedMachine(const Topology& any_size, TransportProfile transport, int ranks, Bytes buffer);
  CachedMachine(const CachedMachine&) = delete;
  CachedMachine& operator=(const CachedMachine&) = delete;
  ~CachedMachine() = default;

  [[nodiscard]] const Topology& topology() const { return cached_ ? *cached_ : *any_size_; }
  /// Never slower than topology(); for lower bounds.
  [[nodiscard]] const Topology& fastest() const { return fastest_ ? *fastest_ : topology(); }
  [[nodiscard]] const TransportProfile& transport() const { return transport_; }

 private:
  const Topology* any_size_;
  std::optional<Topology> cached_;   // if the cluster file has caches
  std::optional<Topology> fastest_;  // if these have a lent_rate
  TransportProfile transport_;
};

}  // namespace ringcast
