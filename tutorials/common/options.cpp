#include "tutorials/common/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "nn/io/console.h"
#include "tensor/error.h"
#include "tensor/thread_pool.h"
#include "tutorials/report/wrap.h"

namespace heed::app {

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts{""};
  for (char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool holds_integer(const OptionTarget& target) {
  return std::holds_alternative<std::int64_t*>(target) || std::holds_alternative<std::optional<std::int64_t>*>(target);
}
bool holds_number(const OptionTarget& target) {
  return holds_integer(target) || std::holds_alternative<double*>(target) ||
         std::holds_alternative<std::optional<double>*>(target);
}

std::string plain(double value) {
  bool whole = value == std::floor(value) && std::abs(value) < 1e17;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value);
}

template <typename T>
std::string join(const std::vector<T>& items, const char* separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

}  // namespace

std::optional<double> decimal_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string in_words(const nn::Range& range) {
  const std::string least = plain(range.least);
  if (std::isinf(range.most)) return (range.above() ? "above " : "at least ") + least;
  return fmt::format("{}{} to {}{}", range.above() ? "above " : "", least, range.below() ? "below " : "",
                     plain(range.most));
}

std::string option_name(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return "--" + field;
}

Option::Option(std::string name, OptionTarget target, std::string help)
    : field_{.name = std::move(name), .place = {}, .help = std::move(help), .range = nn::kAnyNumber},
      target_(std::move(target)) {}
Option::Option(nn::OptionField field)
    : field_(std::move(field)),
      target_(std::visit([](const auto& place) { return OptionTarget(place); }, field_.place)) {}

Option& Option::between(double low, double high) {
  field_.range = {low, high};
  return *this;
}
Option& Option::at_least(double low) {
  field_.range = {low};
  return *this;
}
Option& Option::above(double low) {
  field_.range = {low, nn::kNoEnd, nn::Range::kAbove};
  return *this;
}
Option& Option::one_of(std::vector<std::string> choices) {
  field_.names = std::move(choices);
  return *this;
}
Option& Option::required() {
  required_ = true;
  return *this;
}
Option& Option::whole() {
  whole_ = true;
  return *this;
}
Option& Option::placeholder(std::string text) {
  field_.value = std::move(text);
  return *this;
}

std::string Option::rule() const {
  if (!field_.names.empty()) return "one of " + join(field_.names, ", ");
  if (std::holds_alternative<bool*>(target_)) return "true or false";
  if (!holds_number(target_)) return "a text that is not empty";
  std::string kind = holds_integer(target_) ? "a whole number" : "a number";
  const auto [least, most] = std::pair(field_.range.least, field_.range.most);
  if (std::isinf(least)) return kind;
  if (field_.range.above() && std::isinf(most)) return fmt::format("{} above {}", kind, plain(least));
  if (std::isinf(most)) return fmt::format("{} of at least {}", kind, plain(least));
  return fmt::format("{} from {}", kind, in_words(field_.range));
}

template <typename Number>
void Option::check_range(Number value, const std::string& text) const {
  // long double holds every int64_t exactly, so 2^53 + 1 is not 2^53.
  if (!field_.range.holds(static_cast<long double>(value)))
    throw InputError(fmt::format("{}: must be {}; got {}", field_.name, rule(), text));
}

void Option::assign(const std::string& text) {
  auto refuse = [&]() -> InputError {
    return InputError(fmt::format("{}: must be {}; got \"{}\"", field_.name, rule(), text));
  };
  auto integer = [&] {
    std::optional<std::int64_t> value = nn::whole_number(text);
    if (!value) throw refuse();
    check_range(*value, text);
    return *value;
  };
  auto number = [&] {
    std::optional<double> value = decimal_number(text);
    if (!value) throw refuse();
    check_range(*value, text);
    return *value;
  };
  auto word = [&](const std::string& one) {
    if (one.empty()) throw refuse();
    if (field_.names.empty() || std::find(field_.names.begin(), field_.names.end(), one) != field_.names.end())
      return one;
    std::string near = nearest(one, field_.names);
    throw InputError(fmt::format("{}: must be one of {}; got \"{}\"{}", field_.name, join(field_.names, ", "), one,
                                 near.empty() ? "" : "; nearest: " + near));
  };
  if (auto** target = std::get_if<std::int64_t*>(&target_)) **target = integer();
  if (auto** target = std::get_if<std::optional<std::int64_t>*>(&target_)) **target = integer();
  if (auto** target = std::get_if<double*>(&target_)) **target = number();
  if (auto** target = std::get_if<std::optional<double>*>(&target_)) **target = number();
  if (auto** target = std::get_if<std::string*>(&target_)) **target = word(text);
  if (auto** target = std::get_if<std::optional<std::string>*>(&target_)) **target = word(text);
  if (auto** target = std::get_if<std::vector<std::string>*>(&target_)) {
    for (const std::string& part : whole_ ? std::vector{text} : split_at_commas(text)) {
      if (part.empty()) throw refuse();
      (*target)->push_back(word(part));
    }
  }
  if (auto* target = std::get_if<nn::TextPlace>(&target_)) {
    try {
      target->set(text);
    } catch (const ValueError& error) { throw InputError(error.what()); }
  }
  if (auto** target = std::get_if<bool*>(&target_)) {
    if (text != "true" && text != "false") throw refuse();
    **target = text == "true";
  }
}

std::string Option::shown_default() const {
  if (auto* const* target = std::get_if<std::int64_t*>(&target_)) return std::to_string(**target);
  if (auto* const* target = std::get_if<double*>(&target_)) return fmt::format("{:g}", **target);
  if (auto* const* target = std::get_if<std::string*>(&target_)) return **target;
  if (auto* const* target = std::get_if<std::vector<std::string>*>(&target_)) return join(**target, ",");
  return "";
}

std::vector<std::string> Option::rules() const {
  std::vector<std::string> rules;
  if (!field_.names.empty()) rules.push_back(join(field_.names, " | "));
  if (holds_number(target_) && std::isfinite(field_.range.least)) rules.push_back(in_words(field_.range));
  return rules;
}

Options::Options(std::string program, std::string description)
    : program_(std::move(program)), description_(std::move(description)) {}
Options::~Options() = default;

Option& Options::add(const std::string& name, OptionTarget target, const std::string& help) {
  named_.push_back(std::make_unique<Option>(name, target, help));
  return *named_.back();
}
Option& Options::add(nn::OptionField field) {
  field.name = option_name(field.option.empty() ? field.name : field.option);
  named_.push_back(std::make_unique<Option>(std::move(field)));
  return *named_.back();
}
void Options::add_all(std::vector<nn::OptionField> fields) {
  for (nn::OptionField& field : fields)
    if (field.option != nn::kNoOption) add(std::move(field));
}
Option& Options::flag(const std::string& name, bool* target, const std::string& help) {
  return add(name, target, help);
}
Option& Options::positional(const std::string& name, OptionTarget target, const std::string& help) {
  positional_.push_back(std::make_unique<Option>(name, target, help));
  return *positional_.back();
}
void Options::epilogue(std::string text) { epilogue_ = std::move(text); }

std::string Options::help() const {
  const int width = std::min(io::console(1).width, 80);
  std::string usage = "usage: " + program_;
  if (!named_.empty()) usage += " [options]";
  for (const auto& option : positional_)
    usage += option->required_ ? " " + option->field_.name : " [" + option->field_.name + "]";
  std::vector<std::pair<std::string, std::string>> rows;
  auto row = [&](const Option& option, bool named) {
    std::string left = option.field_.name, right = option.field_.help;
    bool is_flag = std::holds_alternative<bool*>(option.target_);
    if (named && !is_flag) {
      left += " " + (!option.field_.value.empty() ? option.field_.value : holds_number(option.target_) ? "N" : "TEXT");
    }
    std::vector<std::string> notes = option.rules();
    if (option.required_) notes.emplace_back("required");
    if (std::string value = option.shown_default(); !option.required_ && !value.empty())
      notes.push_back("default " + value);
    if (!notes.empty()) right += " (" + join(notes, "; ") + ")";
    rows.emplace_back(left, right);
  };
  for (const auto& option : positional_) row(*option, false);
  for (const auto& option : named_) row(*option, true);
  rows.emplace_back("--help", "print this help");
  rows.emplace_back("--version", "print the version, and the commit that was built");
  std::size_t widest = 0;
  for (const auto& entry : rows) widest = std::max(widest, entry.first.size());
  std::string text = report::wrapped("", description_, width) + "\n\n" + usage + "\n\n";
  for (const auto& [left, right] : rows)
    text += report::wrapped(fmt::format("  {:<{}}  ", left, widest), right, width) + "\n";
  if (!epilogue_.empty()) text += "\n" + report::folded(epilogue_, width) + "\n";
  return text;
}

void require_effects(const std::string& command, const std::vector<nn::OptionField>& fields,
                     const std::set<std::string>& given) {
  for (const std::string& name : given) {
    std::vector<const nn::OptionField*> called;  // --tape is that of the encoder and that of the decoder
    for (const nn::OptionField& f : fields)
      if (nn::is_called(f, name)) called.push_back(&f);
    if (called.empty() ||
        std::any_of(called.begin(), called.end(), [](auto* f) { return !f->needs || f->needs->met(); }))
      continue;
    const nn::Need& need = *called[0]->needs;
    for (const nn::OptionField& other : fields) {
      if (!nn::is_called(other, need.option) && other.name != option_name(need.option)) continue;
      const std::string text = nn::text_of(other);
      throw InputError(fmt::format("{}: {} needs {} {}; got {} with {}", command,
                                   name.starts_with("--") ? name : option_name(name), option_name(need.option),
                                   need.value, nn::text_of(*called[0]),
                                   text.empty() ? "none" : option_name(need.option).substr(2) + " " + text));
    }
  }
}

void Options::require_effects() const {
  std::vector<nn::OptionField> fields;
  for (const auto& option : named_) fields.push_back(option->field_);
  app::require_effects(program_.substr(program_.rfind(' ') + 1), fields, given_);
}

void add_common(Options& options, Common* common) {
  options.flag("--quick", &common->quick, "run a smaller, faster version with weaker claims");
  options.add("--seed", &common->seed, "seed of the random numbers").between(0, 9007199254740992.0);
  options.add("--threads", &common->threads, "number of threads; default: all processors that this process may use")
      .between(1, 256);
  options.add("--out", &common->out, "folder for the output files; it keeps the results of one command")
      .placeholder("DIR");
}

void apply_common(const Common& common) {
  if (common.threads) set_thread_count(static_cast<int>(*common.threads));
}

}  // namespace heed::app
