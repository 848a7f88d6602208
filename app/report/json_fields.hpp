#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/numbers/units.hpp"

namespace ringcast {

// A struct's JSON keys are listed once, in a function template `fields(json, part)`. Its `json` is
// JsonWriter, which writes the part, or JsonReader, which reads it; a test has one that describes
// it as a JSON Schema. They have:
//   constant       a text that says what the object is
//   field          a member; null for an optional without a value, which a file may leave out
//   text_or_null   a text, null where it is empty
//   signed_number  a number of either sign; those of field are 0 or more
//   one_of         a value that goes by a name
//   derived        written, but not read: it follows from others
//   objects        a list of parts that have fields of their own
//   group          keys that are null together, or missing in a file of an older version
//   key_for        a number whose key depends on its unit

template <typename T, typename Part>
concept PartOf = std::same_as<std::remove_const_t<T>, Part>;

template <typename T>
concept Optional = requires(T value) {
  value.has_value();
};

/// Whether a list without items is written.
enum class List { always, if_any };

/// The values of a type that JSON has as names.
template <typename T>
struct Names {
  std::span<const T> values;
  std::string_view (*name)(T);
  std::string_view expected;  // for messages
};

class JsonWriter {
 public:
  /// Adds keys to `object`.
  explicit JsonWriter(nlohmann::ordered_json& object) : object_{object} {}

  void constant(const char* key, std::string_view text) { put(key, text); }
  template <typename T>
  void field(const char* key, const T& value, std::uint64_t /*least*/ = 0) {
    put(key, value);
  }
  template <Optional T>
  void field(const char* key, const T& value, std::uint64_t /*least*/ = 0) {
    value ? put(key, *value) : put_null(key);
  }
  void text_or_null(const char* key, const std::string& text) {
    text.empty() ? put_null(key) : put(key, text);
  }
  void signed_number(const char* key, double value) { put(key, value); }
  template <typename T>
  void one_of(const char* key, T value, const Names<T>& names) {
    put(key, names.name(value));
  }
  template <typename T>
  void derived(const char* key, const T& value) {
    field(key, value);
  }
  template <typename T>
  void objects(const char* key, const std::vector<T>& parts, List list = List::always) {
    if (list == List::always || !parts.empty()) {
      begin_list(key);
    }
    for (const T& part : parts) {
      JsonWriter item{add_object(key)};
      fields(item, part);
    }
  }
  template <typename Write>
  void group(const char* /*first*/, bool known, const Write& write) {
    writes_null_ = !known;
    write();
    writes_null_ = false;
  }
  template <typename T, typename Write>
  void key_for(T choice, std::span<const T> /*choices*/, const char* (*key)(T),
               const Write& write) {
    write(key(choice));
  }

 private:
  void put(const char* key, double value);
  void put(const char* key, std::uint64_t value);
  void put(const char* key, bool value);
  void put(const char* key, std::string_view value);
  void put(const char* key, const std::string& value) { put(key, std::string_view{value}); }
  void put(const char* key, int value) { put(key, static_cast<std::uint64_t>(value)); }
  void put(const char* key, std::int64_t value) { put(key, static_cast<std::uint64_t>(value)); }
  void put(const char* key, Bytes value) { put(key, value.count()); }
  void put(const char* key, Seconds value) { put(key, value.count()); }
  void put(const char* key, BytesPerSecond value) { put(key, value.value()); }
  void put_null(const char* key);
  void begin_list(const char* key);
  nlohmann::ordered_json& add_object(const char* key);

  nlohmann::ordered_json& object_;
  bool writes_null_ = false;
};

/// A JSON object whose keys are asked for by type; remembers where it stands in the file, and keeps
/// the file alive. What is not as asked for is a ScenarioError:
/// "FILE: rows[1]: time_s: missing (expected a number)".
class JsonReader {
 public:
  /// The object that `text` is. Throws ScenarioError for what is no JSON.
  [[nodiscard]] static JsonReader parsed(const std::string& text, const std::string& file);

  void constant(const char* /*key*/, std::string_view /*text*/) const {}
  template <typename T>
  void field(const char* key, T& value, std::uint64_t least = 0) const {
    if constexpr (std::same_as<T, bool>) {
      value = truth(key);
    } else if constexpr (std::same_as<T, std::string>) {
      value = text(key);
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(
          count(key, least, static_cast<std::uint64_t>(std::numeric_limits<T>::max())));
    } else if constexpr (std::same_as<T, Bytes>) {
      value = Bytes{count(key, least)};
    } else {
      value = T{quantity(key)};
    }
  }
  template <Optional T>
  void field(const char* key, T& value, std::uint64_t least = 0) const {
    value.reset();
    if (has(key)) {
      field(key, value.emplace(), least);
    }
  }
  void text_or_null(const char* key, std::string& value) const;
  void signed_number(const char* key, double& value) const { value = number(key); }
  template <typename T>
  void one_of(const char* key, T& value, const Names<T>& names) const {
    const auto known = std::ranges::find(names.values, text(key), names.name);
    if (known == names.values.end()) {
      refuse(key, names.expected);
    }
    value = *known;
  }
  template <typename T>
  void derived(const char* /*key*/, const T& /*value*/) const {}
  template <typename T>
  void objects(const char* key, std::vector<T>& parts, List list = List::always) const {
    if (list == List::always || has(key)) {
      for (const JsonReader& object : objects(key)) {
        fields(object, parts.emplace_back());
      }
    }
  }
  template <typename Read>
  void group(const char* first, bool /*known*/, const Read& read) const {
    if (has(first)) {
      read();
    }
  }
  template <typename T, typename Read>
  void key_for(T& choice, std::span<const T> choices, const char* (*key)(T),
               const Read& read) const {
    const auto known = std::ranges::find_if(choices, [&](T each) { return has(key(each)); });
    choice = known == choices.end() ? choices.back() : *known;
    read(key(choice));
  }

  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::uint64_t count(
      const char* key, std::uint64_t least = 0,
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] JsonReader object(const char* key) const;
  [[nodiscard]] std::vector<JsonReader> objects(const char* key) const;
  [[noreturn]] void refuse(const char* key, std::string_view expected) const;

 private:
  using Json = nlohmann::ordered_json;
  JsonReader(std::shared_ptr<const Json> value, std::string where);
  [[nodiscard]] const Json& find(const char* key, std::string_view expected) const;
  [[nodiscard]] bool truth(const char* key) const;
  /// 0 or more.
  [[nodiscard]] double quantity(const char* key) const;
  /// Finite: a text with a number beyond the range of a double is not parsed.
  [[nodiscard]] double number(const char* key) const;
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const;

  std::shared_ptr<const Json> value_;  // shares the document
  std::string where_;
};

}  // namespace ringcast
