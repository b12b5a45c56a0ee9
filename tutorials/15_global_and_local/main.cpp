// Lesson 15: global and local. A decoder that looks at seven places of thirty-six, if it knows which.
//
//   1  the bell        the Gaussian of local-p, and its edge
//   2  the way to p    how a gradient reaches the predicted place
//   3  the contest     global, local-m and local-p write 35 digits backwards
//   4  the pictures    where each one looked, and where p_t learned to be
//   5  two questions   global or local is not soft or hard
//
// S: digits of a sequence, S + 1 places with the end mark; t: step of the decoder; D: window; p_t: predicted place.
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

// ---- 1  the bell ----------------------------------------------------------------------------------------------------
void the_bell(app::Lesson& lesson) {
  heading("1  The bell: a factor on the weights, for three windows");
  report::TablePanel table{.title = "The Gaussian of local-p",
                           .text =
                               "sigma = D / 2, p a whole number. Sum: what is left of a row of weights whose scores "
                               "are all equal.",
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
      {.name = "factor at the window's edge, largest distance from e^-2",
       .measured = worst,
       .comparator = "<=",
       .threshold = 1e-6,
       .control = fmt::format("p half a place away, D = 4: {:.4f}, not {:.4f}", bell(4, 41).at_edge, expected)});
}

// ---- 2  the way to p ------------------------------------------------------------------------------------------------
void the_way_to_p(app::Lesson& lesson) {
  heading("2  The way to p: the derivative of a loss by one number of v, which acts through p_t alone");
  Slope whole = slope_of_centre(true, lesson.seed()), cut = slope_of_centre(false, lesson.seed());
  report::TablePanel table{.title = "How a gradient reaches the predicted place",
                           .text = "f64. Numeric: the loss again with v moved by 1e-5 to both sides.",
                           .header = {"weights", "by backward", "numeric"}};
  table.rows.push_back(
      {"with the Gaussian", fmt::format("{:.8f}", whole.analytic), fmt::format("{:.8f}", whole.numeric)});
  table.rows.push_back(
      {"cut at round(p) only", fmt::format("{:.8f}", cut.analytic), fmt::format("{:.8f}", cut.numeric)});
  show(lesson, table);
  fmt::print("\n");
  lesson.check({.name = "gradient that reaches p, relative distance from the numeric one",
                .measured = std::abs(whole.analytic - whole.numeric) / std::abs(whole.numeric),
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("without the Gaussian: {:.2g}", cut.analytic)});
}

// ---- 3  the contest -------------------------------------------------------------------------------------------------
struct Contest {
  Outcome global, local_m, local_p, narrow, copying;
};

Contest the_contest(app::Lesson& lesson, const Setting& s) {
  heading(fmt::format("3  The contest: {} digits backwards, D = {}; a guess is right in 10 %", s.length, s.window));
  Setting copying = s, narrow = s;
  copying.steps = s.steps / 2, narrow.widest = s.window;
  Contest c{learn("global", s, Direction::backwards), learn("local_m", s, Direction::backwards),
            learn("local_p", s, Direction::backwards), learn("local_p", narrow, Direction::backwards),
            learn("local_m", copying, Direction::forwards)};
  report::TablePanel table{
      .title = fmt::format("Thirty-five digits, seven places"),
      .text =
          fmt::format("{} digits, window D = {}. Places: those with a weight above 0, of {}, on average. Largest: the "
                      "mean of each row's largest weight.",
                      s.length, s.window, s.length + 1),
      .header = {"scope", "task", "right", "places", "largest", "D at the start"}};
  if (s.length != 35) table.title = "Fewer digits, a smaller window";
  for (const Outcome* o : {&c.global, &c.local_m, &c.local_p, &c.narrow, &c.copying})
    table.rows.push_back({o->scope, o == &c.copying ? "copy" : "reverse", percent(o->right),
                          fmt::format("{:.1f}", o->looked_at), fmt::format("{:.2f}", o->largest),
                          o == &c.global    ? "all places"
                          : o == &c.local_p ? std::to_string(s.widest)
                                            : std::to_string(s.window)});
  show(lesson, table);
  fmt::print("\n");
  lesson.claim({.name = "points that local-p is behind global",
                .measured = c.global.right - c.local_p.right,
                .comparator = "<=",
                .threshold = 2,
                .control = fmt::format("local-m: {:.1f}", c.global.right - c.local_m.right)});
  lesson.claim({.name = "share of the places that local-p looks at",
                .measured = c.local_p.looked_at / static_cast<double>(s.length + 1),
                .comparator = "<=",
                .threshold = 0.2,
                .control = fmt::format("global: {:.2f}", c.global.looked_at / static_cast<double>(s.length + 1))});
  lesson.claim({.name = "digits that local-m writes backwards, %",
                .measured = c.local_m.right,
                .comparator = "<=",
                .threshold = 40,
                .control = fmt::format("local-m copying: {:.1f}", c.copying.right)});
  return c;
}

