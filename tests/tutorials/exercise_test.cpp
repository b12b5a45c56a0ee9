// The verdicts of the exercise harness: which exit code, which first difference in words, what --hint and --json print.
#include "tutorials/common/exercise.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "nn/io/json.h"
#include "tests/source_dir.h"
#include "tutorials/common/outcome.h"

using heed::Tensor;
using heed::app::Exercise;

namespace {

struct Outcome {
  int code = -1;
  std::string text;
};

// Runs an exercise of that body in a child process, whose standard output is read back.
Outcome outcome(const std::function<void(Exercise&)>& body, const char* option = nullptr,
                const std::string& outcomes = "no such file") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    Exercise e("03", 2, "A gap");
    e.hint("look at the shapes");
    char name[] = "exercise";
    std::string word = option != nullptr ? option : "";
    char* arguments[] = {name, word.data(), nullptr};
    const int given = option != nullptr ? 2 : 1;
    e.insight("A sum is a sum.", "./heed exercise 03 3");
    e.outcomes(outcomes);
    _exit(e.run(given, arguments, body));
  }
  close(ends[1]);
  Outcome result;
  char buffer[4096];
  for (ssize_t n = read(ends[0], buffer, sizeof buffer); n > 0; n = read(ends[0], buffer, sizeof buffer)) {
    result.text.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

// A file of outcomes, deleted at the end of its scope.
struct File {
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::filesystem::remove(path); }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string path = std::filesystem::temp_directory_path() / fmt::format("heed_outcomes_{}_{}", getpid(), ++number);
  static inline int number = 0;
};

