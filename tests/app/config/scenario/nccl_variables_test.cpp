#include "app/config/scenario/nccl_variables.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

using Notes = std::vector<std::string>;

TransportProfile nccl_of_the_catalogue() {
  return read_transport("scenarios/transports/nccl.yaml");
}

/// The transport that results, if no variable needs a note.
TransportProfile nccl_with(const std::string& variables) {
  TransportProfile profile = nccl_of_the_catalogue();
  EXPECT_EQ(set_nccl_variables(profile, "--nccl-env", variables), Notes{}) << variables;
  return profile;
}

using NameSet = std::set<std::string>;

NameSet algorithms_with(const std::string& variables) {
  NameSet names;
  for (const Protocol& each : nccl_with(variables).protocols)
    names.insert(each.algorithm);
  return names;
}

NameSet protocols_with(const std::string& variables) {
  NameSet names;
  for (const Protocol& each : nccl_with(variables).protocols)
    names.insert(each.name);
  return names;
}

TEST(NcclVariables, ListAlgorithmsInNcclsSyntax) {
  EXPECT_EQ(algorithms_with("NCCL_ALGO=Ring"), NameSet{"ring"});
  EXPECT_EQ(algorithms_with("NCCL_ALGO=TREE,ring"), (NameSet{"ring", "tree"}));
  EXPECT_EQ(algorithms_with("NCCL_ALGO=NVLSTree"), NameSet{"in-switch"});
  EXPECT_EQ(algorithms_with("NCCL_ALGO=^NVLS,CollnetDirect"), (NameSet{"ring", "tree"}));
  EXPECT_EQ(algorithms_with("NCCL_ALGO=broadcast:ring;allreduce:tree"), NameSet{"tree"});
  EXPECT_EQ(nccl_with("NCCL_ALGO=broadcast:ring"),
            nccl_of_the_catalogue());  // says nothing of all-reduces
  EXPECT_EQ(algorithms_with("NCCL_NVLS_ENABLE=0"), (NameSet{"ring", "tree"}));
  EXPECT_EQ(nccl_with("NCCL_NVLS_ENABLE=2"), nccl_of_the_catalogue());
}

TEST(NcclVariables, ListProtocols) {
  EXPECT_EQ(protocols_with("NCCL_PROTO=^LL128"), (NameSet{"LL", "Simple"}));
  // in-switch sums have Simple only
  EXPECT_EQ(algorithms_with("NCCL_PROTO=ll"), (NameSet{"ring", "tree"}));
}

// As with only_algorithms.
TEST(NcclVariables, NarrowTheTunersChoice) {
  EXPECT_TRUE(nccl_with("NCCL_ALGO=Ring").is_narrowed);
  EXPECT_TRUE(nccl_with("NCCL_PROTO=Simple").is_narrowed);
  EXPECT_TRUE(nccl_with("NCCL_NVLS_ENABLE=0").is_narrowed);
  EXPECT_FALSE(nccl_with("NCCL_P2P_DISABLE=1").is_narrowed);
}

TEST(NcclVariables, SetLevelsByNameOrByOldNumber) {
  ASSERT_TRUE(nccl_of_the_catalogue().p2p_amd_pairs);
  EXPECT_EQ(nccl_with("NCCL_P2P_LEVEL=PHB").p2p, PathLevel::phb);
  EXPECT_EQ(nccl_with("NCCL_P2P_LEVEL=PHB").p2p_amd_pairs, std::nullopt);
  EXPECT_EQ(nccl_with("NCCL_P2P_LEVEL=LOC").p2p, std::nullopt);
  EXPECT_EQ(nccl_with("NCCL_P2P_LEVEL=0").p2p, std::nullopt);
  EXPECT_EQ(nccl_with("NCCL_P2P_LEVEL=5").p2p, PathLevel::sys);
  EXPECT_EQ(nccl_with("NCCL_P2P_DISABLE=1").p2p, std::nullopt);
  EXPECT_EQ(nccl_with("NCCL_P2P_DISABLE=0"), nccl_of_the_catalogue());
  EXPECT_EQ(nccl_with("NCCL_P2P_DISABLE=1 NCCL_P2P_LEVEL=SYS").p2p, std::nullopt);
  EXPECT_EQ(nccl_with("NCCL_NET_GDR_LEVEL=SYS").gdr, PathLevel::sys);
  EXPECT_EQ(nccl_with("NCCL_NET_GDR_LEVEL=2").gdr, PathLevel::pxb);
}

