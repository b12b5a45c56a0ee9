#include "tutorials/common/lesson.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <iostream>

#include "nn/io/console.h"
#include "nn/io/file.h"
#include "nn/io/owned_folder.h"
#include "tensor/error.h"
#include "tutorials/common/output.h"
#include "tutorials/course/lesson_page.h"
#include "tutorials/report/width.h"

namespace heed::app {

using io::Json;

namespace {

std::string short_number(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.4g}", value); }

std::string control_text(const Json& control) {
  if (control.is_null()) return "";
  return control.is_number() ? short_number(control.as_number()) : control.as_string();
}

// "02_derivatives" -> "02 · derivatives": the heading of the report.
std::string heading(const std::string& name) {
  std::string text = name;
  for (char& c : text) c = c == '_' ? ' ' : c;
  std::size_t gap = text.find(' ');
  return gap == std::string::npos ? text : text.substr(0, gap) + " · " + text.substr(gap + 1);
}

// The tables of a report, and its bars as tables, for result.json: {"title", "header", "rows"} each.
Json tables_of(const Json& figures) {
  Json tables = Json::array();
  for (const Json& panel : figures.list("panels")) {
    const std::string& kind = panel.text("kind");
    Json header = Json::array({""}), rows = Json::array();
    if (kind == "table") {
      header = panel.at("header");
      rows = panel.at("rows");
    } else if (kind == "bars") {
      for (const Json& series : panel.list("series")) header.push(series.at("name"));
      for (std::size_t i = 0; i < panel.list("labels").size(); ++i) {
        Json row = Json::array({panel.list("labels")[i]});
        for (const Json& series : panel.list("series")) row.push(series.list("values")[i]);
        rows.push(row);
      }
    } else {
      continue;
    }
    tables.push(Json::object({{"title", panel.at("title")}, {"header", header}, {"rows", rows}}));
  }
  return tables;
}

}  // namespace

bool holds(double measured, const std::string& comparator, double threshold) {
  if (comparator == "<=") return measured <= threshold;
  if (comparator == ">=") return measured >= threshold;
  if (comparator == "<") return measured < threshold;
  if (comparator == ">") return measured > threshold;
  if (comparator == "==") return measured == threshold;
  throw ValueError(fmt::format("claim: the comparator must be one of <= >= < > ==; got \"{}\"", comparator));
}

Lesson::Lesson(std::string name, std::string description)
    : name_(std::move(name)), description_(std::move(description)), options_(name_, description_) {
  common_.out = "out/" + name_;
  add_common(options_, &common_);
  options_.add("--set", &settings_, "set one of the knobs of this lesson, listed below").placeholder("NAME=VALUE");
  options_.flag("--no-ask", &no_ask_, "do not ask for a prediction before the run");
}

Option& Lesson::knob(const std::string& name, OptionTarget target, const std::string& help) {
  knobs_.push_back(std::make_unique<Option>(name, target, help));
  return *knobs_.back();
}

void Lesson::question(Question question) {
  if (question.answers.size() != 3 || question.right < 1 || question.right > 3) {
    throw ValueError(
        fmt::format("lesson: a question must have three answers, one of them right; got {} answers, right {}",
                    question.answers.size(), question.right));
  }
  question_ = std::move(question);
}

void Lesson::set_knob(const std::string& setting) {
  std::size_t equals = setting.find('=');
  if (equals == std::string::npos) throw InputError(fmt::format("--set: must be NAME=VALUE; got \"{}\"", setting));
  std::string name = setting.substr(0, equals);
  std::vector<std::string> known;
  for (const auto& knob : knobs_) {
    if (knob->field_.name == name) return knob->assign(setting.substr(equals + 1));
    known.push_back(knob->field_.name);
  }
  std::string near = nearest(name, known);
  throw InputError(fmt::format("--set: {} has the knobs {}; got \"{}\"{}", name_,
                               known.empty() ? "(none)" : fmt::format("{}", fmt::join(known, ", ")), name,
                               near.empty() ? "" : "; did you mean " + near + "?"));
}

void Lesson::start(int argc, char** argv) {
  if (!knobs_.empty()) {
    std::string text = "knobs, as --set NAME=VALUE:\n";
    std::size_t widest = 0;
    for (const auto& knob : knobs_) widest = std::max(widest, knob->field_.name.size());
    for (const auto& knob : knobs_) {
      text += fmt::format("  {:<{}}  {} ({}; default {})\n", knob->field_.name, widest, knob->field_.help, knob->rule(),
                          knob->shown_default());
    }
    text.pop_back();
    options_.epilogue(text);
  }
  options_.parse(argc, argv);
  for (const std::string& setting : settings_) set_knob(setting);
  apply_common(common_);
  std::string subtitle = fmt::format("{} · seed {}{}", description_, common_.seed, common_.quick ? " · quick" : "");
  for (const std::string& setting : settings_) subtitle += " · " + setting;
  report_ = std::make_unique<report::Report>(heading(name_), subtitle);
  started_ = true;
  io::FolderKind kind{.command = name_, .owner = "lesson " + name_, .files = {"report.html", "figures.json"}};
  kind.files.emplace_back("result.json");
  kind.files.insert(kind.files.end(), files_.begin(), files_.end());
  io::require_own(common_.out, kind);  // said before the question and the work
  ask();
  folder_.emplace(common_.out, kind);
  begin_ = std::chrono::steady_clock::now();
}

bool Lesson::interactive() const {
  return !no_ask_ && isatty(STDIN_FILENO) == 1 && io::console(STDERR_FILENO).terminal;
}

void Lesson::ask() {
  if (!question_ || !interactive()) return;
  std::string text = "\nBefore it runs: " + question_->text + "\n";
  for (std::size_t i = 0; i < 3; ++i) text += fmt::format("  {}  {}\n", i + 1, question_->answers[i]);
  std::fputs((text + "Your guess (1, 2, 3, or Enter to skip): ").c_str(), stderr);
  std::fflush(stderr);
  std::string line;
  if (!std::getline(std::cin, line)) std::fputs("\n", stderr);
  if (line == "1" || line == "2" || line == "3") answer_ = static_cast<std::size_t>(line[0] - '0');
  std::fputs("\n", stderr);
}

bool Lesson::claim(const Claim& claim) {
  if (claims_.size() == 3)
    throw ValueError("lesson: one to three claims; got a fourth; hint: what they stand on is a check");
  return judge(claim, "", claims_, shown_claims_);
}

bool Lesson::check(const Claim& claim) { return judge(claim, "check: ", checks_, shown_checks_); }

bool Lesson::judge(const Claim& claim, const char* kind, Json& list, Json& shown) {
  if (!started_) throw ValueError("lesson: start must come before a claim; got a claim first");
  if (!claim.control.is_null() && !claim.control.is_number() && !claim.control.is_string()) {
    throw ValueError("claim: the control must be a number or words; got " + claim.control.kind());
  }
  bool pass = holds(claim.measured, claim.comparator, claim.threshold);
  all_hold_ = all_hold_ && pass;
  list.push(Json::object({{"name", claim.name},
                          {"measured", claim.measured},
                          {"comparator", claim.comparator},
                          {"threshold", claim.threshold},
                          {"control", claim.control},
                          {"pass", pass}}));
  if (!common_.quick || claim.shown_in_quick || !pass) shown.push(list.elements().back());
  io::Console console = io::console(STDOUT_FILENO);
  std::string verdict = pass ? "PASS" : "FAIL", control = control_text(claim.control);
  if (console.colour) verdict = (pass ? "\x1b[32m" : "\x1b[31m") + verdict + "\x1b[0m";
  std::string line =
      fmt::format("{}  {}{}: {} {} {}{}", verdict, kind, claim.name, short_number(claim.measured), claim.comparator,
                  short_number(claim.threshold), control.empty() ? "" : "  (control: " + control + ")");
  tell("{}\n", line);
  flush_output();
  return pass;
}

// A README or an excerpt that is being changed must not cost a run its figures.
std::string Lesson::page() const {
  try {
    return course::run_page(name_, report_->figures(), common_.quick);
  } catch (const InputError& error) {
    std::fputs(
        fmt::format("the page holds the figures alone, because the chapter cannot be made: {}\n", error.what()).c_str(),
        stderr);
    return "";
  }
}

int Lesson::finish() {
  if (!started_ || claims_.size() + checks_.size() == 0)
    throw ValueError("lesson: a lesson must claim or check something; got neither");
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (answer_ > 0) {
    bool right = answer_ == question_->right;
    std::fputs(fmt::format("\nYou guessed {} ({}): {}. {}\n", answer_, question_->answers[answer_ - 1],
                           right ? "right" : "it is " + question_->answers[question_->right - 1], question_->because)
                   .c_str(),
               stderr);
  }
  Json result = Json::object({{"lesson", name_},
                              {"seed", common_.seed},
                              {"quick", common_.quick},
                              {"seconds", std::round(seconds * 1000) / 1000},
                              {"pass", all_hold_},
                              {"claims", claims_},
                              {"checks", checks_},
                              {"tables", tables_of(report_->figures())}});
  if (shown_checks_.size() > 0) report_->claims("Checks", shown_checks_);
  if (shown_claims_.size() > 0) report_->claims("Claims", shown_claims_);  // each stands first
  report_->write(common_.out + "/report.html");                            // and figures.json
  if (std::string chapter = page(); !chapter.empty()) io::atomic_write(common_.out + "/report.html", chapter);
  io::atomic_write(common_.out + "/result.json", result.dump(2) + "\n");
  const char* what = checks_.size() == 0 ? "claims" : claims_.size() == 0 ? "checks" : "claims and checks";
  tell("{}all {} hold  {}/report.html\n", all_hold_ ? "" : "not ", what, common_.out);
  flush_output();
  return all_hold_ ? 0 : 1;
}

}  // namespace heed::app
