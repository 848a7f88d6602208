#include "topology/import/topo_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"
#include "topology/import/nvidia_smi_reader.hpp"

namespace ringcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

detail::TopoMatrix matrix_of(const std::string& text) {
  return detail::read_topo_matrix("m.txt", lines_of_text(text));
}

const std::string pair_of_gpus = "\tGPU0\tGPU1\nGPU0\t X \tPIX\t0-7\t0\nGPU1\tPIX\t X \t0-7\t0\n";

TEST(TopoMatrix, ReadsAffinitiesThatATerminalWrapped) {
  const detail::TopoMatrix matrix = matrix_of(
      "     GPU0 GPU1 CPU Affi\nnity NUMA Affinity GPU NUMA ID\nGPU0  X   PIX 0-7  0\n     N/A\n"
      "GPU1 PIX   X  8-15 1\n     N/A\n");

  EXPECT_EQ(matrix.devices.at(1).affinity, "NUMA 1");
  EXPECT_THAT(matrix.remarks, ElementsAre());
}

// srun -l, pdsh, mpirun --tag-output.
TEST(TopoMatrix, ReadsThroughTags) {
  for (const std::string tag : {"node-1: ", "  0: ", "[1,0]<stdout>:"}) {
    SCOPED_TRACE(tag);
    std::string tagged;
    for (const std::string& line : lines_of_text(pair_of_gpus))
      tagged += tag + line + "\n";

    EXPECT_EQ(matrix_of(tagged).devices.size(), 2U);
    EXPECT_THAT(matrix_of(tagged).remarks, ElementsAre());
    EXPECT_THAT(matrix_of("9: another\n" + tagged).remarks,
                ElementsAre(HasSubstr("only the lines that begin with")));
  }
}

TEST(TopoMatrix, AHeadingIsNoTag) {
  EXPECT_EQ(matrix_of(pair_of_gpus + "\r\nLegend:\r\n").devices.size(), 2U);
}

TEST(TopoMatrix, SaysThatItReadsTheFirstOfTwo) {
  EXPECT_THAT(matrix_of(pair_of_gpus + "\n" + pair_of_gpus).remarks,
              ElementsAre("the file has another matrix in line 5, which is not read (a file for "
                          "each machine)"));
}

TEST(TopoMatrix, SaysThatThoseOfAmdAreAnotherFormat) {
  EXPECT_THAT(refusal_of([] {
                return matrix_of(
                    "       GPU0         GPU1\nGPU0   0            XGMI\n"
                    "GPU1   XGMI         0\n");
              }),
              HasSubstr("m.txt:2: row GPU0: unknown relation \"0\" (expected the matrix of "
                        "nvidia-smi topo -m; that of rocm-smi is not supported"));
}

TEST(TopoMatrix, WithoutNvlinksIsRemarkedOnWhereTheModelHasSome) {
  const auto remarks = [](const std::string& gpu) {
    return host_of_nvidia_smi("m.txt", lines_of_text(pair_of_gpus), {gpu, ""}).remarks;
  };
  EXPECT_THAT(remarks("H100 SXM"),
              Contains(HasSubstr("the matrix has no NVLinks, the H100 has 18: none are taken")));
  EXPECT_THAT(remarks("H100 PCIe"), Not(Contains(HasSubstr("NVLinks"))));
}

}  // namespace
}  // namespace ringcast
