#include "topology/links/measured_values.hpp"

namespace ringcast::detail {

std::vector<MeasuredConstant> values_of_libraries() {
  constexpr std::string_view tuner_latencies = "hwLatencies (src/graph/tuning.cc)";
  constexpr std::string_view copies_as_long_as_sums =
      "the copies to and from the buffer that the switch sees, if they took as long as the sums";
  return {
      // Two messages of a tree of Simple: 123.2 us for 8 bytes less the call and 14 hops in the
      // nodes.
      {tcpxo_message, 10, 14, tuner_latencies, {{29.4, "2x8h100-a3mega"}}},
      // Half of 8 bytes' time over a tree of Simple, less the call, 14 hops in the nodes and the 23
      // us of a message without GPUDirect RDMA: 57 and 48 us.
      {efa_flush, 10, 0, tuner_latencies, {{34, "2xp4d"}, {25, "2xp4de"}}},
      // A tree of LL128 at 16 MiB against 256 KiB: 20 and 30 us longer than without, 1.5 and 2.2 us
      // for each of 13.6 chunks. In-switch sums from 32 to 512 MiB: 131 and 133 us longer, 4.1 and
      // 4.2 for each message; the means of two such machines are taken. Trees of 8, 16 and 32 nodes
      // at 64 MiB against 32: 113, 151 and 188 us longer for 29 chunks.
      {efa_chunk,
       10,
       0,
       tuner_latencies,
       {{2.8, "2xp5-blueprints"}, {3.2, "2xp5-eks"}, {5.2, "32xp5"}}},
      // A tree of LL at the size from which messages are longer than 16 KiB, less the size before
      // and what the bytes take: 20.1, 19.8 and 21.7 us for two messages, 58 us for eight.
      {cxi_rendezvous,
       10,
       0,
       tuner_latencies,
       {{10.0, "alps"}, {9.9, "olivia"}, {10.8, "polaris"}, {7.3, "kestrel"}}},
      // At 16, 32 and 64 MiB: 43, 50 and 88 us; 63, 56 and 111; 52, 42 and 87, where 8 bytes take
      // 173 us longer than they should, which is subtracted.
      {rccl_tree,
       0.1,
       0,
       tuner_latencies,
       {{60, "2x8mi300x-second"}, {77, "2x8mi308x"}, {60, "2x8mi300x"}}},
      // The rate of a thread if the wire is faster. Two nodes with one GPU each, both ways
      // together: twice 1.29, 2.0 and 1.63 GB/s. Then nodes of several GPUs, one way:
      // nccl-tests#83, NVIDIA/nccl#209, #465, #450 (between 4.1 and 5.1).
      {tcp_copy,
       10,
       3.1,
       "the other samples",
       {{2.6, "2x3060-sockets"},
        {4.0, "2xt4-sockets"},
        {3.3, "2xl4-sockets"},
        {1.75, ""},
        {2.5, ""},
        {4.1, ""},
        {4.6, ""}}},
      // Rings of Simple over one NIC of 200 Gb/s, both ways together: twice 20.1 and 14.2 GB/s, at
      // 1 GiB.
      {google_copy,
       1,
       34,
       "the other sample",
       {{40.2, "2x8h100-a3high-tcp"}, {28.5, "3x8h100-a3high-tcp"}}},
      // Two nodes with one GPU each, both ways together: twice 3.11 and 2.60 GB/s, at 1 GiB.
      {efa_copy, 10, 5.7, "the other sample", {{6.2, "2xt4-efa"}, {5.2, "2xv100-p3dn-efa"}}},
      // Half of what 8 B to 1 KiB take (101.7, 107.9, 178.8 and 47.7 us) less 17 us over RDMA.
      {tcp_message,
       1,
       12.3,
       "one way between bare hosts, as sockperf measures (2x3060-sockets)",
       {{42.4, "2x3060-sockets"},
        {45.4, "2xt4-sockets"},
        {80.8, "2xa10g-sockets"},
        {15.4, "128x4a100-polaris-tcp"}}},
      // The time of 8 bytes consists of latencies: 2(n-1) for a ring; for a tree, those in the
      // nodes.
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
      {ll_latency_blackwell,
       20,
       1,
       tuner_latencies,
       {{1.78, "8xgb200-2-hosts"}, {2.34, "2x8b200-lambda"}}},
      // The time of small all-reduces per GPU in nccl-tests with at least eight GPUs in one
      // process.
      {kernel_launch,
       20,
       0,
       "no cost",
       {{5.07, "dgx-2"},
        {5.30, "8x4090"},
        {5.21, "8x4090-p2p"},
        {5.60, "8xa100-azure"},
        {4.57, "8xa100-dkh"},
        {4.00, "8xa100-g8"},
        {6.84, "8xa100-modal"},
        {4.39, "8xa100-ndmv4"},
        {4.36, "8xa100-ndv4"},
        {4.90, "8xa100-one-process"},
        {2.91, "8xa100-by-count"},
        {3.92, "8xb300"},
        {4.50, "8xh100-together-ring"},
        {7.15, "8xh100-unisound"},
        {3.73, "8xh200-azure"},
        {6.07, "8xv100-g8"},
        {3.39, "8xrtxpro6000-turin-p2pmark"}}},
      {hip_launch,
       20,
       0,
       "no cost",
       {{5.79, "8xmi100-apollo"},
        {5.65, "8xmi300x-acceptance"},
        {6.29, "8xmi300x-azure"},
        {6.28, "8xmi350x-g8"},
        {5.53, "8xmi355x-aion"},
        {4.47, "8xmi355x-vultr"}}},
      // Fitted to the rows from 512 KiB to 512 MiB.
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
      // are those beside the share below.
      {switched_step_hopper,
       100,
       0,
       "none: pipelineModel() in src/tuning (2.32.6, for Rubin)",
       {{0.50, "8xh100"}, {0.47, "8xh100-290"}, {0.46, "h200"}}},
      // Eight GPUs reach 422 GB/s of the buffer with chunks of 64 KiB and 484 with twice that (the
      // one from 2 GiB on, the other from 8 GiB), so 1/567 ns for each byte and 0.95 us for each
      // chunk. The others, with chunks of 128 KiB, if their steps take as long: 454 for four GPUs,
      // 467 for six, 480 for eight.
      {switched_step_blackwell,
       100,
       0,
       "none: pipelineModel() in src/tuning (2.32.6, for Rubin)",
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
      // From 4 GiB on, 16 channels; the last one's NICs are full.
      {ring_channel,
       20,
       100,
       "none",
       {{20.2, "8x8h100-ndr"},
        {20.0, "10x8h100-dgx"},
        {19.9, "9x8h100-oci"},
        {20.6, "4x8h100-roce-nvls"},
        {22.9, "4x8h100-xe9680"},
        {24.2, "12x8h100"}}},
      // At 256 MiB; at 8 GiB one of them reaches 0.94 (6xh100-algorithms).
      {ring_rate_of_two,
       20,
       1,
       "none",
       {{0.83, "4xa100"},
        {0.84, "7xa100-one-process"},
        {0.83, "2xh100-p2p-off"},
        {0.83, "6xh100-algorithms"},
        {0.94, "2xh100-g2"},
        {0.80, "8xb300-by-count"}}},
      // Pairs with one GPU per node: the slope of the time over the largest sizes of LL, of that
      // predicted with 1 (128 to 512 KiB; 3060 and OCI to 256 KiB, 3090 32 to 128, H200 16 to 256).
      {ll_between_nodes,
       25,
       1,
       "none",
       {{0.51, "2xa100-hdr-nogdr"},
        {0.70, "2xl40s"},
        {0.85, "2x3060-roce100"},
        {0.82, "2x3090-roce100"},
        {0.75, "2x1h200-gcp"},
        {0.65, "2x1h100-oci-1-port"}}},
      // The smallest size: the measured time less the predicted one without this, by the steps of a
      // ring; 8 x GB10 in a ring and a pair.
      {gb10_message, 30, 0, "none", {{5.3, "8xgb10-ring"}, {5.6, "2xgb10-large"}}},
      // 256 MiB: 8.55 GB/s of a forced ring.
      {gb10_ll128, 30, 1, "none", {{0.40, "4xgb10-crs804-algorithms"}}},
      // MI100 (4 to 128 MiB), R9700 and RX 7900 XTX: the part of NCCL's rate that two of them
      // reach.
      {rccl_staging,
       20,
       1,
       "none",
       {{0.67, "2xmi100-no-p2p"}, {0.83, "2xr9700-x8"}, {0.73, "2x7900xtx-x99"}}},
      // At 8 GiB five, six and seven GPUs reach 38 GB/s, and three, with two rings, 75; a link of
      // eight GPUs carries 53.8. With RCCL 2.30 these are 46.9, 94 and 56.3.
      {rccl_two_channels,
       100,
       1,
       "none",
       {{0.706, "8xmi355x-by-count"}, {0.833, "8xmi355x-by-count-230"}}},
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
      // The time in addition to the call and the loops, in loops, at any chunk size.
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
      // With 32 heads: 32 GPUs at 4 to 32 MiB, 72 at 8 B. With 8 and 16 all of them count.
      {switched_fill_heads,
       1,
       32,
       "none: NCCL_MAX_NVLS_ARITY heads",
       {{19.8, "32xgb300-verda"}, {19.8, "gb300-pega"}}},
      // The slope between 256 MiB and 1 GiB: 207 GB/s of the buffer.
      {switched_rate_of_h20,
       100,
       0.85,
       "nvlsEfficiency of Hopper (src/graph/tuning.cc)",
       {{0.62, "8xh20"}, {0.62, "8xh20-vm"}}},
      // 1/2.3 ns for each byte of 1 to 4 GiB with chunks of 64 KiB, 1/2.04 ns from 8 to 16 GiB with
      // 128 KiB, less the steps.
      {switched_rate_of_racks,
       100,
       0.74,
       "nvlsEfficiency (src/graph/tuning.cc)",
       {{0.83, "gb200-nvl72"}, {0.81, "gb300-2-racks"}}},
      // The slope between 4 and 8 GiB, 428 GB/s of the buffer on two racks (429 on another pair)
      // and 403 on three; 738 GB/s of bus bandwidth for 16 GiB; less the steps.
      {switched_rate_between_racks,
       100,
       0.74,
       "nvlsEfficiency (src/graph/tuning.cc)",
       {{0.67, "gb200-2-racks"}, {0.65, "gb200-3-racks"}, {0.59, "gb300-2-racks"}}},
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
      // Two GPUs at 1 GiB, with LL128 alone: 383 GB/s of 633. Four at 8 and 16 MiB, less the steps.
      {ll128_rate_blackwell,
       20,
       1,
       "120 bytes of data in 128 (src/device/prims_ll128.h)",
       {{0.60, "2xb200-ll128"},
        {0.58, "4xb300"},
        {0.79, "4xgb200-azure"},
        {0.95, "4xgb300-a4xmax"}}},
  };
}

}  // namespace ringcast::detail
