#include "app/config/scenario/transport_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/known_keys.hpp"
#include "app/config/yaml/nearest_name.hpp"
#include "app/config/yaml/yaml_reader.hpp"
#include "tests/app/temporary_folder.hpp"

namespace ringcast {
namespace {

// Right as it stands; each case makes one slip in it.
const std::string right_transport = R"(name: test
source: invented
message_overhead: 5 us
reduce_rate: 100 GB/s
fused_reduction: false
)";

const Slip transport_slips[] = {
    {"NoSource", "source: invented\n", "",
     "transport.yaml:1:1: source: missing (expected where the costs come from)"},
    {"OverheadWithoutUnit", "5 us", "5",
     "transport.yaml:3:19: message_overhead: no unit in \"5\" (expected a time such as "
     "5 us or 1.5 ms)"},
    {"OverheadNegative", "5 us", "-5 us",
     "transport.yaml:3:19: message_overhead: negative time \"-5 us\" (expected a time "
     "such as 5 us or 1.5 ms)"},
    {"OverheadAboveOneSecond", "5 us", "5 s",
     "transport.yaml:3:19: message_overhead: 5 s is out of range (expected 0 to 1 s)"},
    {"RateZero", "100 GB/s", "0",
     "transport.yaml:4:14: reduce_rate: 0 is out of range (expected 1 kB/s to 1000 "
     "TB/s, or no reduce_rate for a reduction that costs nothing)"},
    {"RateIsASize", "100 GB/s", "100 GB",
     "transport.yaml:4:14: reduce_rate: \"100 GB\" is no rate (expected a rate such as "
     "25 GB/s or 200 Gb/s)"},
    {"RateTooLarge", "100 GB/s", "1 EB/s",
     "transport.yaml:4:14: reduce_rate: 1 EB/s is out of range (expected 1 kB/s to 1000 "
     "TB/s, or no reduce_rate for a reduction that costs nothing)"},
    {"FusedIsYes", "false", "yes",
     "transport.yaml:5:18: fused_reduction: \"yes\" is neither (expected true or false)"},
    {"UnknownKey", "fused_reduction", "fused_reductions",
     fmt::format("transport.yaml:5:1: fused_reductions: unknown key, did you mean "
                 "\"fused_reduction\"? (expected {})",
                 listed(keys_of("transport"), "or"))},
    {"NoOverhead", "message_overhead: 5 us\n", "",
     "transport.yaml:1:1: message_overhead: missing (expected a time, 0 us if a message costs "
     "nothing)"},
    {"NoLevel", "fused_reduction: false", "p2p: PXX",
     "transport.yaml:5:6: p2p: unknown level \"PXX\", did you mean \"PIX\"? (expected none, NVL, "
     "PIX, PXB, PHB or SYS)"},
    {"PairsNearerThanAll", "fused_reduction: false", "p2p: PHB\np2p_amd_pairs: PXB",
     "transport.yaml:6:16: p2p_amd_pairs: PXB is nearer than p2p, PHB (expected PHB or a level "
     "after it, or no p2p_amd_pairs)"},
    {"NoPairsBesideAll", "fused_reduction: false", "p2p_amd_pairs: none",
     "transport.yaml:5:16: p2p_amd_pairs: none is nearer than p2p, SYS (expected SYS or a level "
     "after it, or no p2p_amd_pairs)"},
    {"ShmIsNeither", "fused_reduction: false", "shm: none",
     "transport.yaml:5:6: shm: \"none\" is neither (expected true or false)"},
    {"NoShmOnTheHost", "fused_reduction: false",
     "buffers: host\nhost_copy_rate: 4 GB/s\nshm: false",
     "transport.yaml:7:6: shm: false, but the buffers are in host memory (expected true, or "
     "buffers: device)"},
    {"MoreCompetitionThanAll", "fused_reduction: false", "compute_competition: 1.5",
     "transport.yaml:5:22: compute_competition: 1.5 is out of range (expected a number from 0 to "
     "1)"},
    {"EagerLimitAlone", "fused_reduction: false", "eager_limit: 12 KiB",
     "transport.yaml:1:1: rendezvous_handshake: missing (expected a time, as the profile has an "
     "eager_limit)"},
    {"HandshakeAlone", "fused_reduction: false", "rendezvous_handshake: 3 us",
     "transport.yaml:1:1: eager_limit: missing (expected a size, as the profile has a "
     "rendezvous_handshake)"},
    {"CopiesWithoutRate", "fused_reduction: false", "buffers: host-copies",
     "transport.yaml:1:1: copy_rate: missing (expected a rate, as the profile has buffers: "
     "host-copies)"},
    {"HostWithoutRate", "fused_reduction: false", "buffers: host",
     "transport.yaml:1:1: host_copy_rate: missing (expected a rate, as the profile has its buffers "
     "in host memory)"},
    {"StagedByNobody", "fused_reduction: false", "staged_by: engines",
     "transport.yaml:5:12: staged_by: unknown staged_by \"engines\" (expected copy-engines or "
     "kernels)"},
    {"NoCopies", "fused_reduction: false", "copies_to_host: 0",
     "transport.yaml:5:17: copies_to_host: 0 is out of range (expected a whole number from 1 to "
     "1000000)"},
    {"OverheadOfNoPath", "fused_reduction: false", "overheads: {pci: 1 us}",
     "transport.yaml:5:13: overheads.pci: unknown key (expected nvlink, p2p, staged, host_memory "
     "or network)"},
    {"ProtocolOfNoData", "fused_reduction: false",
     "protocols: [{algorithm: ring, name: LL, latencies: {p2p: 1 us}, efficiency: 0%}]",
     "transport.yaml:5:77: protocols[0].efficiency: 0% is out of range (expected 0.1% to 100%)"},
    {"ProtocolTwice", "fused_reduction: false",
     "protocols: [{algorithm: ring, name: LL, latencies: {p2p: 1 us}}, {algorithm: ring, name: LL, "
     "latencies: {p2p: 1 us}}]",
     "transport.yaml:5:90: protocols[1].name: ring/LL is there twice (expected each once)"},
    {"UnknownReleaseOfNccl", "fused_reduction: false", "tuner: nccl-2.99",
     "transport.yaml:5:8: tuner: unknown tuner \"nccl-2.99\" (expected none, nccl, rccl, or a "
     "release from nccl-2.0 to nccl-2.32; nccl is the newest that is known)"},
    {"UnknownTuner", "fused_reduction: false", "tuner: ncl",
     "transport.yaml:5:8: tuner: unknown tuner \"ncl\" (expected none, nccl, rccl, or a release "
     "from nccl-2.0 to nccl-2.32; nccl is the newest that is known)"},
    {"BufferOfABit", "fused_reduction: false", "channel_buffer: 8 B",
     "transport.yaml:5:17: channel_buffer: 8 B is out of range (expected 1 KiB to 1 GiB)"},
    {"UnknownTunerOfEfa", "fused_reduction: false", "efa_tuner: 2023",
     "transport.yaml:5:12: efa_tuner: unknown release \"2023\", did you mean \"2024\"? (expected "
     "none, 2024 or 2025)"},
    {"ValueWithoutSource", "100 GB/s", "{value: 100 GB/s}",
     "transport.yaml:4:14: reduce_rate.source: missing (expected where the value comes from)"},
};

class TransportSlip : public ::testing::TestWithParam<Slip> {};

TEST_P(TransportSlip, IsRefusedWithItsPlace) {
  const std::string text = right_with(right_transport, GetParam());

  EXPECT_EQ(refusal_of([&] { return read_transport(yaml_of("transport.yaml", text)); }),
            GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Slips, TransportSlip, ::testing::ValuesIn(transport_slips), name_of_slip);

TEST(TransportReader, ReadsEveryKey) {
  const TemporaryFolder folder;
  folder.write(
      "transport.yaml",
      "name: all\nsource: invented\nbuffers: host-copies\np2p: PXB\n"
      "p2p_amd_pairs: SYS\ngdr: none\n"
      "staging: one-after-other\nstaged_by: kernels\nstaging_buffer: 512 KiB\ncopy_rate: 3 GB/s\n"
      "socket_copy_rate: 6 GB/s\nsocket_latency: 50 us\n"
      "copies_to_host: 2\ncopies_on_host: 6\ncopies_to_device: 3\nhost_copies: 4\nhost_copy_rate: "
      "5 GB/s\n"
      "gpus_per_process: 8\ncall_overhead: 6 us\nmessage_overhead: 7 us\n"
      "overheads: {staged: {value: 8 us, source: measured}, host_memory: 9 us}\n"
      "tuner: nccl-2.17\nefa_tuner: 2024\nchannel_buffer: 8 MiB\nleast_channels: 32\n"
      "most_channels: 48\npxn: false\nprotocols: "
      "[{algorithm: tree, name: LL, call_overhead: 1 us, "
      "latencies: {p2p: 2 us, network: 3 us}, efficiency: 50%, source: timed}]\n"
      "eager_limit: 10 KiB\nrendezvous_handshake: 11 us\n"
      "reduce_rate: {value: 12 GB/s, source: a guess}\nreduce_overhead: 13 "
      "us\nhost_reduce_rate: 14 GB/s\n"
      "fused_reduction: true\n");

  const TransportProfile profile = read_transport(folder / "transport.yaml");

  EXPECT_EQ(profile.buffers, BufferPlace::host_copies);
  EXPECT_EQ(profile.p2p, PathLevel::pxb);
  EXPECT_EQ(profile.p2p_amd_pairs, PathLevel::sys);
  EXPECT_EQ(profile.gdr, std::nullopt);
  EXPECT_FALSE(profile.pipelined_staging);
  EXPECT_TRUE(profile.kernel_copies);
  EXPECT_EQ(profile.staging_buffer, 512_KiB);
  EXPECT_EQ(profile.copy_rate, 3_GBps);
  EXPECT_EQ(profile.socket_copy_rate, 6_GBps);
  EXPECT_EQ(profile.socket_latency, 50_us);
  EXPECT_EQ(profile.copies_to_host, 2);
  EXPECT_EQ(profile.copies_on_host, 6);
  EXPECT_EQ(profile.copies_to_device, 3);
  EXPECT_EQ(profile.host_copies, 4);
  EXPECT_EQ(profile.host_copy_rate, 5_GBps);
  EXPECT_EQ(profile.gpus_per_process, 8);
  EXPECT_EQ(profile.call_overhead, 6_us);
  EXPECT_EQ(profile.overhead_of(PathKind::p2p), 7_us);
  EXPECT_EQ(profile.overhead_of(PathKind::staged), 8_us);
  EXPECT_EQ(profile.overhead_of(PathKind::host_memory), 9_us);
  EXPECT_EQ(profile.tuner, Tuner::nccl);
  EXPECT_EQ(profile.nccl_version, (NcclVersion{2, 17}));
  EXPECT_EQ(profile.efa_tuner, EfaTuner::of_2024);
  EXPECT_EQ(profile.channel_buffer, 8_MiB);
  EXPECT_TRUE(profile.least_channels == 32 && profile.most_channels == 48 && !profile.pxn);
  ASSERT_EQ(profile.protocols.size(), 1U);
  EXPECT_EQ(profile.protocols.front().full_name(), "tree/LL");
  EXPECT_EQ(profile.protocols.front().call_overhead, 1_us);
  EXPECT_EQ(profile.protocols.front().efficiency, 0.5);
  EXPECT_EQ(profile.protocols.front().latency_of(PathKind::p2p), 2_us);
  EXPECT_EQ(profile.protocols.front().latency_of(PathKind::network), 3_us);
  EXPECT_EQ(profile.eager_limit, 10_KiB);
  EXPECT_EQ(profile.rendezvous_handshake, 11_us);
  EXPECT_EQ(profile.reduce_rate, 12_GBps);
  EXPECT_EQ(profile.reduce_overhead, 13_us);
  EXPECT_EQ(profile.host_reduce_rate, 14_GBps);
  EXPECT_TRUE(profile.fused_reduction);
  EXPECT_EQ(profile.sources.at("overheads.staged"), "measured");
  EXPECT_EQ(profile.sources.at("reduce_rate"), "a guess");
  EXPECT_EQ(profile.sources.at("protocols.tree/LL"), "timed");
  EXPECT_EQ(profile.sources.size(), 3U);
}

TEST(TransportReader, ReplacesValuesOfABase) {
  const TemporaryFolder folder;
  folder.write("base.yaml", right_transport);
  folder.write("transport.yaml", "name: other\nsource: too\nbase: base.yaml\np2p: none\n");

  const TransportProfile profile = read_transport(folder / "transport.yaml");

  EXPECT_EQ(profile.name, "other");
  EXPECT_EQ(profile.p2p, std::nullopt);
  EXPECT_EQ(profile.message_overhead, 5_us);
  EXPECT_EQ(profile.reduce_rate, 100_GBps);
}

// As NCCL_P2P_LEVEL does, p2p replaces both.
TEST(TransportReader, ForgetsTheExceptionToAReplacedLevel) {
  const TemporaryFolder folder;
  folder.write("base.yaml", right_transport + "p2p: PXB\np2p_amd_pairs: SYS\n");
  folder.write("transport.yaml", "name: other\nsource: too\nbase: base.yaml\np2p: PHB\n");
  EXPECT_EQ(read_transport(folder / "base.yaml").p2p_amd_pairs, PathLevel::sys);
  EXPECT_EQ(read_transport(folder / "transport.yaml").p2p_amd_pairs, std::nullopt);
}

TEST(TransportReader, KnowsWhatGpusOfANodeMayUse) {
  const TemporaryFolder folder;
  folder.write("base.yaml", right_transport + "shm: false\nnetwork_in_node: false\n");
  folder.write("same.yaml", "name: same\nsource: too\nbase: base.yaml\n");
  EXPECT_FALSE(read_transport(folder / "same.yaml").shm);
  EXPECT_FALSE(read_transport(folder / "same.yaml").network_in_node);
  const TransportProfile plain = read_transport(yaml_of("transport.yaml", right_transport));
  EXPECT_TRUE(plain.shm && plain.network_in_node);
}

TEST(TransportReader, ForgetsTheSourcesOfReplacedValues) {
  const TemporaryFolder folder;
  folder.write("base.yaml", right_transport +
                                "call_overhead: {value: 1 us, source: guessed}\n"
                                "protocols: [{algorithm: ring, name: LL, latencies: {p2p: 1 us}, "
                                "source: LL}]\n");
  folder.write("own.yaml",
               "name: own\nsource: too\nbase: base.yaml\ncall_overhead: 2 us\n"
               "protocols: [{algorithm: ring, name: LL, latencies: {p2p: 2 us}}]\n");
  folder.write("none.yaml", "name: none\nsource: too\nbase: base.yaml\nprotocols: none\n");
  folder.write("same.yaml", "name: same\nsource: too\nbase: base.yaml\n");

  EXPECT_EQ(read_transport(folder / "same.yaml").sources.at("protocols.ring/LL"), "LL");
  const TransportProfile own = read_transport(folder / "own.yaml");
  EXPECT_FALSE(own.sources.contains("call_overhead"));
  EXPECT_FALSE(own.sources.contains("protocols.ring/LL"));
  EXPECT_EQ(own.sources.at("message_overhead"), "invented");
  EXPECT_TRUE(read_transport(folder / "none.yaml").protocols.empty());
}

TEST(TransportReader, ReadsABaseThatHasOne) {
  const TemporaryFolder folder;
  folder.write("first.yaml", "name: f\nsource: s\nmessage_overhead: 1 us\ncall_overhead: 2 us\n");
  folder.write("second.yaml", "name: s\nsource: t\nbase: first.yaml\ncall_overhead: 3 us\n");
  folder.write("third.yaml", "name: t\nsource: u\nbase: second.yaml\ngpus_per_process: 8\n");

  const TransportProfile profile = read_transport(folder / "third.yaml");
  EXPECT_EQ(profile.overhead_of(PathKind::p2p), 1_us);
  EXPECT_EQ(profile.call_overhead, 3_us);
  EXPECT_EQ(profile.gpus_per_process, 8);
  EXPECT_EQ(profile.sources.at("message_overhead"), "s");
  EXPECT_EQ(profile.sources.at("call_overhead"), "t");
}

TEST(TransportReader, NeedsTheCompanionsThatItsBasesLack) {
  const TemporaryFolder folder;
  folder.write("plain.yaml", right_transport);
  folder.write("rated.yaml", "name: r\nsource: s\nbase: plain.yaml\nhost_copy_rate: 9 GB/s\n");
  const auto refusal = [&](const std::string& base, const std::string& key) {
    folder.write("own.yaml", "name: own\nsource: too\nbase: " + base + "\n" + key + "\n");
    return message_of(folder, [&] { return read_transport(folder / "own.yaml"); });
  };

  EXPECT_EQ(refusal("plain.yaml", "buffers: host"),
            "own.yaml:1:1: host_copy_rate: missing (expected a rate, as the profile has its "
            "buffers in host memory)");
  EXPECT_EQ(refusal("plain.yaml", "eager_limit: 12 KiB"),
            "own.yaml:1:1: rendezvous_handshake: missing (expected a time, as the profile has an "
            "eager_limit)");
  EXPECT_EQ(refusal("rated.yaml", "buffers: host-copies"),
            "own.yaml:1:1: copy_rate: missing (expected a rate, as the profile has buffers: "
            "host-copies)");
  EXPECT_EQ(refusal("rated.yaml", "buffers: host"), "nothing was refused");
}

TEST(TransportReader, RefusesABaseThatIsNoneOrItsOwn) {
  const TemporaryFolder folder;
  folder.write("base.yaml", "name: b\nsource: s\nbase: transport.yaml\n");
  folder.write("transport.yaml", "name: other\nsource: too\nbase: base.yaml\n");
  folder.write("lost.yaml", "name: other\nsource: too\nbase: nowhere.yaml\n");
  const auto refusal = [&](const std::string& file) {
    return message_of(folder, [&] { return read_transport(folder / file); });
  };

  EXPECT_EQ(refusal("transport.yaml"),
            "transport.yaml:3:7: base: 3 bases, one after the other (expected 2 at most, none its "
            "own base)");
  EXPECT_EQ(refusal("lost.yaml"),
            "lost.yaml:3:7: base: nowhere.yaml cannot be read: No such file or directory (expected "
            "a transport file, relative "
            "to this one, or scenarios/transports/nccl.yaml, not a name; for a release of NCCL: "
            "tuner: nccl-2.26)");
}

}  // namespace
}  // namespace ringcast
