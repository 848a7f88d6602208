#include "topology/links/measured_values.hpp"

namespace ringcast::detail {

std::vector<MeasuredConstant> values_of_links() {
  constexpr std::string_view nccl_lanes = "NCCL's rate per lane (src/graph/topo.cc, kvDictPciGen)";
  return {
      {"pcie-3.0-x16 bandwidth", 10, 12.0, nccl_lanes, {{12.2, "deepbench-1080ti"}}},
      {"pcie-3.0-x16 peer_bandwidth",
       10,
       10.0,
       "5/6 of NCCL's rate (INTEL_P2P_OVERHEAD, src/graph/topo.h)",
       {{8.8, "deepbench-1080ti"}}},
      // Rings past the root complexes of EPYC and below a switch; eight lanes count twice. Packets
      // of 128 bytes and their headers leave 25.5 to 26.5 of 31.5 GB/s.
      {"pcie-4.0-x16 bandwidth",
       10,
       24.0,
       nccl_lanes,
       {{25.3, "4x4090"},
        {25.3, "4x4090-milan-48gb"},
        {25.1, "4x4090-rome-48gb"},
        {25.2, "8x4090-rome-p2p"},
        {25.2, "8x4090-genoa-p2p"},
        {25.7, "8x4090-genoa-48gb"},
        {25.7, "8x4090-milan-p2p"},
        {24.7, "8x3090-rome-p2p"},
        {25.3, "7x3090-rome-x8"}}},
      // 23.3, 23.5, 20.8 and 21.3 of 25.2 GB/s.
      {rccl_peers,
       50,
       1,
       "none",
       {{0.92, "2xmi100"}, {0.93, "2xmi210"}, {0.83, "2x7900xtx"}, {0.85, "4xmi50-switch"}}},
      // 20.1, 18.9 and 19.3 of 25.3 GB/s, 11.1 of 12.65 over eight lanes; on PCIe 5.0 45.0 of 55
      // below a switch, 35.7 of 45.8 past a root complex. NCCL 2.31, 2.29, 2.27, 2.25, 2.28
      // and 2.29.
      {peers_of_two,
       20,
       1,
       "none",
       {{0.79, "2xrtxpro4500-milan"},
        {0.75, "2xrtxpro6000-trx40"},
        {0.76, "8xa40-bridges"},
        {0.88, "2xl4-genoa"},
        {0.82, "8x5090-pairs-p2p"},
        {0.78, "4xrtxpro6000-engaging"}}},
      // PCIe 3.0: 7.1, 8.0, 6.9 and 8.7 GB/s; 4.0: 20 to 22 between RTX 4090
      // (NVIDIA/nccl#814), 10.4 that two GPUs of a DGX A100 share at each switch, and 17.5 between
      // L4; 5.0: 27.3.
      {"pcie, share of kernels in host memory",
       20,
       1,
       nccl_lanes,
       {{7.1 / 12, "2x2v100-roce40"},
        {8.0 / 12, "2x2080ti"},
        {6.9 / 12, "2xv100-vm"},
        {21.0 / 24, ""},
        {10.4 / 24, "4xa100-dgx-nop2p"},
        {27.3 / 48, "4x5090"},
        {8.7 / 12, "4x1080ti-ring"},
        {17.5 / 24, "4xl4-2-sockets"}}},
      {"xgmi-2 peer_bandwidth",
       10,
       16.0,
       "NCCL's AMD_ZEN12_BW (src/graph/topo.h)",
       {{20.6, "8x4090-p2p"}, {20.4, "8xmi100-apollo"}}},
      {"qpi-8.0 bandwidth",
       10,
       6.0,
       "NCCL's BDW_QPI_BW (src/graph/topo.h)",
       {{6.0, "deepbench-titanx"}, {6.0, "deepbench-m40"}}},
      // The first two generations. 18 of 20 GB/s (SM60_NVLINK_BW; P100 have no switch), 135.5 GB/s
      // over six rings of eight V100.
      {"nvlink without a switch, share of the line rate",
       20,
       0.9,
       "NCCL's SM60_NVLINK_BW (src/graph/topo.h)",
       {{0.9, ""}, {0.904, "8xv100"}}},
      // Four GPUs, each pair connected by four links. The slope between 1 and 4 GiB, 207 of 300
      // GB/s, and between 8 and 128 MiB, 224; 72 of 100 between two of them, both ways at once
      // (Leonardo, NVIDIA/nccl-tests#331).
      {"nvlink-3.0 without a switch, GB/s",
       10,
       20.0,
       "NCCL's SM80_NVLINK_BW (src/graph/topo.h)",
       {{17.3, "4xa100-polaris"}, {18.7, "4xa100-stanage"}, {18.0, ""}}},
      // Pairs by twelve links, and fours whose pairs have six each: the slope between the largest
      // two sizes of the bridged pair, else what the ring reaches of its time at 20.6 GB/s.
      {"nvlink-4.0 without a switch, GB/s",
       10,
       20.6,
       "NCCL's SM90_NVLINK_BW (src/graph/topo.h)",
       {{17.4, "2xh100nvl"},
        {17.5, "4x4h100-marenostrum5"},
        {18.8, "4xgh200-alps"},
        {18.9, "4xgh200-olivia"},
        {19.6, "4xh100-snellius"}}},
      // 47.7 of 64 GB/s between two MI300X (stas00/ml-engineering, network/README.md); 45.1 of 64
      // on each link of eight, 58.4 of 76.8 of eight MI355X, 52.4 of eight MI350X.
      {"xgmi, share of the line rate",
       20,
       0.9,
       "as NVLink without a switch",
       {{0.745, "mi300x"}, {0.705, "8xmi300x"}, {0.760, "mi355x"}, {0.682, "8xmi350x-g8"}}},
      // GPUs on PCIe 3.0. EDR: NVIDIA/nccl#243, #465, nccl-tests#29.
      {"network, share of messages staged by kernels",
       20,
       1,
       "the wire is the limit",
       {{0.41, "2x2v100-roce40"},
        {0.48, ""},
        {0.50, ""},
        {0.50, ""},
        {0.60, "2xv100-roce25"},
        {0.65, "deepbench-titanx"},
        {0.85, "deepbench-1080ti"}}},
      // Two channels per NIC, each served by one thread block, on PCIe 4.0, with wires of 12.5, 25
      // and 50 GB/s. On PCIe 5.0 a wire of 12.5 GB/s is the limit: 12.4 (2xrtxpro6000-efa) and 11.1
      // GB/s (2xr9700).
      {"network, GB/s of messages staged by kernels",
       10,
       48.0,
       "none: PCIe 5.0 (src/graph/topo.cc, kvDictPciGen)",
       {{8.9, "2xa100-hdr-nogdr"},
        {8.1, "2xl40s"},
        {9.6, "2x2l40s"},
        {9.8, "2x3090-roce100"},
        {9.4, "2x1-roce100"},
        {14.7, "2x4l4-ndr"}}},
      // A ring's 22.9 of 25 GB/s, one NIC per node and two; past an EPYC of PCIe 4.0 see below.
      {"slingshot-11, share of the line rate",
       20,
       0.96,
       "as NCCL derates 100 Gb/s (NET_BW, src/graph/topo.h)",
       {{0.91, "alps"}, {0.91, "kestrel"}}},
      // A ring over two NICs and over four, on 2 and 8 nodes each: 18.0 and 18.0, 18.1 and 17.2.
      {amd_nic_peers,
       10,
       24.0,
       "none: PCIe 4.0 (src/graph/topo.cc, kvDictPciGen)",
       {{18.0, "polaris"}, {17.7, "perlmutter"}}},
      // Pairs and quads of one socket. On two sockets 0.8 to 1.6 GB/s.
      {epyc_staging,
       10,
       14.4,
       "as other hosts of PCIe 4.0",
       {{3.5, "4x4090-milan-48gb"},
        {4.1, "4x4090-rome-48gb"},
        {4.55, "8x4090-milan-p2p"},
        {3.65, "8x4090-rome-p2p"},
        {3.8, "8x3090-rome-p2p"},
        {3.6, "7x3090-rome-x8"},
        {6.4, "2x5090-milan"},
        {5.2, "4xrtxpro4500-milan"}}},
      // What a NIC carries of 12.5 GB/s, by the times of 512 MiB and 1 GiB: a tree over four
      // NICs, 10.9 with NCCL 2.17 and 10.6 with 2.23, and a ring over one, 12.35. Older plugins
      // have less: 0.62 in NVIDIA/nccl#527 (2.9), which is the software's.
      {"efa-100g, share of the line rate",
       20,
       0.96,
       "as NCCL derates 100 Gb/s (NET_BW, src/graph/topo.h)",
       {{0.87, "2xp4de"}, {0.85, "2xp4d"}, {0.99, "2xrtxpro6000-efa"}}},
      // Two messages of a tree of LL, less the call and the steps in the nodes.
      {"efa-200g, us of a message",
       1,
       20,
       "TUNER_NET_LATENCY of aws/aws-ofi-nccl",
       {{10, "2x8b200-efa"}}},
  };
}

}  // namespace ringcast::detail
