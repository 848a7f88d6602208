// The memory bandwidth of the reduction kernels on a GPU, with two reads and one write per byte,
// compared with that of a copy on the device, with one read and one write, in the same run.
#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/numbers/error.hpp"
#include "real/gpu/cuda_device.hpp"

namespace {

using namespace ringcast;

constexpr std::string_view help =
    "usage: reduction_bandwidth\n"
    "\n"
    "Times the sum, on the first GPU, of 64 MiB to 1 GiB of each type of element, and a copy of "
    "as\n"
    "many bytes on the device, in turns. Prints for each size and type the bytes per second of "
    "both\n"
    "(sum: two reads and a write; copy: a read and a write) and the median of their ratios over "
    "the\n"
    "turns. The goal is a ratio of at least 0.9. Build it with\n"
    "  cmake --build --preset release --target reduction_bandwidth\n"
    "and run build/release/tests/bin/reduction_bandwidth on a machine whose GPU is idle.\n"
    "Exit code 3: no GPU, or built without CUDA.\n";

/// The time of one call among several in a row, so that the launch is hidden.
template <typename Work>
Seconds time_of(DeviceStream& stream, const Work& work) {
  constexpr int calls = 20;
  work();
  wait_for(*stream.mark());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    work();
  }
  wait_for(*stream.mark());
  return Seconds{std::chrono::steady_clock::now() - begin} / calls;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(Device& device, Bytes size, ElementType type) {
  constexpr int turns = 7;
  const OwnedBytes into = device.allocate(size);
  const OwnedBytes from = device.allocate(size);
  const std::unique_ptr<DeviceStream> stream = device.make_stream();
  stream->clear(into.get(), size);
  stream->clear(from.get(), size);
  std::vector<double> copies;
  std::vector<double> sums;
  std::vector<double> ratios;
  for (int turn = 0; turn < turns; ++turn) {
    const Seconds copy = time_of(*stream, [&] { stream->copy(into.get(), from.get(), size); });
    const Seconds sum = time_of(*stream, [&] {
      stream->accumulate({type, Operation::sum}, into.get(), from.get(), size);
    });
    copies.push_back((2 * size / copy).value());
    sums.push_back((3 * size / sum).value());
    ratios.push_back(sums.back() / copies.back());
  }
  fmt::print("{:>8} {:>9} {:>12} {:>12} {:>6.3f}\n", to_text(size), name_of(type),
             to_text(BytesPerSecond{median(copies)}), to_text(BytesPerSecond{median(sums)}),
             median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    fmt::print("{}", help);
    return std::string_view{argv[1]} == "--help" ? 0 : 2;
  }
  try {
    const std::unique_ptr<Device> device = make_cuda_device(0);
    fmt::print("{}\n{:>8} {:>9} {:>12} {:>12} {:>6}\n", cuda_device_name(0), "size", "type", "copy",
               "sum", "ratio");
    for (const Bytes size : {64_MiB, 256_MiB, 1_GiB}) {
      for (const ElementType type : all_element_types) {
        measure(*device, size, type);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "reduction_bandwidth: {}\n", error.what());
    return exit_code_of(error);
  }
}
