#include "nn/option_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "tensor/error.h"

namespace heed::nn {
namespace {

std::optional<double> number_in(const OptionField& f) {
  if (auto* const* x = std::get_if<int64_t*>(&f.place)) return static_cast<double>(**x);
  if (auto* const* x = std::get_if<double*>(&f.place)) return **x;
  return std::nullopt;
}

}  // namespace

std::string text_of(const OptionField& f) {
  if (auto* const* x = std::get_if<int64_t*>(&f.place)) return std::to_string(**x);
  if (auto* const* x = std::get_if<double*>(&f.place)) return fmt::format("{}", **x);
  if (auto* const* x = std::get_if<bool*>(&f.place)) return **x ? "true" : "false";
  if (auto* const* x = std::get_if<std::string*>(&f.place)) return **x;
  return std::get<TextPlace>(f.place).get();
}

io::Json json_of(const std::vector<OptionField>& fields) {
  io::Json j = io::Json::object();
  for (const OptionField& f : fields) {
    if (auto* const* x = std::get_if<int64_t*>(&f.place))
      j.set(f.name, **x);
    else if (auto* const* y = std::get_if<double*>(&f.place))
      j.set(f.name, **y);
    else if (auto* const* z = std::get_if<bool*>(&f.place))
      j.set(f.name, **z);
    else
      j.set(f.name, text_of(f));
  }
  return j;
}

void read_option_fields(const std::vector<OptionField>& fields, const io::Json& j) {
  for (const OptionField& f : fields) {
    if (f.later && !j.contains(f.name)) continue;
    if (auto* const* x = std::get_if<int64_t*>(&f.place)) **x = j.integer(f.name);
    if (auto* const* x = std::get_if<double*>(&f.place)) **x = j.number(f.name);
    if (auto* const* x = std::get_if<bool*>(&f.place)) **x = j.boolean(f.name);
    if (auto* const* x = std::get_if<std::string*>(&f.place)) **x = j.text(f.name);
    if (auto* x = std::get_if<TextPlace>(&f.place)) x->set(j.text(f.name));
  }
}

std::string range_of(const OptionField& f) {
  if (!number_in(f)) return "";
  bool open = f.below || f.most == kNoEnd;
  return fmt::format("{}{}, {}{}", f.above ? "(" : "[", f.least, f.most, open ? ")" : "]");
}

void require_options(const std::string& owner, const std::vector<OptionField>& fields) {
  for (const OptionField& f : fields) {
    std::optional<double> x = number_in(f);
    if (x && !((f.above ? *x > f.least : *x >= f.least) && (f.below ? *x < f.most : *x <= f.most)))
      throw ValueError(fmt::format("{}: {} must lie in {}; got {}", owner, f.name, range_of(f), *x));
    auto* const* text = std::get_if<std::string*>(&f.place);
    if (!text || f.names.empty() || std::count(f.names.begin(), f.names.end(), **text)) continue;
    std::vector<std::string> names = f.names;
    std::erase(names, "");
    throw ValueError(
        fmt::format("{}: no {} of this name; got `{}`; there are {}", owner, f.name, **text, fmt::join(names, ", ")));
  }
}

}  // namespace heed::nn
