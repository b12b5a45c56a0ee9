// The verdicts of the exercise harness: which exit code, which first difference in words, what --hint and --json print.
#include "tutorials/common/exercise.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "nn/io/json.h"

using heed::Tensor;
using heed::app::Exercise;

namespace {

struct Outcome {
  int code = -1;
  std::string text;
};

// Runs an exercise of that body in a child process, whose standard output is read back.
Outcome outcome(const std::function<void(Exercise&)>& body, const char* option = nullptr,
                const std::function<int(Exercise&, int, char**)>& whole = nullptr) {
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
    if (whole) _exit(whole(e, given, arguments));
    _exit(e.run(option != nullptr ? 2 : 1, arguments, [&] { body(e); }));
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

bool says(const Outcome& result, const std::string& words) { return result.text.find(words) != std::string::npos; }

}  // namespace

TEST_SUITE("unit") {
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
    using Sum = double (*)(double, double);
    auto verdict_on = [](Sum learner, const char* option = nullptr) {
      return outcome([](Exercise&) {}, option,
                     [learner](Exercise& e, int argc, char** argv) {
                       e.insight("A sum is a sum.", "./heed exercise 03 3");
                       return e.run(argc, argv, learner,
                                    [](Exercise& one, const Sum& sum) { one.check("sum", sum(3, 4), 7, 1e-9); },
                                    {{"You multiplied", [](double a, double b) { return a * b; }},
                                     {"You subtracted", [](double a, double b) { return a - b; }},
                                     {"b is missing", [](double a, double) { return a; }},
                                     {"a is missing", [](double, double b) { return b; }},
                                     {"You threw", [](double, double) -> double { throw std::runtime_error("no"); }}});
                     });
    };
    Outcome result = verdict_on([](double a, double b) { return a - b; });
    CHECK(result.code == 1);
    CHECK(says(result, "Not yet: sum is -1 and should be 7 (off by 8, allowed 7e-09).\nYou subtracted.\n"));
    CHECK(says(verdict_on([](double, double) -> double { throw std::runtime_error("no"); }), "\nYou threw.\n"));
    CHECK(!says(verdict_on([](double a, double b) { return a / b; }), "You "));
    CHECK(says(verdict_on([](double a, double b) { return a * b; }, "--json"), "\"mistake\":\"You multiplied\""));
    result = verdict_on([](double a, double b) { return a + b; });
    CHECK(result.code == 0);
    CHECK(says(result, "A sum is a sum.\n\nNext: ./heed exercise 03 3\n"));
    CHECK(verdict_on([](double a, double b) { return a + b; }, "--try-mistakes").code == 0);
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
}
