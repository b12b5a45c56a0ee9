#include "tutorials/common/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "nn/io/console.h"
#include "tensor/error.h"
#include "tensor/thread_pool.h"
#include "tutorials/report/wrap.h"

namespace heed::app {

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

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

Option::Option(std::string name, OptionTarget target, std::string help)
    : name_(std::move(name)), help_(std::move(help)), target_(target) {}

Option& Option::between(double low, double high) {
  low_ = low;
  high_ = high;
  return *this;
}
Option& Option::at_least(double low) {
  low_ = low;
  return *this;
}
Option& Option::above(double low) {
  low_ = low;
  low_open_ = true;
  return *this;
}
Option& Option::one_of(std::vector<std::string> choices) {
  choices_ = std::move(choices);
  return *this;
}
Option& Option::required() {
  required_ = true;
  return *this;
}
Option& Option::placeholder(std::string text) {
  placeholder_ = std::move(text);
  return *this;
}

std::string Option::rule() const {
  if (!choices_.empty()) return "one of " + join(choices_, ", ");
  if (std::holds_alternative<bool*>(target_)) return "true or false";
  if (!holds_number(target_)) return "a text that is not empty";
  std::string kind = holds_integer(target_) ? "a whole number" : "a number";
  if (low_ && high_) return fmt::format("{} from {} to {}", kind, plain(*low_), plain(*high_));
  if (low_) return fmt::format("{} {} {}", kind, low_open_ ? "above" : "of at least", plain(*low_));
  return kind;
}

template <typename Number>
void Option::check_range(Number value, const std::string& text) const {
  auto number = static_cast<long double>(value);  // holds every int64_t exactly, so 2^53 + 1 is not 2^53
  bool too_low = low_ && (low_open_ ? number <= *low_ : number < *low_);
  if (too_low || (high_ && number > *high_))
    throw InputError(fmt::format("{}: must be {}; got {}", name_, rule(), text));
}

void Option::assign(const std::string& text) {
  auto refuse = [&]() -> InputError {
    return InputError(fmt::format("{}: must be {}; got \"{}\"", name_, rule(), text));
  };
  auto integer = [&] {
    std::optional<std::int64_t> value = whole_number(text);
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
    if (choices_.empty() || std::find(choices_.begin(), choices_.end(), one) != choices_.end()) return one;
    std::string near = nearest(one, choices_);
    throw InputError(fmt::format("{}: must be one of {}; got \"{}\"{}", name_, join(choices_, ", "), one,
                                 near.empty() ? "" : "; nearest: " + near));
  };
  if (auto** target = std::get_if<std::int64_t*>(&target_)) **target = integer();
  if (auto** target = std::get_if<std::optional<std::int64_t>*>(&target_)) **target = integer();
  if (auto** target = std::get_if<double*>(&target_)) **target = number();
  if (auto** target = std::get_if<std::optional<double>*>(&target_)) **target = number();
  if (auto** target = std::get_if<std::string*>(&target_)) **target = word(text);
  if (auto** target = std::get_if<std::optional<std::string>*>(&target_)) **target = word(text);
  if (auto** target = std::get_if<std::vector<std::string>*>(&target_)) {
    for (const std::string& part : split_at_commas(text)) {
      if (part.empty()) throw refuse();
      (*target)->push_back(word(part));
    }
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

std::vector<std::string> Option::notes() const {
  std::vector<std::string> notes;
  if (!choices_.empty()) notes.push_back(join(choices_, " | "));
  if (low_ && high_ && *high_ < 1e15) notes.push_back(plain(*low_) + " to " + plain(*high_));
  if (required_) notes.push_back("required");
  if (std::string value = shown_default(); !required_ && !value.empty()) notes.push_back("default " + value);
  return notes;
}

Options::Options(std::string program, std::string description)
    : program_(std::move(program)), description_(std::move(description)) {}
Options::~Options() = default;

Option& Options::add(const std::string& name, OptionTarget target, const std::string& help) {
  named_.push_back(std::make_unique<Option>(name, target, help));
  return *named_.back();
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
  for (const auto& option : positional_) usage += option->required_ ? " " + option->name_ : " [" + option->name_ + "]";
  std::vector<std::pair<std::string, std::string>> rows;
  auto row = [&](const Option& option, bool named) {
    std::string left = option.name_, right = option.help_;
    bool is_flag = std::holds_alternative<bool*>(option.target_);
    if (named && !is_flag) {
      left += " " + (!option.placeholder_.empty() ? option.placeholder_ : holds_number(option.target_) ? "N" : "TEXT");
    }
    if (std::vector<std::string> notes = option.notes(); !notes.empty()) right += " (" + join(notes, "; ") + ")";
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

void add_common(Options& options, Common* common) {
  options.flag("--quick", &common->quick, "run a smaller, faster version with weaker claims");
  options.add("--seed", &common->seed, "seed of the random numbers").between(0, 9007199254740992.0);
  options.add("--threads", &common->threads, "number of threads; default: all processors").between(1, 256);
  options.add("--out", &common->out, "folder for the output files; it keeps the results of one command")
      .placeholder("DIR");
}

void apply_common(const Common& common) {
  if (common.threads) set_thread_count(static_cast<int>(*common.threads));
}

}  // namespace heed::app
