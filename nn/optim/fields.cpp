#include "nn/optim/fields.h"

#include <fmt/format.h>

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace heed::nn {
namespace {

std::string text_of(double v) { return fmt::format("{}", v); }
std::string text_of(int64_t v) { return fmt::format("{}", v); }
std::string text_of(bool v) { return v ? "true" : "false"; }
std::string text_of(const std::vector<int64_t>& v) { return fmt::format("{}", fmt::join(v, " ")); }

// Parses all of `text` as one number. (Some C++ standard libraries have no std::from_chars for double, and strtod
// depends on the locale.)
std::optional<double> real_number(std::string text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eEinfa") != std::string::npos || text[0] == '+')
    return std::nullopt;
  bool digits = text.find_first_of("0123456789") != std::string::npos;
  if (size_t point = text.find('.'); point != std::string::npos)
    text.replace(point, 1, std::localeconv()->decimal_point);
  char* end = nullptr;
  double v = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || (digits && std::isinf(v))) return std::nullopt;
  return v;
}
std::optional<int64_t> whole_number(std::string_view text) {
  int64_t v = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return v;
}

std::optional<double> value_of(const std::string& text, const double*) { return real_number(text); }
std::optional<int64_t> value_of(const std::string& text, const int64_t*) { return whole_number(text); }
std::optional<bool> value_of(const std::string& text, const bool*) {
  if (text != "true" && text != "false") return std::nullopt;
  return text == "true";
}
std::optional<std::vector<int64_t>> value_of(const std::string& text, const std::vector<int64_t>*) {
  std::vector<int64_t> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin), text.size());
    auto v = whole_number(std::string_view(text).substr(begin, end - begin));
    if (!v) return std::nullopt;
    out.push_back(*v);
    begin = end + 1;
  }
  return out;
}
const char* wanted(const double*) { return "a number"; }
const char* wanted(const int64_t*) { return "a whole number"; }
const char* wanted(const bool*) { return "true or false"; }
const char* wanted(const std::vector<int64_t>*) { return "whole numbers"; }

}  // namespace

void save_fields(io::SafeTensors& file, const std::string& prefix, const Fields& fields) {
  for (const Field& f : fields)
    file.metadata[prefix + f.name] = std::visit([](auto* place) { return text_of(*place); }, f.place);
}

FieldValues read_fields(const io::SafeTensors& file, const std::string& what, const std::string& prefix,
                        const Fields& fields) {
  FieldValues out;
  for (const Field& f : fields) {
    std::string key = prefix + f.name;
    auto found = file.metadata.find(key);
    if (found == file.metadata.end()) throw IoError(fmt::format("load: \"{}\": {} is missing", what, key));
    std::visit(
        [&](auto* place) {
          auto value = value_of(found->second, place);
          if (!value)
            throw IoError(
                fmt::format("load: \"{}\": {} must be {}; got \"{}\"", what, key, wanted(place), found->second));
          out.emplace_back(*value);
        },
        f.place);
  }
  return out;
}

FieldValues current_values(const Fields& fields) {
  FieldValues out;
  for (const Field& f : fields) std::visit([&](auto* place) { out.emplace_back(*place); }, f.place);
  return out;
}

void assign(const Fields& fields, const FieldValues& values) {
  for (size_t i = 0; i < fields.size(); ++i)
    std::visit([&](auto* place) { *place = std::get<std::decay_t<decltype(*place)>>(values[i]); }, fields[i].place);
}

std::string metadata_at(const io::SafeTensors& file, const std::string& key) {
  auto found = file.metadata.find(key);
  return found == file.metadata.end() ? "" : found->second;
}

void require_positive(const char* kind, const char* name, double value) {
  if (!(value > 0) || std::isinf(value))
    throw ValueError(fmt::format("{}: the {} must be positive; got {}", kind, name, value));
}
void require_not_negative(const char* kind, const char* name, double value) {
  if (!(value >= 0) || std::isinf(value))
    throw ValueError(fmt::format("{}: the {} must be at least 0; got {}", kind, name, value));
}
void require_fraction(const char* kind, const char* name, double value) {
  if (!(value >= 0 && value < 1)) throw ValueError(fmt::format("{}: {} must lie in [0, 1); got {}", kind, name, value));
}
void require_count(const char* kind, const char* name, int64_t n, int64_t least) {
  if (n < least) throw ValueError(fmt::format("{}: the {} must be at least {}; got {}", kind, name, least, n));
}

}  // namespace heed::nn
