#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringcast::detail {

/// The relation of two devices in the matrix of `nvidia-smi topo -m`.
struct DeviceRelation {
  enum class Kind { unknown, self, nvlink, pix, pxb, phb, node, sys };
  Kind kind = Kind::unknown;
  int links = 0;  // only for nvlink
  friend bool operator==(const DeviceRelation&, const DeviceRelation&) = default;
};
/// `NV12`, `PIX`, `SYS`, ...
[[nodiscard]] std::string name_of(const DeviceRelation& relation);

using Words = std::vector<std::string>;
/// The words of a line, without a leading mark of a comment or a quotation.
[[nodiscard]] Words words_of_line(const std::string& line);

/// `GPU0`
[[nodiscard]] bool is_gpu_label(const std::string& word);

/// Whether a line is the header: a GPU, not followed by a relation.
[[nodiscard]] bool is_header(const Words& line);
/// "0-23,48-71", "1"
[[nodiscard]] bool is_list_of_cpus(const std::string& word);
/// Whether a line is the rest of a row that a terminal wrapped after its cells.
[[nodiscard]] bool continues_affinities(const Words& line);

/// Removes the tag that launchers put before each line: `node-1: GPU0 ...`. With several tags,
/// keeps the lines of the first one with a matrix, and sets `remark`.
[[nodiscard]] std::vector<std::string> untagged(std::span<const std::string> lines,
                                                std::string& remark);

/// What was expected in a cell of the matrix instead of an invalid word.
[[nodiscard]] std::string_view expected_instead_of(std::string_view word);

/// Parses the word of a cell; also SOC, the old name of SYS. Absent for other words.
[[nodiscard]] std::optional<DeviceRelation> relation_of(std::string_view word);

/// The matrix of `nvidia-smi topo -m`, with affinities and legend.
struct TopoMatrix {
  struct Device {
    std::string label;  // GPU0, NIC0, mlx5_0
    bool is_gpu = false;
    std::string name;      // of a NIC in the legend, otherwise the label
    std::string affinity;  // of a GPU: its NUMA node, otherwise its CPUs; may be empty
  };
  std::vector<Device> devices;  // in the order of the columns
  std::vector<std::vector<DeviceRelation>> relations;
  std::vector<std::string> remarks;  // repairs and omissions, one line each

  [[nodiscard]] const DeviceRelation& between(std::size_t a, std::size_t b) const {
    return relations[a][b];
  }
};

/// Reads the matrix from lines without escape sequences. Accepts text before and after it, tabs or
/// blanks, rows that a terminal wrapped, tags before each line, and missing rows if the columns of
/// other rows have their cells. Throws ScenarioError "NAME:LINE: PROBLEM (expected ...)".
[[nodiscard]] TopoMatrix read_topo_matrix(const std::string& name,
                                          std::span<const std::string> lines);

}  // namespace ringcast::detail
