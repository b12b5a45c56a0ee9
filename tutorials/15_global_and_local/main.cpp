// Lesson 15: global and local attention. A decoder that attends to seven of thirty-six positions, if it learns which.
//
//   1  Gaussian        the factor of local-p at the centre and at the edge of the window
//   2  gradient        how a gradient reaches the predicted centre
//   3  comparison      global, local-m and local-p write 35 digits backwards
//   4  weights         the attention weights during training, and the predicted centre
//   5  two questions   global or local is a different question than soft or hard
//
// S: digits of a sequence, S + 1 positions with the end mark; t: step of the decoder; D: reach of the window to each
// side; p_t: predicted centre.
#include "tutorials/common/main.h"

#include <fmt/format.h>

#include "tutorials/15_global_and_local/gaussian.h"
#include "tutorials/15_global_and_local/reverser.h"
#include "tutorials/common/show.h"

using namespace local;
using namespace heed;
using app::heading, app::show;

namespace {

std::string percent(double value) { return fmt::format("{:.1f} %", value); }

// ---- 1  Gaussian ----------------------------------------------------------------------------------------------------
void the_bell(app::Lesson& lesson) {
  heading("1  Gaussian: the factor on the weights, for three windows");
  report::TablePanel table{.title = "The Gaussian of local-p",
                           .text =
                               "The factor on the weight of a position, with sigma = D / 2 and p a whole number. Last "
                               "column: the sum of a row of weights if all scores are equal.",
                           .header = {"D", "at p", "at p + D/2", "at the edge p + D", "sum of the row"}};
  const double expected = std::exp(-2.0);
  double worst = 0;
  for (int64_t D : {2, 4, 10}) {
    Bell b = bell(D, 40);
    worst = std::max(worst, std::abs(b.at_edge - expected));
    table.rows.push_back({std::to_string(D), fmt::format("{:.4f}", b.at_centre), fmt::format("{:.4f}", b.at_half),
                          fmt::format("{:.6f}", b.at_edge), fmt::format("{:.3f}", b.row)});
  }
  show(lesson, table);
  fmt::print("\n");
  lesson.check(
      {.name = "factor at the edge of the window, largest distance from e^-2",
       .measured = worst,
       .comparator = "<=",
       .threshold = 1e-6,
       .control = fmt::format("p half a position away, D = 4: {:.4f}, not {:.4f}", bell(4, 41).at_edge, expected)});
}

// ---- 2  gradient ----------------------------------------------------------------------------------------------------
void the_way_to_p(app::Lesson& lesson) {
  heading("2  Gradient: the derivative of a loss by one element of v, which affects the loss through p_t only");
  Slope whole = slope_of_centre(true, lesson.seed()), cut = slope_of_centre(false, lesson.seed());
  report::TablePanel table{.title = "How a gradient reaches the predicted centre",
                           .text =
                               "The derivative of a loss by one element of v, in 64 bits: by backpropagation, and by "
                               "central differences with v changed by 1e-5.",
                           .header = {"weights", "backpropagation", "central differences"}};
  table.rows.push_back(
      {"with the Gaussian", fmt::format("{:.8f}", whole.analytic), fmt::format("{:.8f}", whole.numeric)});
  table.rows.push_back(
      {"cut at round(p) only", fmt::format("{:.8f}", cut.analytic), fmt::format("{:.8f}", cut.numeric)});
  show(lesson, table);
  fmt::print("\n");
  lesson.check({.name = "gradient of the centre against central differences, relative error",
                .measured = std::abs(whole.analytic - whole.numeric) / std::abs(whole.numeric),
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("backpropagation without the Gaussian: {:.2g}",
                                       std::abs(cut.analytic - whole.numeric) / std::abs(whole.numeric))});
}

// ---- 3  comparison --------------------------------------------------------------------------------------------------
struct Contest {
  Outcome global, local_m, local_p, narrow, copying;
};

Contest the_contest(app::Lesson& lesson, const Setting& s) {
  heading(fmt::format("3  Comparison: {} digits backwards, D = {}; a guess is right in 10 %", s.length, s.window));
  Setting copying = s, narrow = s;
  copying.steps = s.steps / 2, narrow.widest = s.window;
  Contest c{learn("global", s, Direction::backwards), learn("local_m", s, Direction::backwards),
            learn("local_p", s, Direction::backwards), learn("local_p", narrow, Direction::backwards),
            learn("local_m", copying, Direction::forwards)};
  report::TablePanel table{
      .title = "Global and local attention compared",
      .text =
          fmt::format("{} digits, D = {}, true previous digits given. Positions: mean number with a weight above 0, "
                      "of {}. Largest: mean of each row's largest weight.",
                      s.length, s.window, s.length + 1),
      .header = {"scope", "task", "correct", "positions", "largest", "D at the start"}};
  for (const Outcome* o : {&c.global, &c.local_m, &c.local_p, &c.narrow, &c.copying})
    table.rows.push_back({o->scope, o == &c.copying ? "copy" : "reverse", percent(o->right),
                          fmt::format("{:.1f}", o->looked_at), fmt::format("{:.2f}", o->largest),
                          o == &c.global    ? "all positions"
                          : o == &c.local_p ? std::to_string(s.widest)
                                            : std::to_string(s.window)});
  show(lesson, table);
  fmt::print("\n");
  lesson.claim({.name = "local-p, correct digits: points below global",
                .measured = c.global.right - c.local_p.right,
                .comparator = "<=",
                .threshold = 2,
                .control = fmt::format("local-m: {:.1f}", c.global.right - c.local_m.right)});
  lesson.claim({.name = "local-p: share of the positions with a weight above 0",
                .measured = c.local_p.looked_at / static_cast<double>(s.length + 1),
                .comparator = "<=",
                .threshold = 0.2,
                .control = fmt::format("global: {:.2f}", c.global.looked_at / static_cast<double>(s.length + 1))});
  lesson.claim({.name = "local-m: correct digits when reversing, in %",
                .measured = c.local_m.right,
                .comparator = "<=",
                .threshold = 40,
                .control = fmt::format("local-m copying: {:.1f}", c.copying.right)});
  return c;
}

// ---- 4  weights -----------------------------------------------------------------------------------------------------
void draw_places(app::Lesson& lesson, const Contest& c) {
  report::CurvesPanel by_place{.title = "Correct digits by position",
                               .text =
                                   "For local-m, the digit that is needed is inside the window only at the steps in "
                                   "the middle, and it did not learn to use them. What it gets right at the ends "
                                   "reached it through the recurrent states.",
                               .x_label = "step t of the decoder",
                               .y_label = "correct digits, %"};
  report::CurvesPanel learning{.title = "Correct digits during training",
                               .text =
                                   "Local-p starts with a wide window, which narrows between a quarter and three "
                                   "quarters of the steps.",
                               .x_label = "training step",
                               .y_label = "correct digits, %"};
  for (const Outcome* o : {&c.global, &c.local_m, &c.local_p}) {
    by_place.series.push_back({.name = o->scope, .y = o->by_place});
    learning.series.push_back({.name = o->scope, .y = o->curve, .x = o->at});
  }
  lesson.report().curves(by_place);
  lesson.report().curves(learning);
  report::CurvesPanel centres{.title = "Predicted centre of local-p",
                              .text =
                                  "Mean of p_t over the test sequences after training, and the source position of "
                                  "the digit that is needed.",
                              .x_label = "step t of the decoder",
                              .y_label = "source position"};
  report::Series wanted{.name = "needed position"};
  double off = 0;
  for (size_t t = 0; t < c.local_p.centres.size(); ++t) {
    wanted.y.push_back(static_cast<double>(c.local_p.centres.size() - 1 - t));
    off += std::abs(c.local_p.centres[t] - wanted.y.back()) / static_cast<double>(c.local_p.centres.size());
  }
  centres.series = {{.name = "p_t", .y = c.local_p.centres}, wanted};
  lesson.report().curves(centres);
  app::tell("   The mean distance of p_t from the position of the needed digit is {:.2f} positions.\n\n", off);
}

void the_pictures(app::Lesson& lesson, const Setting& s, const Contest& c) {
  heading("4  Weights: local-p on one sequence (darker: larger), and the predicted centre");
  data::Task task = make_task(s, Direction::backwards);
  const data::AlignedPair& pair = task.test[0];
  std::vector<report::Alignment> alignments;
  for (const Outcome* o : {&c.global, &c.local_m, &c.local_p}) {
    report::Alignment a{.source = pair.source,
                        .target = pair.target,
                        .row_title = "target",
                        .column_title = "source",
                        .choice = "Scope"};
    a.source.push_back("end");
    a.name = o->scope;
    for (size_t i = 0; i < o->snapshots.size(); ++i)
      a.snapshots.push_back({.label = fmt::format("step {}", o->steps[i]), .weights = app::matrix_of(o->snapshots[i])});
    for (int64_t t = 0; t < s.length; ++t) a.sure.push_back({t, s.length - 1 - t});
    alignments.push_back(a);
  }
  lesson.report().alignments(
      "Attention weights during training",
      "Rows: digits of the target; columns: digits of the source. Framed: the source digit that is needed.",
      alignments);
  show(report::heat_map(app::matrix_of(c.local_p.snapshots.back()), pair.target, alignments[0].source,
                        {.console = app::console()}));
  fmt::print("\n");
  draw_places(lesson, c);
}

// ---- 5  two questions -----------------------------------------------------------------------------------------------
void two_questions(app::Lesson& lesson, const Contest& c) {
  heading("5  Two questions: which positions may get weight, and is the weight shared among them?");
  report::TablePanel table{.title = "Two questions, four combinations",
                           .text = "Local attention is not hard attention: the two questions are independent.",
                           .header = {"", "soft: a weighted mean", "hard: one position is drawn"}};
  table.rows.push_back(
      {"global", fmt::format("lesson 12; here {:.0f} positions", c.global.looked_at), "Xu et al. 2015: lesson 16"});
  table.rows.push_back({"local", fmt::format("local-m, local-p; here {:.0f} positions", c.local_p.looked_at),
                        "one position of a window"});
  show(lesson, table);
  app::tell(
      "\n   The largest weight of the trained global model is {:.2f} on average: it is soft by construction and "
      "nearly\n"
      "   hard after training. Local-p is soft inside its window, so backpropagation is enough to train it.\n\n",
      c.global.largest);
}

int lesson_15(int argc, char** argv) {
  Setting s;
  app::Lesson lesson("15_global_and_local", "Global and local attention: a window over a fifth of the source");
  lesson.knob("window", &s.window, "D: reach of the window to each side, in positions").between(1, 20);
  lesson.knob("widest", &s.widest, "D of local-p at the start of training").between(1, 100);
  lesson.knob("hidden", &s.hidden, "width of the decoder and of each direction of the encoder").between(8, 256);
  lesson.knob("steps", &s.steps, "training steps").between(80, 100000);
  lesson.knob("rate", &s.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.question(
      {"When local-m writes digit t, it attends to the source positions t - 3 to t + 3. It is trained to write 35 "
       "digits backwards. How many digits will be correct?",
       {"nearly all", "about half", "a quarter at most"},
       3,
       "Digit t is at source position 34 - t. Only for t from 16 to 18 is that within three positions of t."});
  lesson.start(argc, argv);
  if (lesson.quick()) {
    s.length = 15, s.shortest = 4, s.window = 1, s.hidden = 32, s.widest = 16;
    s.steps = std::min<int64_t>(s.steps, 500);
  }
  s.seed = lesson.seed();
  lesson.report().text(
      "What this page shows",
      "Global attention gives weights to all source positions at each step. Local attention gives weights to 2 D + 1 "
      "of "
      "them: around position t (local-m), or around a position that the decoder predicts (local-p). Reversing a "
      "sequence shows the difference, because the digit that is needed moves from the last position to the first.");
  app::tell(
      "\n   First, the Gaussian of local-p and its gradient are checked. Then five models learn to write digits "
      "backwards\n"
      "   or to copy them; they differ only in the positions that their attention may use.\n");
  the_bell(lesson);
  the_way_to_p(lesson);
  Contest contest = the_contest(lesson, s);
  the_pictures(lesson, s, contest);
  two_questions(lesson, contest);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_15); }
