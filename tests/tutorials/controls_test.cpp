// A control is the same measurement where the claim must not hold. One that meets the claim as well shows nothing: then
// the measurement cannot tell the two apart, and passing says little. Here are all claims and checks of the shipped
// runs (tutorials/NN_name/result.json), each with its control:
//
//   a number of the control misses the claim            "two heads of the full width D: 4224" of "== 0"
//   or it is no number                                  "log of a softmax: 3e-16 at x1, NaN at x1000"
//   or two of its numbers are what the claim compares   "100 % and 26 %" of "N = 128 minus N = 16: 73.8 points"
//
// What is left says more than a number and is listed below with the reason.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tests/tutorials/measured.h"
#include "tutorials/common/lesson.h"

namespace fs = std::filesystem;
using heed::io::Json;
using heed::measured::Number;

namespace {

struct Apart {
  const char *lesson, *claim, *reason;
};
constexpr Apart kApart[] = {
    {"21", "class right: hierarchical",
     "what else solves the task; flat attention is the other side of the difference"},
    {"25", "il or elle from few labels", "both sides, rounded, and chance"},
    {"28", "trained with one round: 8 rounds", "more rounds help after full attention too: the chapter says so"},
    {"28", "trained with one round: new directions", "the better side of the difference"},
    {"29", "BiLSTM: agreement of gradient", "how far two trainings agree, for comparison"},
    {"29", "reviews classified correctly", "uniform weights classify as well: the chapter's point"},
};

std::vector<double> numbers(const Json& control) {
  if (control.is_number()) return {control.as_number()};
  std::vector<double> out;
  for (const Number& number : heed::measured::numbers_of(control.as_string())) out.push_back(number.value);
  return out;
}

// Do two of the numbers, rounded as they are, have the measured difference or quotient?
bool sides(const std::vector<double>& parts, double measured) {
  const double tolerance = std::abs(measured) < 2 ? 0.02 : 1;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (i == j) continue;
      if (std::abs(parts[i] - parts[j] - measured) <= tolerance) return true;
      if (parts[j] != 0 && std::abs(parts[i] / parts[j] - measured) <= 0.02 * std::abs(measured)) return true;
    }
  return false;
}

}  // namespace

TEST_CASE("no control of a lesson meets its claim") {
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/tutorials")) {
    const std::string path = entry.path().string() + "/result.json", lesson = entry.path().filename().string();
    if (!fs::exists(path)) continue;
    const Json runs = heed::io::parse(heed::io::read_file(path), path);
    for (const Json& run : runs.elements())
      for (const char* kind : {"claims", "checks"})
        for (const Json& claim : run.list(kind)) {
          const Json& control = claim.at("control");
          const std::string& name = claim.text("name");
          if (control.is_null()) continue;
          ++seen;
          if (control.is_string() && control.as_string().find("NaN") != std::string::npos) continue;
          const std::vector<double> parts = numbers(control);
          bool misses = parts.empty() || sides(parts, claim.number("measured"));
          for (double x : parts)
            misses = misses || !heed::app::holds(x, claim.text("comparator"), claim.number("threshold"));
          for (const Apart& a : kApart) misses = misses || (lesson.starts_with(a.lesson) && name.starts_with(a.claim));
          CHECK_MESSAGE(misses, lesson << ": " << name << " " << claim.number("measured")
                                       << "; control: " << (control.is_string() ? control.as_string() : "a number"));
        }
  }
  CHECK(seen > 250);
}
