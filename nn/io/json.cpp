// The parser handles events (nlohmann's SAX interface) and keeps its own stack, so deep nesting is an error message and
// not a stack overflow.
#include "nn/io/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "nn/io/json_scanner.h"
#include "tensor/error.h"

namespace heed::io {

namespace {

constexpr std::size_t max_depth = 200;

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The shortest text that reads back as the same double and is recognisably a double: 1.0, not 1.
std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".eE") == std::string::npos) text += ".0";
  return text;
}

struct Writer {
  int indent;
  std::string out;

  void new_line(int depth) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent * depth), ' ');
  }
  void write(const Json& json, int depth) {
    if (json.is_null()) {
      out += "null";
    } else if (json.is_bool()) {
      out += json.as_bool() ? "true" : "false";
    } else if (json.is_integer()) {
      out += std::to_string(json.as_integer());
    } else if (json.is_number()) {
      out += number_text(json.as_number());
    } else if (json.is_string()) {
      out += quoted(json.as_string());
    } else if (json.is_array()) {
      out += '[';
      const char* separator = "";
      for (const Json& element : json.elements()) {
        out += separator;
        new_line(depth + 1);
        write(element, depth + 1);
        separator = ",";
      }
      if (json.size() > 0) new_line(depth);
      out += ']';
    } else {
      out += '{';
      const char* separator = "";
      for (const Member& member : json.items()) {
        out += separator;
        new_line(depth + 1);
        out += quoted(member.key);
        out += indent < 0 ? ":" : ": ";
        write(member.value, depth + 1);
        separator = ",";
      }
      if (json.size() > 0) new_line(depth);
      out += '}';
    }
  }
};

}  // namespace

// Receives the parser's events. `open_` holds the arrays and objects that are not closed yet; an object with the key
// that waits for its value.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonBuilder(std::string_view source, const std::string& what) : source_(source), what_(what) {
    origin_ = std::make_shared<const std::string>(what);
  }
  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(number_integer_t value) override { return add(Json(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    bool fits = value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return add(fits ? Json(static_cast<std::int64_t>(value)) : Json(static_cast<double>(value)));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(Json(value)); }
  bool string(string_t& value) override { return add(Json(std::move(value))); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }
  bool end_array() override { return close(); }
  bool end_object() override {
    std::vector<std::string_view> keys;
    for (const Member& member : open_.back().value.items()) keys.push_back(member.key);
    std::sort(keys.begin(), keys.end());
    auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) {
      throw IoError(
          fmt::format("{}: a key must appear once in an object; got {} twice", what_, quoted(std::string(*twice))));
    }
    open_.back().value.origin_ = origin_;
    return close();
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // "[...] parse error at line 1, column 2: syntax error while parsing value - ..."
    std::string reason = error.what();
    for (const char* before : {"] ", "column ", ": ", "syntax error while parsing "}) {
      std::size_t found = reason.find(before);
      if (found != std::string::npos) reason.erase(0, found + std::char_traits<char>::length(before));
    }
    // The message quotes what was read, unless it is long or cut inside a UTF-8 sequence.
    if (std::size_t last = reason.find("; last read"); last != std::string::npos)
      if (reason.size() > 160 || !is_utf8(reason)) reason.erase(last);
    std::string_view before = source_.substr(0, std::min(source_.size(), position > 0 ? position - 1 : 0));
    std::size_t line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    throw IoError(
        fmt::format("{}: must be valid JSON; line {}, column {}: {}", what_, line, before.size() - start + 1, reason));
  }
  Json take() {
    root_.origin_ = origin_;
    return std::move(root_);
  }

 private:
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Json& parent = open_.back().value; parent.is_array()) {
      std::get<std::vector<Json>>(parent.value_).push_back(std::move(value));
    } else {
      std::get<std::vector<Member>>(parent.value_).push_back({std::move(open_.back().key), std::move(value)});
    }
    return true;
  }
  bool open(Json container) {
    if (open_.size() >= max_depth) {
      throw IoError(fmt::format("{}: brackets must not nest deeper than {}; got one more", what_, max_depth));
    }
    open_.push_back({"", std::move(container)});
    return true;
  }
  bool close() {
    Json done = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(done));
  }

  std::string_view source_;
  const std::string& what_;
  std::shared_ptr<const std::string> origin_;
  std::vector<Member> open_;
  Json root_;
};

