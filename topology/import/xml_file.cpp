#include "topology/import/xml_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "engine/numbers/error.hpp"

namespace ringcast::detail {
namespace {

[[noreturn]] void refuse_at(const XmlFile& file, std::ptrdiff_t offset,
                            const std::string& problem) {
  const auto end = file.xml.begin() + std::clamp<std::ptrdiff_t>(
                                          offset, 0, static_cast<std::ptrdiff_t>(file.xml.size()));
  throw ScenarioError{
      fmt::format("{}:{}: {}", file.name, 1 + std::count(file.xml.begin(), end, '\n'), problem)};
}

}  // namespace

void XmlFile::parse(pugi::xml_document& document, std::string_view expected) const {
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) {
    refuse_at(*this, parsed.offset,
              fmt::format("no XML: {} (expected {})", parsed.description(), expected));
  }
}

void XmlFile::refuse(const pugi::xml_node& node, const std::string& problem) const {
  refuse_at(*this, node.offset_debug(), problem);
}

}  // namespace ringcast::detail
