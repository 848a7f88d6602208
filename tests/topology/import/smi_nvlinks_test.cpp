// The bundles of NVLinks in the matrix of nvidia-smi.
#include "topology/import/smi_nvlinks.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"
#include "topology/import/nvidia_smi_reader.hpp"

namespace ringcast {
namespace {

using testing::HasSubstr;

HostHardware box_of(const std::string& text, const ImportHints& hints = {}) {
  return host_of_nvidia_smi("box.txt", lines_of_text(text), hints);
}

TEST(SmiNvlinks, AreNoMoreThanTheModelHas) {
  const std::string pair = " GPU0 GPU1\nGPU0 X NV12\nGPU1 NV12 X\n";
  EXPECT_EQ(refusal_of([&] {
              return box_of(pair, {"V100", ""});
            }),
            "box.txt: NV12, but the V100 has 6 NVLinks (expected another --gpu)");
  EXPECT_THAT(
      refusal_of([] {
        return box_of(" GPU0 GPU1 GPU2\nGPU0 X NV12 NV12\nGPU1 NV12 X SYS\nGPU2 NV12 SYS X\n");
      }),
      HasSubstr("GPU0 has 24 NVLinks in all, and the A100 has 12; NVSwitches would join "
                "all GPUs equally, but GPU1 and GPU2 have none between them (expected "
                "NV12"));
}

// A GPU that has lost two of its links has fewer to the NVSwitches, and so to each other GPU.
TEST(SmiNvlinks, ToSwitchesMayBeFewerOfOneGpu) {
  const HostHardware host = box_of(
      " GPU0 GPU1 GPU2 GPU3\nGPU0 X NV16 NV16 NV16\nGPU1 NV16 X NV18 NV18\n"
      "GPU2 NV16 NV18 X NV18\nGPU3 NV16 NV18 NV18 X\n",
      {"H100", ""});
  EXPECT_EQ(host.nvswitch, BytesPerSecond{16 * 25e9});
  EXPECT_THAT(host.remarks,
              testing::Contains("GPU 0 has 400 GB/s of NVLinks to the switches, others up to 450 "
                                "GB/s; the least is taken"));
}

}  // namespace
}  // namespace ringcast
