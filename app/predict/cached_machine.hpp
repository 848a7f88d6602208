#pragma once

#include <optional>

#include "topology/topology.hpp"
#include "topology/transport_profile.hpp"

namespace ringcast {

/// A machine as ranks find it that go over a buffer of so many bytes each, again and again: where
/// the caches of a cluster file answer, cores copy and reduce at their rates.
class CachedMachine {
 public:
  /// `any_size` and `transport` must outlive this.
  CachedMachine(const Topology& any_size, const TransportProfile& transport, int ranks,
                Bytes buffer);
  CachedMachine(const CachedMachine&) = delete;
  CachedMachine& operator=(const CachedMachine&) = delete;
  ~CachedMachine() = default;

  [[nodiscard]] const Topology& topology() const { return cached_ ? *cached_ : *any_size_; }
  /// Never slower, for what no prediction may be below.
  [[nodiscard]] const Topology& fastest() const { return fastest_ ? *fastest_ : topology(); }
  [[nodiscard]] const TransportProfile& transport() const { return transport_; }

 private:
  const Topology* any_size_;
  std::optional<Topology> cached_;   // where caches are known
  std::optional<Topology> fastest_;  // where they know what is lent
  TransportProfile transport_;
};

}  // namespace ringcast