TEST(NcclVariables, SetTransportsOfANodeAndTheBuffer) {
  EXPECT_FALSE(nccl_with("NCCL_SHM_DISABLE=1").shm);
  EXPECT_TRUE(nccl_with("NCCL_SHM_DISABLE=0").shm);
  EXPECT_FALSE(nccl_with("NCCL_NET_DISABLE_INTRA=1").network_in_node);
  EXPECT_EQ(nccl_with("NCCL_BUFFSIZE=8388608").channel_buffer, 8_MiB);
  EXPECT_EQ(nccl_with("NCCL_MIN_NCHANNELS=32").least_channels, 32);
  EXPECT_EQ(nccl_with("NCCL_MIN_NCHANNELS=-2").least_channels, 0);
  EXPECT_EQ(nccl_with("NCCL_MIN_CTAS=128").least_channels, 64);
  EXPECT_EQ(nccl_with("NCCL_MIN_NCHANNELS=32 NCCL_MIN_CTAS=4").least_channels, 32);
  EXPECT_EQ(nccl_with("NCCL_MAX_NCHANNELS=16 NCCL_MAX_CTAS=32").most_channels, 16);
  EXPECT_EQ(nccl_with("NCCL_MAX_NCHANNELS=-2").most_channels, most_nccl_channels);
  EXPECT_FALSE(nccl_with("NCCL_PXN_DISABLE=1").pxn);
}

TEST(NcclVariables, AreReadAsShellsAndLaunchersHaveThem) {
  TransportProfile both = nccl_of_the_catalogue();
  both.shm = false;
  both.channel_buffer = 1_MiB;
  both.sources["channel_buffer"] = "NCCL_BUFFSIZE";
  EXPECT_EQ(nccl_with("NCCL_SHM_DISABLE=1\nNCCL_BUFFSIZE=1048576\n"), both);
  EXPECT_EQ(nccl_with("export NCCL_SHM_DISABLE='1' export NCCL_BUFFSIZE=\"1048576\""), both);
  EXPECT_EQ(nccl_with("-x NCCL_SHM_DISABLE=1  -x NCCL_BUFFSIZE=1048576"), both);
  EXPECT_EQ(nccl_with(""), nccl_of_the_catalogue());
}

TEST(NcclVariables, ThatTheModelDoesNotHaveAreNamed) {
  TransportProfile profile = nccl_of_the_catalogue();
  EXPECT_EQ(set_nccl_variables(
                profile, "--nccl-env",
                "NCCL_DEBUG=INFO NCCL_MNNVL_ENABLE=0 NCCL_IB_TC=106 NCCL_GRAPH_FILE=a.xml"),
            (Notes{"NCCL_MNNVL_ENABLE is not read: use `nvswitch: {nodes: 1}` in the cluster file "
                   "for 0",
                   "NCCL_GRAPH_FILE is not read: use --ring",
                   "not in the model: NCCL_DEBUG, NCCL_IB_TC"}));
  EXPECT_EQ(profile, nccl_of_the_catalogue());
}

// As mpirun passes the shell's variables on; without -x it may be a mistake.
TEST(NcclVariables, MayLackAValueAfterX) {
  TransportProfile profile = nccl_of_the_catalogue();
  EXPECT_EQ(set_nccl_variables(profile, "--nccl-env", "-x NCCL_ALGO -x PATH -x NCCL_SHM_DISABLE=1"),
            Notes{"NCCL_ALGO has no value here: use NCCL_ALGO=VALUE"});
  EXPECT_FALSE(profile.shm);
  EXPECT_THROW(nccl_with("-x NCCL_SHM_DISABLE=1 NCCL_ALGO"), ScenarioError);
  EXPECT_THROW(nccl_with("export NCCL_ALGO"), ScenarioError);
}