bool says(const Outcome& result, const std::string& words) { return result.text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("an exercise that agrees is solved") {
  const Outcome result = outcome([](Exercise& e) {
    e.check("sum", 3.0 + 1e-9, 3.0, 1e-8);
    e.check("dA", Tensor::full({2, 3}, 1e6), Tensor::full({2, 3}, 1e6 + 0.5), 1e-6);
    e.check("rows", {1, std::nan("")}, {1, std::nan("")}, 0);
    e.check("word", std::string("le chat"), "le chat");
  });
  CHECK(result.code == 0);
  CHECK(says(result, "Solved: 4 of 4 checks pass."));
}

TEST_CASE("the first difference is told in words") {
  Tensor wrong = Tensor::zeros({2, 3});
  wrong.set({1, 2}, 5);
  Outcome result = outcome([&](Exercise& e) {
    e.check("loss", 1, 1, 0);
    e.check("dA", wrong, Tensor::zeros({2, 3}), 1e-6);
    e.check("dB", 1, 2, 0);
  });
  CHECK(result.code == 1);
  CHECK(says(result, "exercise 03 2: A gap\nNot yet: dA[1, 2] is 5 and should be 0 (off by 5, allowed 1e-06).\n"));
  CHECK(says(result, "1 of 3 checks pass; ./heed exercise 03 2 --hint"));
  result = outcome([](Exercise& e) { e.check("dA", Tensor::zeros({3, 2}), Tensor::zeros({2, 3}), 1); });
  CHECK(result.code == 1);
  CHECK(says(result, "dA has the shape [3, 2] and should have [2, 3]"));
  result = outcome([](Exercise& e) { e.check("y", std::nan(""), 0, std::numeric_limits<double>::infinity()); });
  CHECK(result.code == 1);
  CHECK(says(outcome([](Exercise& e) { e.check("p", {1, 2}, {1}, 1); }), "p has 2 elements and should have 1"));
  CHECK(says(outcome([](Exercise& e) { e.check("x", Tensor(), Tensor::zeros({1}), 1); }), "never given a value"));
}

TEST_CASE("a common mistake is recognised by its numbers, and by nothing else") {
  const File file(
      "made from 1\n* the solution\n1 sum | 7\n2 word, seven |\n"
      "* You multiplied\n1 sum | 12\n* You subtracted\n1 sum | -1\n* b is missing\n"
      "1 sum | 3\n* 7 is infinite\n1 sum | inf\n* You threw\n1 no |\nend 1\n");
  auto verdict_on = [&](double (*sum)(double, double), const char* option = nullptr) {
    return outcome(
        [sum](Exercise& e) {
          e.check("sum", sum(3, 4), 7, 1e-9);
          e.check("word", std::string(", seven"), ", seven");
        },
        option, file.path);
  };
  Outcome result = verdict_on([](double a, double b) { return a - b; });
  CHECK(result.code == 1);
  CHECK(says(result, "Not yet: sum is -1 and should be 7 (off by 8, allowed 7e-09).\nYou subtracted.\n"));
  CHECK(says(verdict_on([](double a, double b) { return a - b + 5e-10; }), "\nYou subtracted.\n"));
  CHECK(!says(verdict_on([](double a, double b) { return a - b + 3e-9; }), "You "));
  CHECK(says(verdict_on([](double, double) -> double { throw std::runtime_error("no"); }), "\nYou threw.\n"));
  for (const char* other : {"You ", "b is missing", "7 is infinite"})
    CHECK(!says(verdict_on([](double a, double b) { return a / b; }), other));
  CHECK(says(verdict_on([](double, double) { return std::numeric_limits<double>::infinity(); }), "\n7 is infinite.\n"));
  CHECK(says(verdict_on([](double a, double b) { return a * b; }, "--json"), "\"mistake\":\"You multiplied\""));
  result = verdict_on([](double a, double b) { return a + b; });
  CHECK(result.code == 0);
  CHECK(says(result, "A sum is a sum.\n\nNext: ./heed exercise 03 3\n"));
  result = verdict_on([](double a, double b) { return a + b; }, "--try-mistakes");
  CHECK(result.code == 0);
  CHECK(says(result, "recognised: You threw\n5 mistakes (at least 5)"));
  // A solution that measures something else than was recorded.
  CHECK(verdict_on([](double a, double b) { return a + b + 1; }, "--try-mistakes").code == 1);
}

TEST_CASE("a mistake beside another one is named by the lines that it explains") {
  const File file(
      "made from 1\n* the solution\n1 weights | 0.5 0.25\n2 context | 1.5\n3 rate | 0.125\n4 step, right |\n5 many | "
      "3\n"
      "* The weights are right and the context is not: it is a sum\n2 context | 0.75\n"
      "* The softmax is missing\n1 weights | 2.5 1.25\n2 context | 7.5\n"
      "* The rate is its root\n3 rate | 0.3535533906\n4 step, wrong |\n"
      "* Twice the rate\n3 rate | 0.25\n"
      "* Another root\n3 rate | 0.3535533906\n5 many | 4\n"
      "* Too many\n5 many | 5\n"
      "& 1 4\n2 context | 0.75\n3 rate | 0.25\n");
  auto verdict_on = [&](double weight, double context, double rate, const std::string& step, double many,
                        const char* option = nullptr) {
    return outcome(
        [=](Exercise& e) {
          e.check("weights", {weight, weight / 2}, {0.5, 0.25}, 1e-9);
          e.check("context", context, 1.5, 1e-9);
          e.check("rate", rate, 0.125, 1e-9);
          e.check("step", ", " + step, ", right");
          e.check("many", many, 3, 0);
        },
        option, file.path);
  };
  const double root = std::sqrt(0.125);
  const Outcome both = verdict_on(0.5, 0.75, 0.25, "right", 3);
  const bool order = says(both, "Part of it: The context is not right: it is a sum.\nAlso: Twice the rate.\n") ||
                     says(both, "Part of it: Twice the rate.\nAlso: The context is not right: it is a sum.\n");
  CHECK_MESSAGE(order, both.text);
  // What explains more comes first; the context of both is nobody's.
  CHECK(says(verdict_on(2.5, 3.75, root, "wrong", 3),
             "Part of it: The rate is its root.\nAlso: The softmax is missing.\n"));
  CHECK(says(verdict_on(2.5, 3.75, 0.25, "right", 3, "--json"), "\"mistake\":\"Part of it: "));
  // A line where the mistake differs and the function is right: the root without its wrong step.
  CHECK_FALSE(says(verdict_on(0.5, 2, root, "right", 3), "root"));
  // Two mistakes explain the same: neither is named. A single whole number is not enough.
  CHECK_FALSE(says(verdict_on(0.5, 2, root, "bad", 9), "root"));
  CHECK_FALSE(says(verdict_on(0.5, 2, 0.125, "right", 5), "Too many"));
  CHECK(says(verdict_on(0.5, 1.5, 0.125, "right", 5), "\nToo many.\n"));
  // A gap that nobody has touched: no sentence of what belongs there.
  const Outcome open = verdict_on(2.5, 7.5, 0.125, "right", 3, "--unedited");
  CHECK(says(open, "\nThe gap is still open: "));
  CHECK_FALSE(says(open, "softmax"));
}

TEST_CASE("sentences of a mistake that is not alone praise nothing") {
  using heed::app::without_praise;
  CHECK(without_praise("one_head is right; several_heads has no mask") == "several_heads has no mask");
  CHECK(without_praise("The n-grams are right, and the second half is open") == "The second half is open");
  CHECK(without_praise("The masks are right. Hide later words") == "Hide later words");
  CHECK(without_praise("The rate is right, and r is not: you took 1") == "r is not right: you took 1");
  CHECK(without_praise("You took the root: the cube is right. So") == "You took the root: the cube is right. So");
}

TEST_CASE("recorded mistakes must be at least five, and all different") {
  auto code = [](const std::string& mistakes) {
    const File file("made from 1\n* the solution\n1 x | 1\n" + mistakes);
    return outcome([](Exercise& e) { e.check("x", 1, 1, 1e-6); }, "--try-mistakes", file.path).code;
  };
  const std::string four = "* a\n1 x | 2\n* b\n1 x | 3\n* c\n1 x | 4\n* d\n1 x | 5\n";
  CHECK(code(four) == 1);
  CHECK(code(four + "* e\n1 x | 6\n") == 0);
  CHECK(code(four + "* e\n1 x | 5.000001\n") == 1);  // the check allows 1e-6
  CHECK(code(four + "* e\n1 x | 1.0000001\n") == 1);
  CHECK(code(four + "* e\nend 0\n") == 0);
}

// Whether some number of two mistakes together is what one of them gives alone.
static bool shows_one(const heed::app::Outcome& pair, const std::vector<heed::app::Outcome>& known) {
  for (const std::size_t m : pair.pair)
    for (std::size_t i = 0; i < std::min(pair.lines.size(), known[m].lines.size()); ++i)
      if (heed::app::same({pair.lines[i]}, {known[m].lines[i]}) &&
          (i >= known[0].lines.size() || !heed::app::same({pair.lines[i]}, {known[0].lines[i]})))
        return true;
  return false;
}

TEST_CASE("of the pairs of mistakes that were recorded, most are named by one of the two, and none by a third") {
  namespace fs = std::filesystem;
  int pairs = 0, named = 0, wrong = 0, seen = 0, seen_named = 0;
  for (const auto& file : fs::recursive_directory_iterator(source_dir() + "/tutorials")) {
    if (file.path().extension() != ".outcomes") continue;
    const std::vector<heed::app::Outcome> known = heed::app::read_outcomes(file.path().string());
    for (const heed::app::Outcome& pair : known) {
      if (pair.pair.empty() || heed::app::same(pair.lines, known[0].lines)) continue;
      const heed::app::Diagnosis found = heed::app::diagnose(pair.lines, known);
      const bool other = std::ranges::any_of(
          found.mistakes, [&](std::size_t m) { return std::ranges::find(pair.pair, m) == pair.pair.end(); });
      if (other && found.whole) continue;  // together they measure what a third mistake does
      const bool is_named = !found.mistakes.empty() && !other;
      ++pairs, named += is_named, wrong += other;
      if (shows_one(pair, known)) ++seen, seen_named += is_named;
      CHECK_MESSAGE(!other, fmt::format("{}: {} and {}", file.path().string(), pair.pair[0], pair.pair[1]));
    }
  }
  MESSAGE(fmt::format("{} of {} pairs are named; of {} that show one of the two alone, {}", named, pairs, seen,
                      seen_named));
  CHECK(pairs >= 300);
  CHECK(wrong == 0);
  CHECK(named >= pairs * 11 / 20);  // in the others each number comes from both
  CHECK(seen_named >= seen * 3 / 4);
}

TEST_CASE("an outcome is written as it is read, and a long check as its first numbers and a sum") {
  using heed::app::Measured;
  std::vector<double> many;
  for (int i = 1; i <= 1000; ++i) many.push_back(i / 8.0);
  const std::vector<Measured> lines{
      {"a | b\nc", {1 / 3.0, -0.0, std::nan(""), -std::numeric_limits<double>::infinity(), 1e300, -1e-17}, 0},
      {"many", many, 0},
      {"none"}};
  const File file("");
  heed::app::write_outcome(file.path, lines);
  const std::string text = file.text();
  CHECK(text.find("1 a | b c | 0.3333333333 0 nan -inf 1e+300 0\n2 many | 0.125 0.25 ") == 0);
  CHECK(text.find(" 1.5 62552.75\n3 none |\n") != std::string::npos);
  const File whole("made from 1\n* the solution\n" + text);
  const auto read = heed::app::read_outcomes(whole.path);
  REQUIRE(read.size() == 1);
  CHECK(heed::app::same(lines, read.front().lines));
  many.back() += 1e-3;
  CHECK_FALSE(heed::app::same({lines[0], {"many", many, 0}, lines[2]}, read.front().lines));
  CHECK(heed::app::same({lines[0], {"many", many, 1}, lines[2]}, read.front().lines));  // to 1e-5 of it
}

TEST_CASE("a function that never returns ends after a minute") {
  Outcome result = outcome([](Exercise& e) {
    e.check("seconds that are left", alarm(0), 60, 0);
    raise(SIGALRM);  // as if they had passed
  });
  CHECK(result.code == 1);
  CHECK(says(result, "Not yet: still running after 60 s"));
  CHECK_FALSE(says(result, "seconds that are left"));
  result = outcome([](Exercise& e) { e.check("seconds that are left", alarm(0), 60, 0); });
  CHECK(result.code == 0);
}

TEST_CASE("no check, or an exception, is not yet") {
  CHECK(outcome([](Exercise&) {}).code == 1);
  const Outcome result = outcome([](Exercise& e) {
    e.check("a", 1, 1, 0);
    throw std::runtime_error("matmul: inner sizes must agree");
  });
  CHECK(result.code == 1);
  CHECK(says(result, "an error stopped the program: matmul: inner sizes must agree"));
}

TEST_CASE("hints run nothing; JSON is one object; an unknown option is the user's") {
  const auto body = [](Exercise& e) { e.check("a", 1, 2, 0); };
  Outcome result = outcome(body, "--hint");
  CHECK(result.code == 0);
  CHECK(result.text == "hint 1 of 1: look at the shapes\n");
  CHECK(says(outcome(body, "--try-mistakes"), "0 mistakes (at least 5)"));
  result = outcome(body, "--json");
  CHECK(result.code == 1);
  const heed::io::Json verdict = heed::io::parse(result.text, "verdict");
  CHECK(verdict.text("lesson") == "03");
  CHECK(verdict.integer("exercise") == 2);
  CHECK(verdict.text("status") == "not yet");
  CHECK(verdict.integer("checks") == 1);
  CHECK(verdict.integer("passed") == 0);
  CHECK(verdict.text("message") == "a is 1 and should be 2 (off by 1, allowed 0)");
  CHECK(outcome(body, "--nonsense").code == 2);
  const auto prints = [](Exercise& e) {
    fmt::print("by the learner");
    e.check("a", 1, 1, 0);
  };
  result = outcome(prints, "--json");
  CHECK(heed::io::parse(result.text, "verdict").text("status") == "solved");
}
