#pragma once

#include <string>
#include <string_view>

namespace pugi {
class xml_node;      // NOLINT(readability-identifier-naming): pugixml's own name
class xml_document;  // NOLINT(readability-identifier-naming)
}  // namespace pugi

namespace ringcast::detail {

/// An XML file and its name, for messages.
struct XmlFile {
  const std::string& name;
  const std::string& xml;

  /// Throws ScenarioError "NAME:LINE: no XML: PROBLEM (expected EXPECTED)".
  void parse(pugi::xml_document& document, std::string_view expected) const;
  /// Throws ScenarioError "NAME:LINE: PROBLEM".
  [[noreturn]] void refuse(const pugi::xml_node& node, const std::string& problem) const;
};

}  // namespace ringcast::detail