TEST(NcclVariables, OverTcpNeedItsTransport) {
  TransportProfile sockets = read_transport("scenarios/transports/nccl-sockets.yaml");
  const TransportProfile before = sockets;
  EXPECT_EQ(set_nccl_variables(sockets, "--nccl-env", "NCCL_IB_DISABLE=1 NCCL_NET=Socket"),
            Notes{});
  EXPECT_EQ(sockets, before);
  EXPECT_EQ(nccl_with("NCCL_IB_DISABLE=0 NCCL_NET=IB"), nccl_of_the_catalogue());
}

std::string refused_variable(const std::string& variables,
                             TransportProfile profile = nccl_of_the_catalogue()) {
  try {
    static_cast<void>(set_nccl_variables(profile, "--nccl-env", variables));
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NcclVariables, RefuseWhatNcclDoesNotKnow) {
  EXPECT_EQ(refused_variable("NCCL_ALGO=Rign"),
            "--nccl-env: NCCL_ALGO: unknown algorithm \"rign\", did you mean \"ring\"? (expected "
            "ring, tree, nvls, nvlstree, collnet, collnetdirect, collnetchain or pat)");
  EXPECT_EQ(refused_variable("NCCL_ALGO=PAT"),
            "--nccl-env: NCCL_ALGO: \"PAT\" leaves nothing (expected an algorithm of all-reduces "
            "that ringcast predicts)");
  EXPECT_EQ(refused_variable("NCCL_PROTO=LL64"),
            "--nccl-env: NCCL_PROTO: unknown protocol \"ll64\" (expected ll, ll128 or simple)");
  EXPECT_EQ(refused_variable("NCCL_P2P_LEVEL=NODE"),
            "--nccl-env: NCCL_P2P_LEVEL: unknown level \"NODE\" (expected LOC, NVL, NVB, PIX, PXB, "
            "PXN, PHB, SYS, 0, 1, 2, 3, 4 or 5)");
  EXPECT_EQ(refused_variable("NCCL_SHM_DISABLE=yes"),
            "--nccl-env: NCCL_SHM_DISABLE: \"yes\" is not a whole number (expected a whole number "
            "from -2 to 1000)");
  EXPECT_EQ(
      refused_variable("NCCL_MIN_NCHANNELS=auto"),
      "--nccl-env: NCCL_MIN_NCHANNELS: \"auto\" is not a whole number (expected a whole number "
      "from -2 to 1000000)");
  EXPECT_EQ(refused_variable("NCCL_BUFFSIZE=8M"),
            "--nccl-env: NCCL_BUFFSIZE: \"8M\" is not a whole number (expected a whole number from "
            "1024 to 1073741824)");
}

TEST(NcclVariables, RefuseWhatIsNoAssignment) {
  EXPECT_EQ(refused_variable("NCCL_ALGO Ring"),
            "--nccl-env: \"NCCL_ALGO\" (expected NAME=VALUE, e.g. NCCL_ALGO=Ring)");
  EXPECT_EQ(refused_variable("NCCL_SHM_DISABLE=1 NCCL_SHM_DISABLE=0"),
            "--nccl-env: NCCL_SHM_DISABLE: is there twice (expected each variable once)");
}

TEST(NcclVariables, RefuseOtherTransports) {
  EXPECT_EQ(refused_variable("NCCL_IB_DISABLE=1"),
            "--nccl-env: NCCL_IB_DISABLE: \"1\" is TCP (expected it with --transport "
            "nccl-sockets, or nccl-sockets-google on Google's NICs)");
  EXPECT_EQ(refused_variable("NCCL_ALGO=Ring", read_transport("scenarios/transports/openmpi.yaml")),
            "--nccl-env: Open MPI is not NCCL (expected a transport with a tuner, e.g. nccl or "
            "rccl)");
}

}  // namespace
}  // namespace ringcast
