#include "tests/fuzz/fuzz_hardware.hpp"
#include "topology/import/network_nodes.hpp"

namespace ringcast {
namespace {

/// A host of one NIC and one GPU.
HostHardware described(const std::string& name, const std::string& guid) {
  HardwareDevice nic{VertexKind::nic, "", "mlx5_0", "", BytesPerSecond{0}};
  nic.guid = adapter_guid(guid);
  HostHardware host;
  host.host = name;
  host.sockets.push_back({"", "", 0, 0, Bytes{}, {{{{}, nic}}}});
  return host;
}

void read_fuzzed(const std::string& text) {
  const IbNetwork network = read_ib_network("fuzzed.txt", lines_of(text));
  write_and_read(nodes_on_network("fuzzed.txt", network, {}));
  // By the name of a host of the seeds, by a GUID, or by the name of a NIC.
  write_and_read(nodes_on_network("fuzzed.txt", network,
                                  {described("n1", "0xff"), described("other", "0x1c")}));
}

}  // namespace
}  // namespace ringcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return ringcast::fuzz_reader(data, size, ringcast::read_fuzzed);
}