// ---- 4  the pictures ------------------------------------------------------------------------------------------------
void draw_places(app::Lesson& lesson, const Contest& c) {
  report::CurvesPanel by_place{.title = "Correct digits by position",
                               .text =
                                   "The digit that is needed lies in local-m's window for three steps in the middle. "
                                   "It did not learn to use them: "
                                   "what it gets right at the ends has come through the states of encoder and decoder.",
                               .x_label = "t",
                               .y_label = "right, in %"};
  report::CurvesPanel learning{.title = "Learning", .x_label = "training step", .y_label = "right, in %"};
  for (const Outcome* o : {&c.global, &c.local_m, &c.local_p}) {
    by_place.series.push_back({.name = o->scope, .y = o->by_place});
    learning.series.push_back({.name = o->scope, .y = o->curve, .x = o->at});
  }
  lesson.report().curves(by_place);
  lesson.report().curves(learning);
  report::CurvesPanel centres{.title = "Predicted centre of local-p",
                              .text = "p_t after training, mean over the test, and the place where the digit stands.",
                              .x_label = "t",
                              .y_label = "place in the source"};
  report::Series wanted{.name = "the digit's place"};
  double off = 0;
  for (size_t t = 0; t < c.local_p.centres.size(); ++t) {
    wanted.y.push_back(static_cast<double>(c.local_p.centres.size() - 1 - t));
    off += std::abs(c.local_p.centres[t] - wanted.y.back()) / static_cast<double>(c.local_p.centres.size());
  }
  centres.series = {{.name = "p_t", .y = c.local_p.centres}, wanted};
  lesson.report().curves(centres);
  fmt::print("   p_t is {:.2f} places from the digit it needs, on average\n\n", off);
}

void the_pictures(app::Lesson& lesson, const Setting& s, const Contest& c) {
  heading("4  The pictures: local-p on one sequence (dark: much), and p_t");
  data::Task task = make_task(s, Direction::backwards);
  const data::AlignedPair& pair = task.test[0];
  std::vector<report::Alignment> alignments;
  for (const Outcome* o : {&c.global, &c.local_m, &c.local_p}) {
    report::Alignment a{.source = pair.source,
                        .target = pair.target,
                        .row_title = "digit written",
                        .column_title = "digit read",
                        .choice = "Scope"};
    a.source.push_back("end");
    a.name = o->scope;
    for (size_t i = 0; i < o->snapshots.size(); ++i)
      a.snapshots.push_back({.label = fmt::format("step {}", o->steps[i]), .weights = app::matrix_of(o->snapshots[i])});
    for (int64_t t = 0; t < s.length; ++t) a.sure.push_back({t, s.length - 1 - t});
    alignments.push_back(a);
  }
  lesson.report().alignments(
      "Attention weights during training", "Rows: digits written; columns: digits read. Framed: the digit that is needed.", alignments);
  show(report::heat_map(app::matrix_of(c.local_p.snapshots.back()), pair.target, alignments[0].source,
                        {.console = app::console()}));
  fmt::print("\n");
  draw_places(lesson, c);
}

// ---- 5  two questions -----------------------------------------------------------------------------------------------
void two_questions(app::Lesson& lesson, const Contest& c) {
  heading("5  Two questions: which places may be looked at, and how is the look shared among them?");
  report::TablePanel table{.title = "Two questions, four answers",
                           .text = "Local is not hard. Each corner exists.",
                           .header = {"", "soft: a weighted mean", "hard: one place is drawn"}};
  table.rows.push_back(
      {"global", fmt::format("lesson 12; here {:.0f} places", c.global.looked_at), "Xu et al. 2015: lesson 16"});
  table.rows.push_back(
      {"local", fmt::format("local-m, local-p; here {:.0f} places", c.local_p.looked_at), "one place of a window"});
  show(lesson, table);
  fmt::print(
      "\n   The trained global model puts {:.2f} of its weight on one place: soft by construction, nearly hard by\n"
      "   learning. local-p stays soft inside its window, and so it trains with backward alone.\n\n",
      c.global.largest);
}

int lesson_15(int argc, char** argv) {
  Setting s;
  app::Lesson lesson("15_global_and_local", "Global and local: attention that looks at a fifth of the source");
  lesson.knob("window", &s.window, "D: places to each side").between(1, 20);
  lesson.knob("widest", &s.widest, "D of local-p at the start of training").between(1, 100);
  lesson.knob("hidden", &s.hidden, "units of each reader and of the decoder").between(8, 256);
  lesson.knob("steps", &s.steps, "steps of training").between(80, 100000);
  lesson.knob("rate", &s.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.question(
      {"local-m looks at the places t - 3 to t + 3 of the source when it writes digit t. It is to write 35 "
       "digits backwards. How many will be right?",
       {"nearly all", "about half", "a quarter at most"},
       3,
       "Digit t stands at place 34 - t, and only for t from 16 to 18 is that within three places of t."});
  lesson.start(argc, argv);
  if (lesson.quick()) {
    s.length = 15, s.shortest = 4, s.window = 1, s.hidden = 32, s.widest = 16;
    s.steps = std::min<int64_t>(s.steps, 500);
  }
  s.seed = lesson.seed();
  lesson.report().text(
      "What this page shows",
      "Global attention scores all places of the source at each step. Local attention looks at 2 D + 1 "
      "of them: around place t (local-m), or around a place that the decoder predicts (local-p). A "
      "reversed sequence shows the difference: the digit that is needed wanders from the last place to "
      "the first.");
  the_bell(lesson);
  the_way_to_p(lesson);
  Contest contest = the_contest(lesson, s);
  the_pictures(lesson, s, contest);
  two_questions(lesson, contest);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_15); }
