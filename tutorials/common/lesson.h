// A lesson: declared knobs, one question before the run, claims with both measured sides, a report and an exit code.
//
//   Lesson lesson("02_derivatives", "Finite differences against automatic ones");
//   lesson.knob("hidden", &hidden, "units of the layer").between(1, 512);            // --set hidden=16
//   lesson.question({"Which step is best?", {"1e-2", "1e-5", "1e-12"}, 2, "Rounding grows as truncation shrinks."});
//   lesson.start(argc, argv);
//   lesson.claim({.name = "analytic equals numeric", .measured = error, .comparator = "<=", .threshold = 1e-8,
//                 .control = planted_error});
//   lesson.report().curves(...);
//   return lesson.finish();   // 0 where every claim and check holds, 1 otherwise
//
// A lesson makes one to three claims: its news. What the news stands on (ours against the library's, a formula, a mask
// that leaks) is a check: asserted in the same way, listed apart.
//
// Claims and checks go to standard output; the question to standard error, on a terminal only. The folder (--out, by
// default out/NN_name below the working directory) receives report.html and result.json (claims, checks and the numbers
// of all tables). The report holds no time of any clock, but for panels that say so (lesson 01).
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
  io::Json control = nullptr;  // what the same measurement gives where the claim must not hold: a number or words
  bool shown_in_quick = true;  // false: the effect vanishes in --quick, so the page of such a run leaves the claim out
};

struct Question {
  std::string text;
  std::vector<std::string> answers;  // three
  std::size_t right = 1;             // 1, 2 or 3
  std::string because;               // told after the run
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
  bool interactive() const;  // a reader is there to be asked: a terminal, and no --no-ask
  std::uint64_t seed() const { return static_cast<std::uint64_t>(common_.seed); }
  const std::string& folder() const { return common_.out; }
  report::Report& report() { return *report_; }

  bool claim(const Claim& claim);  // prints it; true where it holds (never for NaN); at most three
  bool check(const Claim& claim);  // the same, and as many as there are
  int finish();                    // writes result.json and report.html; the exit code

 private:
  void set_knob(const std::string& setting);
  void ask();
  bool judge(const Claim& claim, const char* kind, io::Json& list, io::Json& shown);
  std::string page() const;  // the chapter with the figures of this run; "" where there is none

  std::string name_, description_;
  Options options_;
  Common common_;
  bool no_ask_ = false;
  std::vector<std::string> files_;
  std::optional<io::OwnedFolder> folder_;  // held to the end of the lesson: nobody else writes there meanwhile
  std::vector<std::string> settings_;
  std::vector<std::unique_ptr<Option>> knobs_;
  std::optional<Question> question_;
  std::size_t answer_ = 0;  // 0: not asked
  std::unique_ptr<report::Report> report_;
  io::Json claims_ = io::Json::array(), checks_ = io::Json::array();
  io::Json shown_claims_ = io::Json::array(), shown_checks_ = io::Json::array();  // those of the page
  bool all_hold_ = true, started_ = false;
  std::chrono::steady_clock::time_point begin_;
};

// measured <comparator> threshold; ValueError for another comparator.
bool holds(double measured, const std::string& comparator, double threshold);

}  // namespace heed::app
