// JSON: a value type, a parser whose errors say where the text is wrong, and a writer whose numbers read back
// unchanged.
//
// clang-format off
//   Json j = Json::object({{"lesson", "02_derivatives"}, {"sizes", Json::array({1, 2, 3})}});
//   j.set("pass", true);
//   io::parse(text, "config.json").integer("hidden")
//       // may throw: config.json: key "hidden" must be an integer; got a string
// clang-format on
//
// Objects keep the order in which keys were added, so a value is always written as the same text. NaN and infinities,
// which JSON cannot express, are written as null. Grammar: RFC 8259. Only json.cpp depends on the library that parses
// the text.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed::io {

struct Member;  // one key of an object with its value

class Json {
 public:
  Json() noexcept;  // null
  Json(std::nullptr_t) noexcept;
  Json(bool value);
  Json(double value);
  Json(const char* value);
  Json(std::string value);
  Json(std::string_view value);
  template <std::integral T>
  Json(T value);
  template <typename T>
  Json(const std::vector<T>& values);

  static Json array(std::initializer_list<Json> elements = {});
  static Json object(std::initializer_list<Member> members = {});

  bool is_null() const { return value_.index() == 0; }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<std::vector<Json>>(value_); }
  bool is_object() const { return std::holds_alternative<std::vector<Member>>(value_); }
  std::string kind() const;  // "an integer", "a string", ...: for error messages

  // The value itself; for a value of another kind, IoError "json: must be a string; got an array".
  bool as_bool() const;
  std::int64_t as_integer() const;  // a double without fraction counts as an integer
  double as_number() const;
  const std::string& as_string() const;
  const std::vector<Json>& elements() const;  // of an array
  const std::vector<Member>& items() const;   // of an object, in order
  std::size_t size() const;                   // number of elements of an array or members of an object; otherwise 0

  // The value of a key. A missing key, or a value of another kind, throws an IoError that names the file and the key.
  // With a fallback, a missing key gives the fallback, but a value of the wrong kind still throws.
  const Json* find(std::string_view key) const;  // nullptr if the key is missing
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  const Json& at(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  const std::string& text(std::string_view key) const;
  const std::vector<Json>& list(std::string_view key) const;
  const Json& inner(std::string_view key) const;  // of an object in an object
  bool boolean(std::string_view key, bool fallback) const;
  std::int64_t integer(std::string_view key, std::int64_t fallback) const;
  double number(std::string_view key, double fallback) const;
  std::string text(std::string_view key, const std::string& fallback) const;

  // An IoError of a reader with further rules: <file>: key "epochs" <rule>.
  [[noreturn]] void refuse(std::string_view key, const std::string& rule) const;

  Json& set(std::string key, Json value);  // adds or replaces; a null value becomes an object first
  Json& push(Json value);                  // a null value becomes an array first

  // indent < 0: one line without spaces; otherwise one element per line. Each invalid UTF-8 sequence becomes U+FFFD.
  std::string dump(int indent = -1) const;
  bool operator==(const Json& other) const;

 private:
  friend class JsonBuilder;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, std::vector<Json>, std::vector<Member>> value_;
  std::shared_ptr<const std::string> origin_;  // of parsed objects and what a file holds: the file, for errors
};

struct Member {
  std::string key;
  Json value;
  bool operator==(const Member& other) const = default;
};

inline Json::Json() noexcept {}
inline Json::Json(std::nullptr_t) noexcept {}
inline Json::Json(bool value) : value_(value) {}
inline Json::Json(double value) : value_(value) {}
inline Json::Json(const char* value) : value_(std::string(value)) {}
inline Json::Json(std::string value) : value_(std::move(value)) {}
inline Json::Json(std::string_view value) : value_(std::string(value)) {}
template <std::integral T>
Json::Json(T value) : value_(static_cast<std::int64_t>(value)) {}
template <typename T>
Json::Json(const std::vector<T>& values) : value_(std::vector<Json>(values.begin(), values.end())) {}

// `what` is the file, for error messages: IoError "<what>: must be valid JSON; line 3, column 7: ...". Duplicate keys,
// and brackets nested deeper than 200, are an IoError too.
Json parse(std::string_view text, const std::string& what);

}  // namespace heed::io
