// A lesson's contract: result.json, exit code, knobs, and what it refuses.
#include "tutorials/common/lesson.h"

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "nn/io/file.h"
#include "tests/refuses.h"

using namespace heed::app;
using heed::bad_input::refuses;
using heed::io::Json;
namespace fs = std::filesystem;

namespace {

// Standard output goes nowhere while this lives: claims are printed.
struct Silence {
  int saved = dup(STDOUT_FILENO);
  Silence() {
    std::fflush(stdout);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
  }
};

struct Run {
  std::string folder = (fs::temp_directory_path() / ("heed_lesson_" + std::to_string(getpid()))).string();
  std::int64_t hidden = 16;
  double rate = 0.1;
  std::string cell = "gru";
  Lesson lesson{"02_derivatives", "Finite differences"};

  Run() {
    lesson.knob("hidden", &hidden, "units").between(1, 64);
    lesson.knob("rate", &rate, "learning rate").above(0);
    lesson.knob("cell", &cell, "which cell").one_of({"gru", "lstm"});
  }
  ~Run() { fs::remove_all(folder); }
  std::string start(std::vector<std::string> words) {
    words.insert(words.begin(), {"02_derivatives", "--out", folder});
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    try {
      lesson.start(static_cast<int>(pointers.size()), pointers.data());
    } catch (const heed::InputError& error) { return error.what(); }
    return "fine";
  }
  Json result() const { return heed::io::parse(heed::io::read_file(folder + "/result.json"), "result.json"); }
};

}  // namespace

TEST_CASE("result.json keeps the contract, the exit code follows the claims") {
  Silence silence;
  Run run;
  REQUIRE(run.start({"--seed", "5", "--quick", "--no-ask", "--set", "hidden=32,cell=lstm", "--set", "rate=1e-3"}) ==
          "fine");
  CHECK(run.hidden == 32);
  CHECK(run.cell == "lstm");
  CHECK(run.rate == 1e-3);
  CHECK(run.lesson.seed() == 5);
  CHECK(run.lesson.quick());
  CHECK(run.lesson.claim({.name = "small", .measured = 1e-9, .comparator = "<=", .threshold = 1e-8, .control = 0.31}));
  CHECK(run.lesson.claim(
      {.name = "exact", .measured = 3, .comparator = "==", .threshold = 3, .control = "attention off: 2"}));
  CHECK(run.lesson.check({.name = "by hand", .measured = 0, .comparator = "==", .threshold = 0}));
  run.lesson.report().table({.title = "Two", .header = {"a", "b"}, .rows = {{"x", "1"}}});
  run.lesson.report().bars({.title = "Bars", .labels = {"l"}, .series = {{"s", {0.5}}}});
  CHECK(run.lesson.finish() == 0);
  Json result = run.result();
  CHECK(result.number("seconds") >= 0);
  result.set("seconds", 0);
  CHECK(
      result.dump() ==
      R"({"lesson":"02_derivatives","seed":5,"quick":true,"seconds":0,"pass":true,"claims":[)"
      R"({"name":"small","measured":1e-09,"comparator":"<=","threshold":1e-08,"control":0.31,"pass":true},)"
      R"({"name":"exact","measured":3.0,"comparator":"==","threshold":3.0,"control":"attention off: 2","pass":true}],)"
      R"("checks":[{"name":"by hand","measured":0.0,"comparator":"==","threshold":0.0,"control":null,"pass":true}],)"
      R"("tables":[{"title":"Two","header":["a","b"],"rows":[["x","1"]]},)"
      R"({"title":"Bars","header":["","s"],"rows":[["l",0.5]]}]})");
  std::string page = heed::io::read_file(run.folder + "/report.html");
  CHECK(page.find("<h1>Derivatives by machine") != std::string::npos);  // the chapter, with this run
  CHECK(page.find("hidden=32") != std::string::npos);
}

