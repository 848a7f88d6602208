#include "topology/links/measured_constants.hpp"

#include <algorithm>
#include <cmath>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values)
    logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

std::vector<MeasuredConstant> built_constants() {
  constexpr std::string_view tuner_latencies = "hwLatencies (src/graph/tuning.cc)";
  constexpr std::string_view copies_as_long_as_sums =
      "the copies to and from the buffer that the switch sees, if they took as long as the sums";
  constexpr std::string_view nccl_lanes = "NCCL's rate per lane (src/graph/topo.cc, kvDictPciGen)";
  return {
      {"pcie-3.0-x16 bandwidth", 10, 12.0, nccl_lanes, {{12.2, "deepbench-1080ti"}}},
      {"pcie-3.0-x16 peer_bandwidth",
       10,
       10.0,
       "5/6 of NCCL's rate (INTEL_P2P_OVERHEAD, src/graph/topo.h)",
       {{8.8, "deepbench-1080ti"}}},
      // PCIe 3.0: 7.1, 8.0 and 6.9 GB/s; 4.0: 20 to 22 between RTX 4090 (NVIDIA/nccl#814), and 10.4
      // that two GPUs of a DGX A100 share at each switch; 5.0: 27.3.
      {"pcie, share of kernels in host memory",
       20,
       1,
       nccl_lanes,
       {{7.1 / 12, "2x2v100-roce40"},
        {8.0 / 12, "2x2080ti"},
        {6.9 / 12, "2xv100-vm"},
        {21.0 / 24, ""},
        {10.4 / 24, "4xa100-dgx-nop2p"},
        {27.3 / 48, "4x5090"}}},
      {"xgmi-2 peer_bandwidth",
       10,
       16.0,
       "NCCL's AMD_ZEN12_BW (src/graph/topo.h)",
       {{20.6, "8x4090-p2p"}}},
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
      // Four GPUs, each joined with each by four links. The slope between 1 and 4 GiB, 207 of 300
      // GB/s, and between 8 and 128 MiB, 224; 72 of 100 between two of them, both ways at once
      // (Leonardo, NVIDIA/nccl-tests#331).
      {"nvlink-3.0 without a switch, GB/s",
       10,
       20.0,
       "NCCL's SM80_NVLINK_BW (src/graph/topo.h)",
       {{17.3, "4xa100-polaris"}, {18.7, "4xa100-stanage"}, {18.0, ""}}},
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
        {0.60, "2xt4-efa"},
        {0.65, "deepbench-titanx"},
        {0.85, "deepbench-1080ti"}}},
      {"network, share of messages staged by kernels, PCIe 4.0",
       20,
       1,
       "the wire is the limit",
       {{0.80, "2x1-roce100"}, {1.00, "2xrtxpro6000-efa"}}},
      // Two channels to a card, each of which one block of threads serves; without the others'
      // share, as the wire is far from full: 25 GB/s and 50 GB/s, PCIe 4.0; and of 12.5 GB/s.
      {"network, GB/s of messages staged by kernels",
       10,
       48.0,
       "none: PCIe 5.0 (src/graph/topo.cc, kvDictPciGen)",
       {{8.9, "2xa100-hdr-nogdr"}, {8.1, "2xl40s"}, {9.6, "2x2l40s"}, {9.8, "2x3090-roce100"}}},
      // A ring's 22.9 of 25 GB/s, one card per node and two; past an EPYC of PCIe 4.0 see below.
      {"slingshot-11, share of the line rate",
       20,
       0.96,
       "as NCCL derates 100 Gb/s (NET_BW, src/graph/topo.h)",
       {{0.91, "alps"}, {0.91, "kestrel"}}},
      // A ring over two cards and over four, on 2 and 8 nodes each: 18.0 and 18.0, 18.1 and 17.2.
      {amd_card_peers,
       10,
       24.0,
       "none: PCIe 4.0 (src/graph/topo.cc, kvDictPciGen)",
       {{18.0, "polaris"}, {17.7, "perlmutter"}}},
      // A tree between two p4de.24xlarge with four cards each, NCCL 2.17. Older plugins have less:
      // 0.62 in NVIDIA/nccl#527 (2.9), which is the software's.
      {"efa-100g, share of the line rate",
       20,
       0.96,
       "as NCCL derates 100 Gb/s (NET_BW, src/graph/topo.h)",
       {{0.83, "2xp4de"}}},
      // Two messages of a tree of Simple: 123.2 us for 8 bytes less the call and 14 hops in the
      // nodes.
      {tcpxo_message, 10, 14, tuner_latencies, {{29.4, "2x8h100-a3mega"}}},
      // Half of 8 bytes' time over a tree of Simple, less the call, 14 hops in the nodes and the 23
      // us of a message without GPUDirect RDMA: 57 and 48 us.
      {efa_flush, 10, 0, tuner_latencies, {{34, "2xp4d"}, {25, "2xp4de"}}},
      // A tree of LL128 at 16 MiB against 256 KiB: 51 and 62 us longer than without, for 14.5
      // chunks of 72,000 bytes of a channel and one. It predicts the four sizes between within 8
      // us, and of in-switch sums 134 us that two machines take from 32 to 512 MiB (131 and 133).
      {efa_chunk, 10, 0, tuner_latencies, {{3.8, "2xp5-blueprints"}, {4.6, "2xp5-eks"}}},
      // A tree of LL at the size from which messages are longer than 16 KiB, less the size before
      // and what the bytes take: 20.1, 19.8 and 21.7 us for two messages, 58 us for eight.
      {cxi_rendezvous,
       10,
       0,
       tuner_latencies,
       {{10.0, "alps"}, {9.9, "olivia"}, {10.8, "polaris"}, {7.3, "kestrel"}}},
      // At 16, 32 and 64 MiB: 118, 95 and 133 us; 138, 101 and 157; 126, 87 and 132, where 8 bytes
      // take 173 us longer than they should, which is subtracted.
      {rccl_tree,
       0.1,
       0,
       tuner_latencies,
       {{115, "2x8mi300x-second"}, {132, "2x8mi308x"}, {115, "2x8mi300x"}}},
      // nccl-tests#83, NVIDIA/nccl#209, #465, #450 (between 6.1 and 8.7).
      {"socket_copy_rate",
       2,
       6.0,
       "the other samples",
       {{6.2, "2xv100-10gbe"}, {4.0, ""}, {6.6, ""}, {6.1, ""}, {7.3, ""}}},
      // For 8 bytes nothing counts but latencies: 2(n-1) of a ring, of a tree those in the nodes.
      {ll_latency_p2p, 20, 1, tuner_latencies, {{1.99, "4x4090"}, {1.29, "8x5090"}}},
      {ll_latency_staged,
       20,
       1,
       tuner_latencies,
       {{2.7, "4xv100-qpi"}, {2.6, "2x2080ti"}, {1.8, "2x2v100-roce40"}, {1.48, "4x5090"}}},
      {ll_latency_ampere,
       20,
       1,
       tuner_latencies,
       {{1.6, "8xa100"}, {2.28, "2x8a100"}, {1.33, "2x8a100-hdr"}}},
      // nccl-tests with all GPUs in one process: small all-reduces take so long for each GPU.
      {kernel_launch,
       20,
       0,
       "no cost",
       {{5.05, "dgx-2"},
        {5.30, "8x4090"},
        {5.20, "8x4090-p2p"},
        {5.48, "8xa100-ml-engineering"},
        {5.75, "4xv100-qpi"},
        {5.75, "4xa100-pcie3"},
        {4.05, "4xv100-switch"},
        {6.20, "8xmi300x-azure"}}},
      // What brings the rows from 512 KiB to 512 MiB closest.
      {one_process_call,
       1,
       0,
       "no cost",
       {{9.6, "8xa100-azure"},
        {24, "8xa100-dkh"},
        {38, "8xa100-g8"},
        {43, "8xa100-ml-engineering"},
        {34, "8xa100-ndv4"},
        {19, "8xa100-one-process"},
        {48, "8xa100-planner"},
        {24, "4xa100-stanage"},
        {34, "8xv100-g8"},
        {34, "dgx-2"}}},
      // Eight H100 reach 257 GB/s of the buffer with chunks of 64 KiB (64 to 512 MiB) and 275 with
      // twice that (from 1 GiB on), so 1/294 ns for each byte and 0.5 us for each chunk; the steps
      // are those beside the share below. Eight H20, with fewer multiprocessors, reach 208.
      {switched_step_hopper,
       100,
       0,
       "none: pipelineModel() in src/tuning (after 2.30)",
       {{0.50, "8xh100"}, {0.47, "8xh100-290"}, {0.46, "h200"}}},
      // Eight GPUs reach 422 GB/s of the buffer with chunks of 64 KiB and 484 with twice that (the
      // one from 2 GiB on, the other from 8 GiB), so 1/567 ns for each byte and 0.95 us for each
      // chunk. The others, with chunks of 128 KiB, if their steps take as long: 454 for four GPUs,
      // 467 for six, 480 for eight.
      {switched_step_blackwell,
       100,
       0,
       "none: pipelineModel() in src/tuning (after 2.30)",
       {{0.96, "8xgb200-2-hosts"}, {0.94, "8xb200-gcp"}}},
      {switched_rate,
       100,
       0.85,
       "nvlsEfficiency of Hopper (src/graph/tuning.cc)",
       {{0.88, "8xgb200-2-hosts"},
        {0.88, "8xb200-gcp"},
        {0.90, "gb300"},
        {0.88, "b200"},
        {0.89, "8xh100"},
        {0.92, "8xh100-290"},
        {0.89, "h200"}}},
      // At 8 GiB; between four and eight GPUs the share is the same.
      {ring_rate_blackwell, 100, 1, "none", {{0.95, "b200"}, {0.94, "4xgb200-azure"}}},
      // Between the smallest and the largest size from 1 GiB on.
      {switched_channel,
       10,
       57.7,
       "perChMaxNVLSTreeBws (src/graph/tuning.cc)",
       {{58.5, "2x8h100-azure"},
        {58.8, "2x8h100-dstack"},
        {58.9, "2x8h100-hosts"},
        {60.1, "2x8h100-nebius"},
        {58.8, "2x8h100-xe9680"},
        {59.1, "2x8h100"},
        {60.1, "2x8h200-nebius"},
        {61.1, "2x8h200-oci"},
        {60.9, "2x8h200-roce"},
        {58.9, "2xdgx-h100"},
        {60.5, "2xp5-eks"},
        {58.7, "8x8h100-ndr"}}},
      // What is left of the times beside the call and the loops, in loops, whatever the chunks.
      {switched_fill_hopper,
       10,
       2,
       copies_as_long_as_sums,
       {{1.81, "8xh100"}, {1.88, "8xh100-290"}, {1.80, "h200"}}},
      {switched_fill_blackwell,
       10,
       2,
       copies_as_long_as_sums,
       {{2.34, "8xgb200-2-hosts"}, {2.43, "8xb200-gcp"}}},
      // 1/2.3 ns for each byte of 1 to 4 GiB with chunks of 64 KiB, 1/2.04 ns from 8 to 16 GiB with
      // 128 KiB, less the steps.
      {switched_rate_of_racks,
       100,
       0.74,
       "nvlsEfficiency (src/graph/tuning.cc)",
       {{0.83, "gb200-nvl72"}, {0.81, "gb300-2-racks"}}},
      // The slope of the times between two sizes: 8 and 16 MiB, 64 and 256 MiB, 4 and 16 MiB. Links
      // from GPU to GPU show no such loss: 129 GB/s between 4 and 8 MiB on eight V100.
      {ll128_rate_nvswitch,
       20,
       1,
       "120 bytes of data in 128 (src/device/prims_ll128.h)",
       {{0.82, "8xa100"}, {0.76, "2x8a100"}, {0.70, "dgx-2"}}},
      // Between 4 and 16 MiB on two machines: 227 GB/s of 290.
      {ll128_rate_xgmi,
       20,
       1,
       "120 bytes of data in 128 (src/device/prims_ll128.h)",
       {{0.78, "8xmi300x"}, {0.78, "8xmi300x-amd"}}},
  };
}

}  // namespace

double MeasuredConstant::value() const {
  return std::round(steps * without({})) / steps;
}

double MeasuredConstant::without(std::string_view set) const {
  std::vector<double> values;
  for (const MachineSample& sample : samples)
    if (set.empty() || sample.set != set) values.push_back(sample.value);
  return values.empty() ? by_default : geometric_mean(values);
}

bool MeasuredConstant::comes_from(std::string_view set) const {
  return std::ranges::find(samples, set, &MachineSample::set) != samples.end();
}

std::span<const MeasuredConstant> measured_constants() {
  static const std::vector<MeasuredConstant> constants = built_constants();
  return constants;
}

double measured_constant(std::string_view name, std::string_view left_out) {
  const auto found = std::ranges::find(measured_constants(), name, &MeasuredConstant::name);
  expect(found != measured_constants().end(), "no constant {}", name);
  return !left_out.empty() && found->comes_from(left_out) ? found->without(left_out)
                                                          : found->value();
}

}  // namespace ringcast