Json parse(std::string_view text, const std::string& what) {
  JsonBuilder builder(text, what);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

Json Json::array(std::initializer_list<Json> elements) {
  Json json;
  json.value_ = std::vector<Json>(elements);
  return json;
}

Json Json::object(std::initializer_list<Member> members) {
  Json json;
  json.value_ = std::vector<Member>();
  for (const Member& member : members) json.set(member.key, member.value);
  return json;
}

std::string Json::kind() const {
  constexpr const char* names[] = {"null",     "true or false", "an integer", "a number",
                                   "a string", "an array",      "an object"};
  return names[value_.index()];
}

void Json::refuse(std::string_view key, const std::string& rule) const {
  throw IoError(fmt::format("{}: key {} {}", origin_ ? *origin_ : "json", quoted(std::string(key)), rule));
}

namespace {

[[noreturn]] void wrong_kind(const Json& json, const char* wanted) {
  throw IoError(fmt::format("json: must be {}; got {}", wanted, json.kind()));
}

bool whole(const Json& json) {
  if (json.is_integer()) return true;
  if (!json.is_number()) return false;
  double value = json.as_number();
  return value == std::floor(value) && std::abs(value) < 9e15;
}

}  // namespace

bool Json::as_bool() const {
  if (!is_bool()) wrong_kind(*this, "true or false");
  return std::get<bool>(value_);
}

std::int64_t Json::as_integer() const {
  if (!whole(*this)) wrong_kind(*this, "an integer");
  if (is_integer()) return std::get<std::int64_t>(value_);
  return static_cast<std::int64_t>(std::get<double>(value_));
}

double Json::as_number() const {
  if (!is_number()) wrong_kind(*this, "a number");
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(value_));
  return std::get<double>(value_);
}

const std::string& Json::as_string() const {
  if (!is_string()) wrong_kind(*this, "a string");
  return std::get<std::string>(value_);
}

const std::vector<Json>& Json::elements() const {
  if (!is_array()) wrong_kind(*this, "an array");
  return std::get<std::vector<Json>>(value_);
}

const std::vector<Member>& Json::items() const {
  if (!is_object()) wrong_kind(*this, "an object");
  return std::get<std::vector<Member>>(value_);
}

std::size_t Json::size() const { return is_array() ? elements().size() : is_object() ? items().size() : 0; }

const Json* Json::find(std::string_view key) const {
  if (!is_object()) throw IoError(fmt::format("{}: must be an object; got {}", origin_ ? *origin_ : "json", kind()));
  for (const Member& member : items()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* found = find(key);
  if (!found) refuse(key, "is missing");
  return *found;
}

bool Json::boolean(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_bool()) refuse(key, "must be true or false; got " + value.kind());
  return value.as_bool();
}

std::int64_t Json::integer(std::string_view key) const {
  const Json& value = at(key);
  if (!whole(value)) refuse(key, "must be an integer; got " + value.kind());
  return value.as_integer();
}

double Json::number(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_number()) refuse(key, "must be a number; got " + value.kind());
  return value.as_number();
}

const std::string& Json::text(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_string()) refuse(key, "must be a string; got " + value.kind());
  return value.as_string();
}

const std::vector<Json>& Json::list(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_array()) refuse(key, "must be an array; got " + value.kind());
  return value.elements();
}

const Json& Json::inner(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_object()) refuse(key, "must hold an object; got " + value.kind());
  return value;
}

bool Json::boolean(std::string_view key, bool fallback) const { return contains(key) ? boolean(key) : fallback; }
std::int64_t Json::integer(std::string_view key, std::int64_t fallback) const {
  return contains(key) ? integer(key) : fallback;
}
double Json::number(std::string_view key, double fallback) const { return contains(key) ? number(key) : fallback; }
std::string Json::text(std::string_view key, const std::string& fallback) const {
  return contains(key) ? text(key) : fallback;
}

Json& Json::set(std::string key, Json value) {
  if (is_null()) value_ = std::vector<Member>();
  if (!is_object()) wrong_kind(*this, "an object");
  auto& members = std::get<std::vector<Member>>(value_);
  auto same = std::find_if(members.begin(), members.end(), [&](const Member& member) { return member.key == key; });
  if (same != members.end()) {
    same->value = std::move(value);
  } else {
    members.push_back({std::move(key), std::move(value)});
  }
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = std::vector<Json>();
  if (!is_array()) wrong_kind(*this, "an array");
  std::get<std::vector<Json>>(value_).push_back(std::move(value));
  return *this;
}

bool Json::operator==(const Json& other) const { return value_ == other.value_; }

std::string Json::dump(int indent) const {
  Writer writer{indent, {}};
  writer.write(*this, 0);
  return std::move(writer.out);
}

}  // namespace heed::io
