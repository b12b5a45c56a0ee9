// A lesson is a program with settings (knobs), a question to the reader before the run, claims that it measures, a
// report and an exit code.
//
//   Lesson lesson("02_derivatives", "Finite differences against automatic ones");
//   lesson.knob("hidden", &hidden, "units of the layer").between(1, 512);            // --set hidden=16
//   lesson.question({"Which step is best?", {"1e-2", "1e-5", "1e-12"}, 2, "Rounding grows as truncation shrinks."});
//   lesson.start(argc, argv);
//   lesson.claim({.name = "analytic equals numeric", .measured = error, .comparator = "<=", .threshold = 1e-8,
//                 .control = planted_error});
//   lesson.report().curves(...);
//   return lesson.finish();   // 0 if all claims and checks hold, otherwise 1
//
// A claim is what the lesson teaches; there are one to three. A check is what the claims rely on, such as "the lesson's
// code agrees with the library's" or "the mask does not leak". Checks are tested in the same way and listed separately.
//
// Claims and checks are printed to standard output, the question to standard error and only on a terminal. The folder
// (--out, by default out/NN_name below the working directory) gets report.html, figures.json and result.json (claims,
// checks and the numbers of all tables). A report contains no measured times, except in panels that say so (in
// lessons 01 and 28, for example).
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/io/owned_folder.h"
#include "tutorials/common/options.h"
#include "tutorials/report/report.h"

namespace heed::app {

struct Claim {
  std::string name;
  double measured = 0;
  std::string comparator = "<=";  // <= >= < > ==
  double threshold = 0;
  io::Json control = nullptr;  // the same measurement in a case in which the claim must not hold: a number or text
  bool shown_in_quick = true;  // false: left out of the page of a --quick run, in which the effect is too small
};

struct Question {
  std::string text;
  std::vector<std::string> answers;  // three
  std::size_t right = 1;             // 1, 2 or 3
  std::string because;               // the explanation, printed after the run
};

class Lesson {
 public:
  Lesson(std::string name, std::string description);

  // Before start: three to five knobs, set by --set NAME=VALUE and listed in --help.
  Option& knob(const std::string& name, OptionTarget target, const std::string& help);
  void question(Question question);
  // A file that the lesson writes into its folder, besides report.html, figures.json and result.json.
  void writes(const std::string& file) { files_.push_back(file); }
  Options& options() { return options_; }

  void start(int argc, char** argv);  // parses, asks, sets the number of threads

  bool quick() const { return common_.quick; }
  bool interactive() const;  // the reader can be asked: on a terminal, without --no-ask
  std::uint64_t seed() const { return static_cast<std::uint64_t>(common_.seed); }
  const std::string& folder() const { return common_.out; }
  report::Report& report() { return *report_; }

  bool claim(const Claim& claim);  // prints it; returns whether it holds (never for NaN); at most three
  bool check(const Claim& claim);  // the same; any number of them
  int finish();                    // writes result.json and report.html; returns the exit code

 private:
  void set_knob(const std::string& setting);
  void ask();
  bool judge(const Claim& claim, const char* kind, io::Json& list, io::Json& shown);
  std::string page() const;  // the chapter with the figures of this run; "" if the lesson has no chapter

  std::string name_, description_;
  Options options_;
  Common common_;
  bool no_ask_ = false;
  std::vector<std::string> files_;
  std::optional<io::OwnedFolder> folder_;  // locked until the end of the lesson
  std::vector<std::string> settings_;
  std::vector<std::unique_ptr<Option>> knobs_;
  std::optional<Question> question_;
  std::size_t answer_ = 0;  // 0: not asked
  std::unique_ptr<report::Report> report_;
  io::Json claims_ = io::Json::array(), checks_ = io::Json::array();
  io::Json shown_claims_ = io::Json::array(), shown_checks_ = io::Json::array();  // those that the page shows
  bool all_hold_ = true, started_ = false;
  std::chrono::steady_clock::time_point begin_;
};

// measured <comparator> threshold; ValueError for another comparator.
bool holds(double measured, const std::string& comparator, double threshold);

}  // namespace heed::app
