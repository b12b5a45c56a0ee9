#include "nn/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "nn/io/json.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

// One function for each kind of place: std::visit(Each{[](int64_t* x) {..}, ..}, field.place).
template <class... F>
struct Each : F... {
  using F::operator()...;
};
template <class... F>
Each(F...) -> Each<F...>;

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

bool is_number(const OptionField& f) {
  return std::holds_alternative<int64_t*>(f.place) || std::holds_alternative<double*>(f.place);
}

}  // namespace

OptionField& OptionFields::add(std::string name, Place place, std::string help) {
  return all.emplace_back(
      OptionField{.name = prefix_ + std::move(name), .place = std::move(place), .help = std::move(help)});
}
OptionField& OptionFields::operator()(std::string name, int64_t& x, std::string help, Range range) {
  OptionField& f = add(std::move(name), &x, std::move(help));
  f.range = range;
  return f;
}
OptionField& OptionFields::operator()(std::string name, double& x, std::string help, Range range) {
  OptionField& f = add(std::move(name), &x, std::move(help));
  f.range = range;
  return f;
}
OptionField& OptionFields::operator()(std::string name, bool& x, std::string help) {
  OptionField& f = add(std::move(name), &x, std::move(help));
  f.range = {0, 1};  // as a setting of a stage, which is a number
  return f;
}
OptionField& OptionFields::operator()(std::string name, std::string& x, std::string help,
                                      std::vector<std::string> names) {
  OptionField& f = add(std::move(name), &x, std::move(help));
  f.names = std::move(names);
  return f;
}
OptionField& OptionFields::operator()(std::string name, TextPlace x, std::string help, std::vector<std::string> names) {
  OptionField& f = add(std::move(name), std::move(x), std::move(help));
  f.names = std::move(names);
  return f;
}

bool is_called(const OptionField& f, const std::string& name) {
  return name == f.name || name == f.name.substr(f.name.rfind('.') + 1) || (!f.option.empty() && name == f.option);
}

bool is_whole(const OptionField& f) {
  return std::holds_alternative<int64_t*>(f.place) || std::holds_alternative<bool*>(f.place);
}

double number_of(const OptionField& f) {
  return std::visit(Each{[](int64_t* x) { return static_cast<double>(*x); }, [](double* x) { return *x; },
                         [](bool* x) { return *x ? 1.0 : 0.0; },
                         [&](const auto&) -> double {
                           throw ValueError(fmt::format("options: {} must be a number; got a text", f.name));
                         }},
                    f.place);
}

void set_number(const OptionField& f, double value) {
  std::visit(Each{[&](int64_t* x) { *x = static_cast<int64_t>(value); }, [&](double* x) { *x = value; },
                  [&](bool* x) { *x = value != 0; },
                  [&](const auto&) {
                    throw ValueError(fmt::format("options: {} must be a text; got the number {}", f.name, value));
                  }},
             f.place);
}

std::string text_of(const OptionField& f) {
  return std::visit(Each{[](const TextPlace& x) { return x.get(); }, [](std::string* x) { return *x; },
                         [](auto* x) { return fmt::format("{}", *x); }},
                    f.place);
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t v = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return v;
}

void set_text(const OptionField& f, const std::string& text) {
  auto set = [&](auto* place, auto value, const char* wanted) {
    if (!value) throw ValueError(fmt::format("{} must be {}; got \"{}\"", f.name, wanted, text));
    *place = *value;
  };
  std::visit(Each{[&](int64_t* x) { set(x, whole_number(text), "a whole number"); },
                  [&](double* x) { set(x, real_number(text), "a number"); },
                  [&](bool* x) {
                    set(x, text == "true" || text == "false" ? std::optional(text == "true") : std::nullopt,
                        "true or false");
                  },
                  [&](std::string* x) { *x = text; }, [&](const TextPlace& x) { x.set(text); }},
             f.place);
}

int64_t set_called(const std::vector<OptionField>& fields, const std::string& name, const std::string& text) {
  int64_t found = 0;
  for (const OptionField& f : fields)
    if (is_called(f, name)) set_text(f, text), ++found;
  return found;
}

io::Json json_of(const std::vector<OptionField>& fields) {
  io::Json j = io::Json::object();
  for (const OptionField& f : fields)
    std::visit(Each{[&](const TextPlace& x) { j.set(f.name, x.get()); }, [&](auto* x) { j.set(f.name, *x); }}, f.place);
  return j;
}

void read_option_fields(const std::vector<OptionField>& fields, const io::Json& j,
                        const std::vector<std::string>& others) {
  std::vector<std::string> known = others;
  for (const OptionField& f : fields) known.push_back(f.name);
  for (const io::Member& m : j.items()) {
    if (std::count(known.begin(), known.end(), m.key)) continue;
    std::string near = nearest(m.key, known);
    for (size_t i = 0; near.empty() && i < fields.size(); ++i)  // of encoder.hidden the last part may be meant
      if (!nearest(m.key, {fields[i].name.substr(fields[i].name.rfind('.') + 1)}).empty()) near = fields[i].name;
    j.refuse(m.key, "is no option" + (near.empty() ? "" : "; nearest: " + near));
  }
  for (const OptionField& f : fields) {
    if (!j.contains(f.name)) continue;
    std::visit(Each{[&](int64_t* x) { *x = j.integer(f.name); }, [&](double* x) { *x = j.number(f.name); },
                    [&](bool* x) { *x = j.boolean(f.name); }, [&](std::string* x) { *x = j.text(f.name); },
                    [&](const TextPlace& x) { x.set(j.text(f.name)); }},
               f.place);
  }
}

std::string range_of(const OptionField& f) {
  if (!is_number(f)) return "";
  return fmt::format("{}{}, {}{}", f.range.above() ? "(" : "[", f.range.least, f.range.most,
                     f.range.below() ? ")" : "]");
}

void require_options(const std::string& owner, const std::vector<OptionField>& fields) {
  for (const OptionField& f : fields) {
    if (is_number(f) && !f.range.holds(number_of(f)))
      throw ValueError(fmt::format("{}: {} must lie in {}; got {}", owner, f.name, range_of(f), number_of(f)));
    auto* const* text = std::get_if<std::string*>(&f.place);
    if (!text || f.names.empty() || std::count(f.names.begin(), f.names.end(), **text)) continue;
    std::vector<std::string> names = f.names;
    std::erase(names, "");
    throw ValueError(
        fmt::format("{}: no {} of this name; got `{}`; there are {}", owner, f.name, **text, fmt::join(names, ", ")));
  }
}

std::string nearest(const std::string& given, const std::vector<std::string>& known) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, given.size() / 3) + 1;
  if (given.size() > 100) return best;
  for (const std::string& candidate : known) {
    std::vector<size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= given.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        size_t change = diagonal + (given[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      }
    }
    if (row.back() < best_distance) {
      best = candidate;
      best_distance = row.back();
    }
  }
  return best;
}

}  // namespace heed::nn
