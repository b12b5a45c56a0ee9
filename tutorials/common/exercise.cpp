// The verdict on an exercise, in words (see exercise.h).
#include "tutorials/common/exercise.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "nn/io/json.h"
#include "tensor/error.h"
#include "tutorials/common/main.h"

namespace heed::app {

namespace {

constexpr unsigned kSeconds = 60;

// A gap filled with an endless loop: only what is safe in a signal handler.
void too_long(int) {
  const char* sentence = "Not yet: still running after 60 s; does a loop never end?\n";
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, sentence, std::strlen(sentence));
  _exit(1);
}

// [1, 2] of a flat index in row-major order; "" for a scalar.
std::string index_text(const Shape& shape, std::size_t flat) {
  std::string text;
  auto rest = static_cast<std::int64_t>(flat);
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = fmt::format("{}{}{}", rest % shape[axis], text.empty() ? "" : ", ", text);
    rest /= shape[axis];
  }
  return text.empty() ? "" : fmt::format("[{}]", text);
}

// dA[1, 2], or "weights of 6 words, element [0],"; some checks say "element" at the end of their name.
std::string named(const std::string& what, const std::string& place) {
  if (place.empty() || what.find(' ') == std::string::npos) return what + place;
  return fmt::format("{}{}{}{}", what, what.ends_with(' ') ? "" : ", element ", place, what.ends_with(' ') ? "" : ",");
}

// Of a gap that nobody has touched: what is still open, and no sentence that says what belongs there.
std::string open_gap(const std::string& mistake) {
  const std::string first = mistake.substr(0, mistake.find(". "));
  return first.find("still open") != std::string::npos ? first
                                                       : "The gap is still open: it holds what the file began with";
}

}  // namespace

Exercise::Exercise(std::string lesson, int number, std::string title)
    : lesson_(std::move(lesson)), title_(std::move(title)), number_(number) {}

void Exercise::hint(std::string sentence) { hints_.push_back(std::move(sentence)); }

void Exercise::outcomes(std::string path) { outcomes_ = std::move(path); }

void Exercise::insight(std::string lines, std::string next) { insight_ = std::move(lines), next_ = std::move(next); }

bool Exercise::count(const std::string& difference) {
  ++now_.checks;
  if (difference.empty()) ++now_.passed;
  if (now_.first_difference.empty()) now_.first_difference = difference;
  return difference.empty();
}

bool Exercise::compare(const std::string& what, const std::vector<double>& measured,
                       const std::vector<double>& expected, double tolerance,
                       const std::function<std::string(std::size_t)>& place) {
  double scale = 1;
  for (double value : expected) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  const double allowed = tolerance * scale;
  now_.lines.emplace_back(what, measured, tolerance);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double m = measured[i], e = expected[i];
    if (m == e || (std::isnan(m) && std::isnan(e)) || std::abs(m - e) <= allowed) continue;
    return count(fmt::format("{} is {:.8g} and should be {:.8g} (off by {:.3g}, allowed {:.3g})", named(what, place(i)),
                             m, e, std::abs(m - e), allowed));
  }
  return count("");
}

bool Exercise::check(const std::string& what, double measured, double expected, double tolerance) {
  return compare(what, {measured}, {expected}, tolerance, [](std::size_t) { return ""; });
}

bool Exercise::check(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
                     double tolerance) {
  if (measured.size() != expected.size()) {
    now_.lines.emplace_back(fmt::format("{}: {} elements", what, measured.size()));
    return count(fmt::format("{} has {} elements and should have {}", what, measured.size(), expected.size()));
  }
  return compare(what, measured, expected, tolerance, [](std::size_t i) { return fmt::format("[{}]", i); });
}

bool Exercise::check(const std::string& what, const Tensor& measured, const Tensor& expected, double tolerance) {
  if (!measured.defined()) return now_.lines.emplace_back(what), count(what + " was never given a value");
  if (measured.shape() != expected.shape()) {
    now_.lines.emplace_back(what + to_string(measured.shape()));
    return count(fmt::format("{} has the shape {} and should have {}", what, to_string(measured.shape()),
                             to_string(expected.shape())));
  }
  return compare(what, measured.to_vector(), expected.to_vector(), tolerance,
                 [&](std::size_t i) { return index_text(expected.shape(), i); });
}

bool Exercise::check(const std::string& what, const std::string& measured, const std::string& expected) {
  now_.lines.emplace_back(what + measured);
  if (measured == expected) return count("");
  return count(fmt::format("{} is \"{}\" and should be \"{}\"", what, measured, expected));
}

Exercise::Result Exercise::result_of(const std::function<void(Exercise&)>& examine) {
  now_ = {};
  try {
    examine(*this);
  } catch (const std::exception& error) {
    now_.lines.emplace_back(error.what());
    count(fmt::format("an error stopped the program: {}", error.what()));
  }
  if (now_.checks == 0) count("nothing was checked");
  return std::move(now_);
}

std::vector<Outcome> Exercise::recorded() const {
  return outcomes_.empty() ? recorded_outcomes(lesson_, number_) : read_outcomes(outcomes_);
}

std::string Exercise::diagnosis(const std::vector<Measured>& learner) const {
  const std::vector<Outcome> known = recorded();
  if (known.empty()) return "";
  const Diagnosis found = diagnose(learner, known);
  if (found.whole) return known[found.mistakes[0]].sentence;
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.mistakes.size(), 2); ++i)
    text += (i == 0 ? "Part of it: " : ".\nAlso: ") + without_praise(known[found.mistakes[i]].sentence);
  return text;
}

