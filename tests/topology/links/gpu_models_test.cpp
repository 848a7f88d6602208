#include "topology/links/gpu_models.hpp"

#include <gtest/gtest.h>

namespace ringcast {
namespace {

std::string_view product_of(std::string_view name) {
  const GpuModel* const model = find_gpu_model(name);
  return model == nullptr ? "" : model->product;
}

TEST(GpuModels, AreFoundByTheNamesThatDriversPrint) {
  for (const auto& [name, product] : {std::pair{"NVIDIA A100-SXM4-80GB", "A100"},
                                      {"NVIDIA A100 80GB PCIe", "A100"},
                                      {"NVIDIA A100X", "A100"},
                                      {"NVIDIA A800-SXM4-80GB", "A800"},
                                      {"NVIDIA A10G", "A10"},
                                      {"Tesla V100S-PCIE-32GB", "V100"},
                                      {"Tesla V100-SXM2-32GB-LS", "V100"},
                                      {"Tesla P100-PCIE-16GB", "P100"},
                                      {"NVIDIA T4G", "T4"},
                                      {"NVIDIA L40S", "L40"},
                                      {"NVIDIA H100 80GB HBM3", "H100"},
                                      {"NVIDIA H20-3e", "H20"},
                                      {"NVIDIA GH200 480GB", "GH200"},
                                      {"NVIDIA GB200", "GB200"},
                                      {"NVIDIA GB300", "GB300"},
                                      {"NVIDIA B200", "B200"},
                                      {"NVIDIA B300 SXM6 AC", "B300"},
                                      {"NVIDIA GeForce RTX 2080 Ti", "2080 Ti"},
                                      {"NVIDIA GeForce RTX 4090 D", "4090"},
                                      {"NVIDIA GeForce RTX 4070 SUPER", "4070"},
                                      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "PRO 6000"},
                                      {"NVIDIA RTX 6000 Ada Generation", "6000 Ada"},
                                      {"NVIDIA TITAN Xp", "TITAN"},
                                      {"AMD Instinct MI300X VF", "MI300X"},
                                      // pci.ids
                                      {"GV100GL [Tesla V100 SXM2 32GB]", "V100"},
                                      {"GV100 [TITAN V]", "TITAN V"},
                                      {"GA100 [A800 SXM4 80GB]", "A800"},
                                      {"GA100GL [A30 PCIe]", "A30"},
                                      {"GH100 [H800]", "H800"},
                                      {"GA100 [CMP 170HX]", ""},
                                      {"GA100 [A100 SXM4 40GB] [10de:20b0]", "A100"},
                                      {"A100 [40GB]", "A100"},
                                      {"Aldebaran/MI200 [Instinct MI210]", "MI210"},
                                      {"Aqua Vanjaram [Instinct MI300X]", "MI300X"}}) {
    EXPECT_EQ(product_of(name), product) << name;
  }
}

// NVIDIA's page "CUDA GPU Compute Capability".
TEST(GpuModels, HaveTheComputeCapabilityOfTheirChip) {
  for (const auto& [name, capability] : {std::pair{"H100", 90},
                                         {"NVIDIA H100 80GB HBM3", 90},
                                         {"NVIDIA GeForce RTX 5090", 120},
                                         {"RTX PRO 6000 Blackwell Server Edition", 120},
                                         {"A100-SXM4-80GB", 80},
                                         {"A40", 86},
                                         {"L40S", 89},
                                         {"NVIDIA GeForce RTX 4060 Ti", 89},
                                         {"Tesla T4", 75},
                                         {"Quadro RTX 6000", 75},
                                         {"GeForce RTX 2070 SUPER", 75},
                                         {"NVIDIA TITAN V", 70},
                                         {"NVIDIA B300 SXM6 AC", 103},
                                         {"NVIDIA B100", 100},
                                         {"RTX A2000 12GB", 86},
                                         {"NVIDIA RTX PRO 2000 Blackwell", 120},
                                         {"Quadro P6000", 61},
                                         {"GeForce GTX 1080 Ti", 61}}) {
    EXPECT_EQ(find_gpu_model(name)->capability, capability) << name;
  }
}

TEST(GpuModels, AreOfAmdWithoutOne) {
  for (const char* const name :
       {"AMD Instinct MI300X", "Radeon RX 7900 XTX", "AMD Radeon AI PRO R9700", "MI350X"}) {
    EXPECT_TRUE(find_gpu_model(name)->is_amd()) << name;
  }
  EXPECT_FALSE(find_gpu_model("K80")->is_amd());
}

// Data sheets: bridges of RTX A4500 as of RTX A5000. Two xGMI links to each of the three other
// MI300A of a node.
TEST(GpuModels, HaveTheLinksOfTheirDataSheets) {
  EXPECT_EQ(find_gpu_model("RTX A4500")->nvlink_class, find_gpu_model("RTX A5000")->nvlink_class);
  EXPECT_EQ(find_gpu_model("RTX A4500")->nvlinks, 4);
  EXPECT_EQ(find_gpu_model("MI300A")->nvlink_class, "xgmi-mi300a");
  EXPECT_EQ(find_gpu_model("MI300A")->nvlinks, 6);
  EXPECT_EQ(find_gpu_model("NVIDIA GeForce RTX 2080")->nvlinks, 1);
  EXPECT_EQ(find_gpu_model("NVIDIA GeForce RTX 2080 SUPER")->nvlinks, 1);
  EXPECT_EQ(find_gpu_model("NVIDIA GeForce RTX 2080 Ti")->nvlinks, 2);
  EXPECT_EQ(find_gpu_model("RTX2080Ti")->nvlinks, 2);
}

// Drivers of GeForce RTX refuse it; on a GB10 the processor's memory is the GPU's, and NVIDIA's DGX
// Spark porting guide excludes GPUDirect RDMA.
TEST(GpuModels, HaveGpuDirectIfTheirDriverDoes) {
  EXPECT_FALSE(find_gpu_model("RTX 5090")->gpudirect);
  EXPECT_FALSE(find_gpu_model("NVIDIA GB10")->gpudirect);
  EXPECT_TRUE(find_gpu_model("GB200")->gpudirect);
}

TEST(GpuModels, AreFoundByWhatPeopleWrite) {
  for (const char* const name : {"a100", "A100SXM", "A100SXM4", "a100-sxm", "A100PCIe", "8xA100"})
    EXPECT_EQ(product_of(name), "A100") << name;
  EXPECT_EQ(product_of("2080Ti"), "2080 Ti");
  EXPECT_EQ(product_of("RTX 6000Ada"), "6000 Ada");
}

TEST(GpuModels, AreNotPartsOfOtherWords) {
  for (const char* const name : {"A100SXX", "A1000", "A100GPUS", "1A100", ""})
    EXPECT_EQ(product_of(name), "") << name;
}

}  // namespace
}  // namespace ringcast
