#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ringcast {

/// A JSON object whose keys are asked for by type; remembers where it stands in the file, and keeps
/// the file alive. What is not as asked for is a ScenarioError:
/// "FILE: rows[1]: time_s: missing (expected a number)".
class JsonObject {
 public:
  /// The object that `text` is. Throws ScenarioError for what is no JSON.
  [[nodiscard]] static JsonObject parsed(const std::string& text, const std::string& file);

  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;
  /// Empty where the file says null.
  [[nodiscard]] std::string text_or_none(const char* key) const;
  [[nodiscard]] bool truth(const char* key) const;
  [[nodiscard]] std::uint64_t count(
      const char* key, std::uint64_t least = 0,
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  /// 0 or more.
  [[nodiscard]] double quantity(const char* key) const;
  /// Of either sign. Finite: a text with a number beyond the range of a double is not parsed.
  [[nodiscard]] double number(const char* key) const;
  [[nodiscard]] JsonObject object(const char* key) const;
  [[nodiscard]] std::vector<JsonObject> objects(const char* key) const;

  [[noreturn]] void refuse(const char* key, std::string_view expected) const;

 private:
  using Json = nlohmann::ordered_json;
  JsonObject(std::shared_ptr<const Json> value, std::string where);
  [[nodiscard]] const Json& find(const char* key, std::string_view expected) const;
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const;

  std::shared_ptr<const Json> value_;  // shares the document
  std::string where_;
};

}  // namespace ringcast