int Exercise::try_mistakes(const Result& solution) {
  std::vector<Outcome> known = recorded();
  bool right = !known.empty() && same(solution.lines, known.front().lines);
  if (!right) fmt::print("The solution does not measure what was recorded; record again: tutorials/common/record.sh\n");
  std::erase_if(known, [](const Outcome& o) { return !o.pair.empty(); });
  for (std::size_t i = 1; i < known.size(); ++i) {
    for (Measured& line : known[i].lines)  // a recorded line has no tolerance of its own
      for (const Measured& check : solution.lines)
        if (check.what == line.what) line.tolerance = check.tolerance;
    const std::string found = same(known[i].lines, solution.lines) ? "(the solution)" : diagnosis(known[i].lines);
    right = right && found == known[i].sentence;
    fmt::print("{} {}\n", found == known[i].sentence ? "recognised:" : "NOT RECOGNISED:", known[i].sentence);
    if (found != known[i].sentence) fmt::print("    instead: {}\n", found);
  }
  const std::size_t count = known.empty() ? 0 : known.size() - 1;
  fmt::print("{} mistakes (at least 5)\n", count);
  return right && count >= 5 ? 0 : 1;
}

int Exercise::give_hint(const std::string& which) const {
  std::size_t n = 0;
  for (char c : which) n = c >= '0' && c <= '9' && n < 1000 ? 10 * n + static_cast<std::size_t>(c - '0') : 1000;
  if (n == 0 || n == 1000) throw InputError(fmt::format("exercise: --hint takes a number; got \"{}\"", which));
  if (n > hints_.size()) {
    fmt::print("There are {} hints. ./heed exercise {} {} --solution shows the solution.\n", hints_.size(), lesson_,
               number_);
    return 0;
  }
  fmt::print("hint {} of {}: {}\n", n, hints_.size(), hints_[n - 1]);
  return 0;
}

int Exercise::run(int argc, char** argv, const std::function<void(Exercise&)>& examine) {
  return run_main(argc, argv, [&](int, char**) {
    bool as_json = false, try_them = false;
    std::string record;
    for (int i = 1; i < argc; ++i) {
      const std::string option = argv[i];
      if (option == "--help" || option == "-h") {
        fmt::print("usage: {} [--hint N | --json | --try-mistakes]\n\nWithout an option it checks the exercise.\n",
                   argv[0]);
        return 0;
      }
      if (option == "--hint") return give_hint(i + 1 < argc ? argv[i + 1] : "1");
      as_json = as_json || option == "--json", try_them = try_them || option == "--try-mistakes";
      unedited_ = unedited_ || option == "--unedited";
      if (option == "--record" && i + 1 < argc)
        record = argv[++i];
      else if (option != "--json" && option != "--try-mistakes" && option != "--unedited")
        throw InputError(fmt::format("exercise: takes --hint N, --json or --try-mistakes; got \"{}\"", option));
    }
    signal(SIGALRM, too_long);
    alarm(kSeconds);
    if (as_json) keep_output_for_json();
    const Result result = result_of(examine);
    int code = 0;
    if (!record.empty()) {
      write_outcome(record, result.lines);
    } else {
      code = try_them ? try_mistakes(result) : verdict(result, as_json);
    }
    alarm(0);
    return code;
  });
}

// What the learner's function prints goes to standard error, so that standard output is one JSON object.
void Exercise::keep_output_for_json() {
  std::fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  json_ = kept < 0 ? nullptr : fdopen(kept, "w");
  if (json_ == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw IoError(
        fmt::format("exercise: --json needs standard output and standard error; got: {}", std::strerror(errno)));
}

int Exercise::verdict(const Result& outcome, bool as_json) {
  const bool solved = outcome.passed == outcome.checks;
  std::string mistake = solved ? "" : diagnosis(outcome.lines);
  if (!solved && unedited_) mistake = open_gap(mistake);
  if (as_json) {
    const io::Json object = io::Json::object({{"lesson", lesson_},
                                              {"exercise", number_},
                                              {"title", title_},
                                              {"status", solved ? "solved" : "not yet"},
                                              {"checks", outcome.checks},
                                              {"passed", outcome.passed},
                                              {"message", outcome.first_difference},
                                              {"mistake", mistake.empty() ? io::Json() : io::Json(mistake)}});
    fmt::print(json_, "{}\n", object.dump());
    if (std::fflush(json_) != 0) throw IoError("exercise: cannot write the verdict to standard output");
    return solved ? 0 : 1;
  }
  fmt::print("exercise {} {}: {}\n", lesson_, number_, title_);
  if (solved) {
    fmt::print("Solved: {} of {} checks pass.\n", outcome.passed, outcome.checks);
    if (!insight_.empty()) fmt::print("\n{}\n", insight_);
    if (!next_.empty()) fmt::print("\nNext: {}\n", next_);
    return 0;
  }
  fmt::print("Not yet: {}.\n", outcome.first_difference);
  if (!mistake.empty()) fmt::print("{}.\n", mistake);
  fmt::print("{} of {} checks pass", outcome.passed, outcome.checks);
  if (!hints_.empty()) fmt::print("; ./heed exercise {} {} --hint gives a hint", lesson_, number_);
  fmt::print(".\n");
  return 1;
}

}  // namespace heed::app
