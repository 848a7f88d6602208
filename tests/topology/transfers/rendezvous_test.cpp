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
  EXPECT_EQ(later("slingshot-11", {}, 4_KiB), Seconds{0});
  EXPECT_EQ(later("slingshot-11", {}, 4_KiB + 1_B), handshake);
  EXPECT_EQ(later("infiniband-hdr-4x", {}, 1_MiB), Seconds{0});
}

// The NICs of Slingshot-10 are ConnectX-5 with verbs; those of Slingshot-11 have the provider CXI.
TEST(Rendezvous, IsNotThatOfSlingshot10) {
  EXPECT_EQ(later("slingshot-10", {}, 1_MiB), Seconds{0});
}

// Each byte of LL travels with one of its flags.
TEST(Rendezvous, CountsTheBytesOnTheCables) {
  TransportProfile profile;
  Protocol ll;
  ll.efficiency = 0.5;
  profile.protocols = {ll};
  EXPECT_EQ(later("slingshot-11", profile, 2_KiB), Seconds{0});
  EXPECT_GT(later("slingshot-11", profile, 2_KiB + 1_B), Seconds{9e-6});
}

// A quarter of a latency of 16 us and of the handshake, and 1 us for the other hops.
TEST(Rendezvous, CountsAtCrossingsOnly) {
  TransportProfile profile;
  Protocol ahead;
  ahead.latencies = {{PathKind::network, Seconds{16e-6}}};
  ahead.crossings = 0.25;
  ahead.handshakes = 0.25;
  ahead.beside_crossings = Seconds{1e-6};
  profile.protocols = {ahead};
  const double handshake = later("slingshot-11", profile, 1_MiB).count();
  EXPECT_NEAR(handshake, 0.25e-6 * measured_constant(cxi_rendezvous), 1e-12);
  const Topology topology{build_cluster(on_one_switch(dual_root(), 2))};
  const TransferPaths paths{topology, profile, places_of_ranks(topology, 16, profile)};
  const auto latency = [&](int to) {
    return paths.latency(paths.between(Rank{0}, Rank{to}), 1_B).count();
  };
  EXPECT_NEAR(latency(8), 5e-6, 1e-12);
  const TransferPaths plain{topology, {}, places_of_ranks(topology, 16, {})};
  EXPECT_EQ(latency(4), plain.latency(plain.between(Rank{0}, Rank{4}), 1_B).count());
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
