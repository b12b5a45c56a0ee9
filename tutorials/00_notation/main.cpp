// Lesson 00: the notation of the course. What the chapter states about shapes and values is computed here, and a
// self-test of ten questions follows on a terminal.
//
//   1  the statements   every row of the chapter's table, computed by the engine
//   2  one axis         the same softmax along rows and along columns
//   3  the self-test    ten questions, three answers each; the engine decides which is right
#include <fmt/format.h>

#include <iostream>

#include "nn/io/file.h"
#include "tutorials/00_notation/statements.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/output.h"
#include "tutorials/common/show.h"
#include "tutorials/course/tree.h"

namespace {

using namespace heed;
using app::heading;
using notation::Question;
using notation::Statement;

// The chapter, if the source tree is still there: every statement must be a row of its table.
std::string chapter() {
  const std::string path = course::source_root() + "/tutorials/00_notation/README.md";
  return io::exists(path) ? io::read_file(path) : "";
}

void check_statements(app::Lesson& lesson) {
  heading("1  What the chapter states, computed");
  report::TablePanel panel{.title = "Statements and results",
                           .text = "Left, what is computed; then the chapter's result, and the engine's.",
                           .header = {"what", "stated", "computed"}};
  const std::string text = chapter();
  double differ = 0, missing = 0;
  for (const Statement& s : notation::statements()) {
    const std::string computed = s.computed();
    panel.rows.push_back({s.what, s.stated, computed});
    differ += computed != s.stated;
    missing += !text.empty() && text.find(fmt::format("| {} | {} |", s.what, s.stated)) == std::string::npos;
  }
  app::show(lesson, panel);
  fmt::print("\n");
  double contradicted = 0;  // wrong answers of the self-test
  for (const Question& q : notation::questions())
    contradicted += static_cast<double>(q.answers.size()) - static_cast<double>(notation::confirmed(q));
  lesson.claim(
      {.name = "statements of the chapter that the engine contradicts, or that the chapter lacks",
       .measured = differ + missing,
       .comparator = "==",
       .threshold = 0,
       .control = fmt::format("wrong answers of the self-test that it contradicts: {:g} of 20", contradicted)});
}

void one_axis(app::Lesson& lesson) {
  heading("2  X = [[0, ln 3], [0, 0]]: a softmax runs along one axis");
  const Tensor x = notation::example();
  const std::vector<std::string> rows{"row 1", "row 2"}, columns{"column 1", "column 2"};
  auto panel = [&](const char* title, const char* text, int axis) {
    lesson.report().heat({.title = title,
                          .text = text,
                          .rows = rows,
                          .columns = columns,
                          .matrix = app::matrix_of(notation::softmax(x, axis)),
                          .low = 0,
                          .high = 1});
    app::tell("   {}: row 1 {}, row 2 {}\n", title, notation::values_of(notation::softmax(x, axis).select(0, 0)),
              notation::values_of(notation::softmax(x, axis).select(0, 1)));
  };
  panel("Softmax along the last axis", "Each row sums to 1. This is the softmax of attention weights.", 1);
  panel("Softmax along the first axis", "Each column sums to 1: another function of the same numbers.", 0);
}

void self_test(app::Lesson& lesson) {
  const std::vector<Question> questions = notation::questions();
  if (!lesson.interactive()) {
    app::tell("\n   The self-test of {} questions needs a terminal, and a run without --no-ask.\n\n", questions.size());
    return;
  }
  heading(fmt::format("3  Self-test: {} questions, about ten minutes; Enter skips one, q ends", questions.size()));
  std::size_t asked = 0, right = 0;
  for (const Question& q : questions) {
    app::tell("{}. {}\n", asked + 1, q.text);
    for (std::size_t i = 0; i < q.answers.size(); ++i) app::tell("  {}  {}\n", i + 1, q.answers[i]);
    app::tell("Your answer: ");
    app::flush_output();
    std::string line;
    if (!std::getline(std::cin, line) || line == "q") break;
    ++asked;
    const std::string computed = q.computed();
    const bool hit =
        line.size() == 1 && line[0] >= '1' && line[0] <= '3' && q.answers[std::size_t(line[0] - '1')] == computed;
    right += hit;
    app::tell("{} the engine {}. {}\n\n",
              hit ? "Right:" : "No:", computed == "refused" ? "refuses it" : "computes " + computed, q.because);
  }
  app::tell("{} of {} right{}\n\n", right, asked, asked == 10 && right >= 9 ? ": you are ready for lesson 01" : "");
}

int lesson_00(int argc, char** argv) {
  app::Lesson lesson("00_notation", "Notation: shapes and letters");
  lesson.start(argc, argv);
  app::tell(
      "This lesson computes every shape and value that its chapter states. On a terminal it then asks ten "
      "questions.\n");
  check_statements(lesson);
  one_axis(lesson);
  self_test(lesson);
  double unclear = 0;
  for (const Question& q : notation::questions()) unclear += notation::confirmed(q) != 1;
  lesson.check({.name = "questions of the self-test without exactly one right answer",
                .measured = unclear,
                .comparator = "==",
                .threshold = 0});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_00); }
