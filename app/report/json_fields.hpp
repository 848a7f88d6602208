#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/report/json_object.hpp"
#include "engine/numbers/units.hpp"

namespace ringcast {

// A struct's JSON keys are listed once, in a function template `fields(json, part)`. Its `json` is
// one of three: JsonWriter writes the part, JsonReader reads it, JsonSchema describes it.

template <typename T, typename Part>
concept PartOf = std::same_as<std::remove_const_t<T>, Part>;

template <typename T>
concept Optional = requires {
  typename T::value_type;
}
&&std::same_as<std::remove_const_t<T>, std::optional<typename T::value_type>>;

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
  void time_above_zero(const char* key, Seconds value) { put(key, value); }
  template <typename T>
  void one_of(const char* key, T value, const Names<T>& names) {
    put(key, names.name(value));
  }
  template <typename T>
  void derived(const char* key, const T& value) {
    field(key, value);
  }
  template <typename T>
  void objects(const char* key, const std::vector<T>& parts) {
    begin_list(key);
    for (const T& part : parts) {
      JsonWriter item{add_object(key)};
      fields(item, part);
    }
  }
  template <typename T>
  void objects_if_any(const char* key, const std::vector<T>& parts) {
    if (!parts.empty()) {
      objects(key, parts);
    }
  }
  /// Keys that are null together: known or not.
  template <typename Write>
  void group(const char* /*first*/, bool known, const Write& write) {
    writes_null_ = !known;
    write();
    writes_null_ = false;
  }
  template <typename Write>
  void newer(const char* /*key*/, const Write& write) {
    write();
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

/// Throws ScenarioError for what does not fit, as JsonObject does.
class JsonReader {
 public:
  explicit JsonReader(const JsonObject& object) : object_{object} {}

  void constant(const char* /*key*/, std::string_view /*text*/) {}
  template <typename T>
  void field(const char* key, T& value, std::uint64_t least = 0) {
    if constexpr (std::same_as<T, bool>) {
      value = object_.truth(key);
    } else if constexpr (std::same_as<T, std::string>) {
      value = object_.text(key);
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(
          object_.count(key, least, static_cast<std::uint64_t>(std::numeric_limits<T>::max())));
    } else if constexpr (std::same_as<T, Bytes>) {
      value = Bytes{object_.count(key, least)};
    } else {
      value = T{object_.quantity(key)};
    }
  }
  template <Optional T>
  void field(const char* key, T& value, std::uint64_t least = 0) {
    value.reset();
    if (object_.has(key)) {
      field(key, value.emplace(), least);
    }
  }
  void text_or_null(const char* key, std::string& text) { text = object_.text_or_none(key); }
  void signed_number(const char* key, double& value) { value = object_.number(key); }
  /// Rates are made of it: no time would make them infinite.
  void time_above_zero(const char* key, Seconds& value);
  template <typename T>
  void one_of(const char* key, T& value, const Names<T>& names) {
    const std::string text = object_.text(key);
    for (const T known : names.values) {
      if (names.name(known) == text) {
        value = known;
        return;
      }
    }
    object_.refuse(key, names.expected);
  }
  template <typename T>
  void derived(const char* /*key*/, const T& /*value*/) {}
  template <typename T>
  void objects(const char* key, std::vector<T>& parts) {
    for (const JsonObject& object : object_.objects(key)) {
      JsonReader item{object};
      fields(item, parts.emplace_back());
    }
  }
  template <typename T>
  void objects_if_any(const char* key, std::vector<T>& parts) {
    if (object_.has(key)) {
      objects(key, parts);
    }
  }
  template <typename Read>
  void group(const char* first, bool /*known*/, const Read& read) {
    if (object_.has(first)) {
      read();
    }
  }
  /// A key that files of older versions do not have.
  template <typename Read>
  void newer(const char* key, const Read& read) {
    if (object_.has(key)) {
      read();
    }
  }
  /// Which of the keys there is says what the choice was; the last one if there is none.
  template <typename T, typename Read>
  void key_for(T& choice, std::span<const T> choices, const char* (*key)(T), const Read& read) {
    for (const T known : choices) {
      choice = known;
      if (object_.has(key(choice))) {
        break;
      }
    }
    read(key(choice));
  }

 private:
  const JsonObject& object_;
};

/// Describes what JsonWriter writes, as a JSON Schema.
class JsonSchema {
 public:
  /// Makes `schema` one of objects and adds their keys.
  explicit JsonSchema(nlohmann::ordered_json& schema);

  void constant(const char* key, std::string_view text);
  template <typename T>
  void field(const char* key, const T& /*value*/, std::uint64_t least = 0) {
    if constexpr (std::same_as<T, bool>) {
      add(key, "boolean");
    } else if constexpr (std::same_as<T, std::string>) {
      add(key, "string");
    } else if constexpr (std::integral<T> || std::same_as<T, Bytes>) {
      add(key, "integer", least);
    } else {
      add(key, "number", 0);
    }
  }
  template <Optional T>
  void field(const char* key, const T& /*value*/, std::uint64_t least = 0) {
    group(key, false, [&] { field(key, typename T::value_type{}, least); });
  }
  void text_or_null(const char* key, const std::string& text) {
    group(key, false, [&] { field(key, text); });
  }
  void signed_number(const char* key, double /*value*/) { add(key, "number"); }
  void time_above_zero(const char* key, Seconds value);
  template <typename T>
  void one_of(const char* key, T /*value*/, const Names<T>& names) {
    std::vector<std::string_view> texts;
    for (const T known : names.values) {
      texts.push_back(names.name(known));
    }
    add_choice(key, texts);
  }
  template <typename T>
  void derived(const char* key, const T& value) {
    field(key, value);
  }
  template <typename T>
  void objects(const char* key, const std::vector<T>& /*parts*/) {
    JsonSchema item{add_list(key)};
    T part{};
    fields(item, part);
  }
  template <typename T>
  void objects_if_any(const char* key, const std::vector<T>& parts) {
    requires_ = false;
    objects(key, parts);
    requires_ = true;
  }
  template <typename Describe>
  void group(const char* /*first*/, bool /*known*/, const Describe& describe) {
    allows_null_ = true;
    describe();
    allows_null_ = false;
  }
  template <typename Describe>
  void newer(const char* /*key*/, const Describe& describe) {
    describe();
  }
  template <typename T, typename Describe>
  void key_for(T /*choice*/, std::span<const T> choices, const char* (*key)(T),
               const Describe& describe) {
    requires_ = false;
    for (const T known : choices) {
      describe(key(known));
    }
    requires_ = true;
  }

 private:
  nlohmann::ordered_json& add(const char* key, const char* type,
                              std::optional<std::uint64_t> least = std::nullopt);
  void add_choice(const char* key, const std::vector<std::string_view>& texts);
  nlohmann::ordered_json& add_list(const char* key);

  nlohmann::ordered_json& schema_;
  bool allows_null_ = false;
  bool requires_ = true;
};

}  // namespace ringcast