TEST_CASE("one claim that fails, or is not a number, fails the lesson") {
  Silence silence;
  for (double measured : {2.0, std::nan("")}) {
    Run run;
    REQUIRE(run.start({}) == "fine");
    CHECK(run.lesson.claim({.name = "holds", .measured = 1, .comparator = ">", .threshold = 0}));
    CHECK_FALSE(run.lesson.claim({.name = "fails", .measured = measured, .comparator = "<", .threshold = 1}));
    CHECK(run.lesson.finish() == 1);
    CHECK_FALSE(run.result().boolean("pass"));
    CHECK(run.result().list("claims")[0].boolean("pass"));
    CHECK(run.result().list("claims")[0].at("control").is_null());
  }
}

TEST_CASE("a check that fails, fails the lesson; a fourth claim is a mistake") {
  Silence silence;
  Run run;
  REQUIRE(run.start({}) == "fine");
  for (int i = 0; i < 3; ++i) CHECK(run.lesson.claim({.name = "holds", .measured = 1, .threshold = 2}));
  CHECK_THROWS_AS(run.lesson.claim({.name = "fourth", .measured = 1, .threshold = 2}), heed::ValueError);
  CHECK_FALSE(run.lesson.check({.name = "fails", .measured = 3, .threshold = 2}));
  CHECK(run.lesson.finish() == 1);
  CHECK(run.result().list("claims").size() == 3);
  CHECK(run.result().list("checks").size() == 1);
}

TEST_CASE("comparators") {
  CHECK(heed::app::holds(1, "<=", 1));
  CHECK(heed::app::holds(1, ">=", 1));
  CHECK_FALSE(heed::app::holds(1, "<", 1));
  CHECK_FALSE(heed::app::holds(1, ">", 1));
  CHECK_FALSE(heed::app::holds(1, "==", 2));
  for (const char* sign : {"<=", ">=", "<", ">", "=="}) CHECK_FALSE(heed::app::holds(std::nan(""), sign, 1));
  refuses("claim: comparator got ~", [&] { heed::app::holds(1, "~", 1); });
}

TEST_CASE("knobs refuse in sentences") {
  CHECK(Run().start({"--set", "hiden=3"}) ==
        "--set: 02_derivatives has the knobs hidden, rate, cell; got \"hiden\"; did you mean hidden?");
  CHECK(Run().start({"--set", "hidden"}) == "--set: must be NAME=VALUE; got \"hidden\"");
  CHECK(Run().start({"--set", "hidden=0"}) == "hidden: must be a whole number from 1 to 64; got 0");
  CHECK(Run().start({"--set", "hidden="}) == "hidden: must be a whole number from 1 to 64; got \"\"");
  CHECK(Run().start({"--set", "cell=rnn"}) == "cell: must be one of gru, lstm; got \"rnn\"");
  CHECK(Run().start({"--set", "rate=nan"}) == "rate: must be a number above 0; got \"nan\"");
}

TEST_CASE("help lists the knobs") {
  Run run;
  run.folder = "/nowhere";
  CHECK(run.start({"--out", "x"}) == "--out: must be given once; got it 2 times");
  std::string help = run.lesson.options().help();
  CHECK(help.find("  --set NAME=VALUE") != std::string::npos);
  CHECK(help.find("  hidden  units (a whole number from 1 to 64; default 16)\n") != std::string::npos);
  CHECK(help.find("--no-ask") != std::string::npos);
}

TEST_CASE("a folder that cannot be made is said before the work") {
  Run run;
  run.folder = "/proc/none/here";
  CHECK(run.start({}).find("write: cannot make the folder \"/proc/none/here\"") == 0);
  run.folder.clear();
}

TEST_CASE("a lesson without claims, and a question without three answers, are mistakes") {
  Run run;
  REQUIRE(run.start({}) == "fine");
  CHECK_THROWS_AS(run.lesson.finish(), heed::ValueError);
  CHECK_THROWS_AS(Run().lesson.claim({.name = "early"}), heed::ValueError);
  CHECK_THROWS_AS(Run().lesson.question({"?", {"a", "b"}, 1, ""}), heed::ValueError);
  CHECK_THROWS_AS(Run().lesson.question({"?", {"a", "b", "c"}, 4, ""}), heed::ValueError);
}
