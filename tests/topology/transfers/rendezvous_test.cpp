#include "topology/transfers/rendezvous.hpp"

#include <gtest/gtest.h>

#include "tests/topology/machines.hpp"
#include "topology/links/measured_constants.hpp"
#include "topology/transfers/rank_places.hpp"
#include "topology/transfers/transfer_path.hpp"

namespace ringcast {
namespace {

using namespace machines;

/// The latency of a message between two nodes over this class, without that of one byte.
Seconds later(std::string_view link_class, const TransportProfile& profile, Bytes length) {
  ClusterSpec spec = on_one_switch(dual_root(), 2);
  spec.single_switch->cable.base_class = link_class;
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{topology, profile,
                            places_of_ranks(topology, topology.ranks(), profile)};
  const TransferPath& path = paths.between(Rank{0}, Rank{8});
  return paths.latency(path, length) - paths.latency(path, 1_B);
}

// 10.0, 9.9, 10.8 and 7.3 us, by four machines; the geometric mean, in tenths.
TEST(Rendezvous, OfSlingshotIsThatOfItsProvider) {
  const Seconds handshake{measured_constant(cxi_rendezvous) * 1e-6};
  EXPECT_NEAR(handshake.count(), 9.4e-6, 1e-9);
  EXPECT_EQ(later("slingshot-11", {}, 16_KiB), Seconds{0});
  EXPECT_EQ(later("slingshot-11", {}, 16_KiB + 1_B), handshake);
  EXPECT_EQ(later("infiniband-hdr-4x", {}, 1_MiB), Seconds{0});
}

// Each byte of LL travels with one of its flags.
TEST(Rendezvous, CountsTheBytesOnTheCables) {
  TransportProfile profile;
  Protocol ll;
  ll.efficiency = 0.5;
  profile.protocols = {ll};
  EXPECT_EQ(later("slingshot-11", profile, 8_KiB), Seconds{0});
  EXPECT_GT(later("slingshot-11", profile, 8_KiB + 1_B), Seconds{9e-6});
}

TEST(Rendezvous, OfTheLibraryIsTheOnlyOne) {
  TransportProfile profile;
  profile.eager_limit = 1_KiB;
  profile.rendezvous_handshake = Seconds{3e-6};
  EXPECT_EQ(later("slingshot-11", profile, 1_KiB), Seconds{0});
  EXPECT_EQ(later("slingshot-11", profile, 1_MiB), Seconds{3e-6});
}

TEST(Rendezvous, IsNoMatterOfANode) {
  ClusterSpec spec = on_one_switch(dual_root(), 2);
  spec.single_switch->cable.base_class = "slingshot-11";
  const Topology topology{build_cluster(spec)};
  const TransferPaths paths{topology, {}, places_of_ranks(topology, topology.ranks(), {})};
  EXPECT_FALSE(paths.between(Rank{0}, Rank{4}).rendezvous);
}

}  // namespace
}  // namespace ringcast
