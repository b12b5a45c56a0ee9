// The verdict on an exercise, in words (see exercise.h).
#include "tutorials/common/exercise.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
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

}  // namespace

Exercise::Exercise(std::string lesson, int number, std::string title)
    : lesson_(std::move(lesson)), title_(std::move(title)), number_(number) {}

void Exercise::hint(std::string sentence) { hints_.push_back(std::move(sentence)); }

bool Exercise::count(const std::string& difference) {
  ++checks_;
  if (difference.empty()) ++passed_;
  if (first_difference_.empty()) first_difference_ = difference;
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
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double m = measured[i], e = expected[i];
    if (m == e || (std::isnan(m) && std::isnan(e)) || std::abs(m - e) <= allowed) continue;
    return count(fmt::format("{}{} is {:.8g} and should be {:.8g} (off by {:.3g}, allowed {:.3g})", what, place(i), m,
                             e, std::abs(m - e), allowed));
  }
  return count("");
}

bool Exercise::check(const std::string& what, double measured, double expected, double tolerance) {
  return compare(what, {measured}, {expected}, tolerance, [](std::size_t) { return ""; });
}

bool Exercise::check(const std::string& what, const std::vector<double>& measured, const std::vector<double>& expected,
                     double tolerance) {
  if (measured.size() != expected.size()) {
    return count(fmt::format("{} has {} elements and should have {}", what, measured.size(), expected.size()));
  }
  return compare(what, measured, expected, tolerance, [](std::size_t i) { return fmt::format("[{}]", i); });
}

bool Exercise::check(const std::string& what, const Tensor& measured, const Tensor& expected, double tolerance) {
  if (!measured.defined()) return count(what + " was never given a value");
  if (measured.shape() != expected.shape()) {
    return count(fmt::format("{} has the shape {} and should have {}", what, to_string(measured.shape()),
                             to_string(expected.shape())));
  }
  return compare(what, measured.to_vector(), expected.to_vector(), tolerance,
                 [&](std::size_t i) { return index_text(expected.shape(), i); });
}

bool Exercise::check(const std::string& what, const std::string& measured, const std::string& expected) {
  if (measured == expected) return count("");
  return count(fmt::format("{} is \"{}\" and should be \"{}\"", what, measured, expected));
}

int Exercise::run(int argc, char** argv, const std::function<void()>& body) {
  return run_main(argc, argv, [&](int, char**) {
    bool as_json = false;
    for (int i = 1; i < argc; ++i) {
      const std::string option = argv[i];
      if (option == "--hint") {
        for (std::size_t h = 0; h < hints_.size(); ++h) fmt::print("hint {}: {}\n", h + 1, hints_[h]);
        return 0;
      }
      if (option != "--json") throw InputError(fmt::format("exercise: takes --hint or --json; got \"{}\"", option));
      as_json = true;
    }
    signal(SIGALRM, too_long);
    alarm(kSeconds);
    try {
      body();
    } catch (const std::exception& error) { count(fmt::format("an error stopped the program: {}", error.what())); }
    alarm(0);
    if (checks_ == 0) count("nothing was checked");
    return verdict(as_json);
  });
}

int Exercise::verdict(bool as_json) const {
  const bool solved = passed_ == checks_;
  if (as_json) {
    const io::Json object = io::Json::object({{"lesson", lesson_},
                                              {"exercise", number_},
                                              {"title", title_},
                                              {"status", solved ? "solved" : "not yet"},
                                              {"checks", checks_},
                                              {"passed", passed_},
                                              {"message", first_difference_}});
    fmt::print("{}\n", object.dump());
    return solved ? 0 : 1;
  }
  fmt::print("exercise {} {}: {}\n", lesson_, number_, title_);
  if (solved) {
    fmt::print("Solved: {} of {} checks pass.\n", passed_, checks_);
    return 0;
  }
  fmt::print("Not yet: {}.\n{} of {} checks pass", first_difference_, passed_, checks_);
  if (!hints_.empty()) fmt::print("; ./heed exercise {} {} --hint has {} hint(s)", lesson_, number_, hints_.size());
  fmt::print(".\n");
  return 1;
}

}  // namespace heed::app
