#pragma once

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/refusal.hpp"
#include "topology/import/nccl_xml_reader.hpp"

namespace ringcast {

// Topology files of NCCL, and what is read from them.

inline HostHardware read_xml(const std::string& xml, const ImportHints& hints = {}) {
  const std::vector<HostHardware> hosts = hosts_of_nccl_xml("topo.xml", xml, hints);
  EXPECT_EQ(hosts.size(), 1U);
  return hosts.front();
}

inline std::string xml_refusal(const std::string& xml) {
  return refusal_of([&] { return read_xml(xml); });
}

inline std::string gpu_at(const std::string& address, const std::string& inside = "", int sm = 80) {
  return fmt::format(
      "<pci busid=\"{}\" class=\"0x030200\" link_speed=\"16 GT/s\" "
      "link_width=\"16\"><gpu dev=\"0\" sm=\"{}\" rank=\"0\">{}</gpu></pci>",
      address, sm, inside);
}

inline std::string system_of(const std::string& inside) {
  return "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\" "
         "familyid=\"143\" modelid=\"49\">\n" +
         inside + "</cpu></system>";
}

inline std::string all_remarks(const HostHardware& host) {
  std::string all;
  for (const std::string& remark : host.remarks) {
    all += remark + "\n";
  }
  return all;
}

}  // namespace ringcast
