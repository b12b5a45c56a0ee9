// Lesson 04: from numbers to probabilities, from probabilities to one number to improve, and how to say "not allowed".
//
//   1  softmax         p_i = e^(x_i / t) / sum_j e^(x_j / t)      t, the temperature, says how sharp
//   2  overflow        the formula gives NaN where it matters most; take the largest out first
//   3  cross-entropy   -log p_y, and why squared error learns nothing from its worst mistakes
//   4  the gradient    p - y: what was said minus what is true; label smoothing moves what is true
//   5  masks           -inf is exact; a large negative number leaks
#include <fmt/format.h>

#include "tutorials/04_softmax_and_masks/losses.h"
#include "tutorials/04_softmax_and_masks/masks.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace heed;

namespace {

using app::console, app::heading, app::show;
struct Knobs {
  int64_t rows = 1000, words = 16;
  double scale = 1000, smoothing = 0.1;
};

std::string number(double value) { return std::isnan(value) ? "NaN" : fmt::format("{:.4g}", value + 0.0); }

// ---- 1  softmax -----------------------------------------------------------------------------------------------------
void temperatures(app::Lesson& lesson) {
  const std::vector<std::string> words{"reading", "books", "music", "it", "the", "of"};
  Tensor x = Tensor::from(std::vector<double>{3, 2.5, 2, 0, -1, -1}, {6});  // logits of the word after "I love"
  std::vector<std::vector<double>> rows;
  std::vector<std::string> names;
  for (double t : {0.1, 0.3, 1.0, 3.0, 10.0}) {
    Variable log_p = log_softmax(Variable(div(x, t)));
    rows.push_back(exp(log_p.value()).to_vector());
    double entropy = -sum(exp(log_p) * log_p).item();  // e^entropy: as many words, all equally likely
    names.push_back(fmt::format("t = {:<3}  {:.1f} words", t, std::exp(entropy)));
  }
  heading("1  Softmax of 3, 2.5, 2, 0, -1, -1: the word after \"I love\", at five temperatures t");
  show(report::heat_map(report::Matrix(rows), names, words, {.console = console(), .numbers = true, .legend = false}));
  Tensor moved = softmax_rows(add(x, 100));
  fmt::print("\n   all logits 100 higher: the probabilities change by {:.0e}\n",
             amax(abs(sub(moved, softmax_rows(x)))).item());
  lesson.report().heat({.title = "The next word at five temperatures",
                        .text = "Logits 3, 2.5, 2, 0, -1, -1, divided by `t`. Beside `t`: how many equally likely "
                                "words would be as uncertain, `e^entropy`.",
                        .row_title = "temperature",
                        .column_title = "word",
                        .rows = names,
                        .columns = words,
                        .matrix = report::Matrix(rows)});
}

// ---- 2  overflow ----------------------------------------------------------------------------------------------------
void overflow(app::Lesson& lesson, const Knobs& k, const Tensor& base) {
  heading(fmt::format("2  Overflow: {} rows of {} logits, the largest of each equal to the scale", k.rows, k.words));
  report::CurvesPanel panel{
      .title = "Rows computed correctly, by the size of the logits",
      .text =
          "`e^x` is infinite from x = 89 on in f32, from 710 on in f64: there the formula as written gives infinity "
          "/ infinity.",
      .x_label = "largest logit",
      .y_label = fmt::format("rows right, of {}", k.rows),
      .series = {{"as written, f32"}, {"as written, f64"}, {"ours, f32"}, {"ours, f64"}},
      .log_x = true};
  std::vector<std::vector<std::string>> cells;
  for (double scale : {1, 3, 10, 30, 88, 89, 100, 300, 709, 710, 1000, 3000, 10000}) {
    std::vector<std::string> row{number(scale)};
    for (size_t i = 0; i < 4; ++i) {
      int64_t right =
          rows_right(mul(base, scale), i < 2 ? Kind::as_written : Kind::ours, i % 2 ? DType::f64 : DType::f32);
      panel.series[i].x.push_back(scale);
      panel.series[i].y.push_back(static_cast<double>(right));
      row.push_back(std::to_string(right));
    }
    if (scale == 1 || scale == 30 || scale == 100 || scale == 709 || scale == 1000) cells.push_back(row);
  }
  const std::vector<std::string> header{"scale", "as written, f32", "as written, f64", "ours, f32", "ours, f64"};
  show(report::table(header, cells, console()));
  lesson.report().curves(panel);

  Tensor x = mul(base, k.scale);
  Verdicts written = judge(x, softmax_as_written(x).value(), 1e-12), ours = judge(x, softmax_rows(x), 1e-12);
  Verdicts at_one = judge(base, softmax_as_written(base).value(), 1e-12);
  fmt::print("\n");
  lesson.claim({.name = fmt::format("rows x{:g} that the formula turns to NaN and ours gets right", k.scale),
                .measured = static_cast<double>(std::min(written.nan, ours.right)),
                .comparator = "==",
                .threshold = static_cast<double>(k.rows),
                .control = fmt::format("x1: the formula turns {} to NaN", at_one.nan)});
}

// ---- 3  cross-entropy -----------------------------------------------------------------------------------------------
void losses(app::Lesson& lesson, const Knobs& k) {
  heading(
      fmt::format("3  Cross-entropy -log p of the right word; its logit is m, those of the {} others 0", k.words - 1));
  report::TablePanel rows{.title = "From surely wrong to surely right",
                          .text =
                              "m is the right word's logit, the others are 0. A pull is -dL/dm: how hard the "
                              "mistake is corrected.",
                          .header = {"m", "p", "-log p", "log of softmax", "pull", "of squared error"}};
  for (double m : {-1000.0, -20.0, -5.0, 0.0, 5.0, 20.0, 1000.0}) {
    Pull at = pull_at(m, k.words);
    rows.rows.push_back({number(m)});
    for (double v : {at.p, at.loss, at.written, -at.slope, -at.squared_slope}) rows.rows.back().push_back(number(v));
  }
  show(lesson, rows);
  lesson.report().curves({.title = "Gradient of two losses",
                          .text = "On the left the model is sure and wrong. Cross-entropy pulls with its full force of "
                                  "one; squared error of the probabilities hardly pulls at all.",
                          .x_label = "logit of the right word (the others: 0)",
                          .y_label = "pull on it, -dL/dm",
                          .series = pulls(k.words)});

  report::TablePanel guesses{.title = fmt::format("Perplexity of ten words out of {}", k.words),
                             .text = "Perplexity is `e^(mean loss)`: among how many equally likely words one guesses.",
                             .header = {"the model", "mean loss", "perplexity"},
                             .rows = perplexities(k.words)};
  fmt::print("\n");
  show(lesson, guesses);
}

// ---- 4  the gradient ------------------------------------------------------------------------------------------------
void the_gradient(app::Lesson& lesson, const Knobs& k, const Tensor& base, const Tensor& targets) {
  heading("4  The gradient of cross-entropy is p - y: here 6 words, the third is right");
  Tensor x = Tensor::from(std::vector<double>{2, 1, 0.5, 0, -1, -2}, {1, 6}), y = Tensor::full({1}, 2, DType::i64);
  Variable leaf(x, Variable::kRequiresGrad);
  backward(cross_entropy(leaf, y));
  report::TablePanel panel{.title = "One row of logits and its gradient",
                           .text = "The gradient sums to 0: what the wrong words lose, the right one gets.",
                           .header = {"", "a", "b", "c (right)", "d", "e", "f"}};
  Tensor p = softmax_rows(x), truth = one_hot(y, 6, DType::f64);
  for (const auto& [name, row] : {std::pair{"x, the logits", x},
                                  {"p, what was said", p},
                                  {"y, what is true", truth},
                                  {"p - y", sub(p, truth)},
                                  {"dL/dx, by the engine", leaf.grad()}}) {
    panel.rows.push_back({name});
    for (double value : row.to_vector()) panel.rows.back().push_back(fmt::format("{:.4f}", value));
  }
  show(lesson, panel);

  const int steps = lesson.quick() ? 300 : 2000;
  report::CurvesPanel gaps{.title = "Label smoothing: how far the right word is driven from the others",
                           .text =
                               "One row of logits follows its gradient with steps of size 1. With y = 1 there is no "
                               "end; with y = 1 - e there is one.",
                           .x_label = "step",
                           .y_label = "logit of the right word minus the others",
                           .log_x = true};
  fmt::print("\n   label smoothing e: logit of the right word minus the others, after {} steps of size 1\n", steps);
  for (double e : {0.0, k.smoothing, 2 * k.smoothing}) {
    gaps.series.push_back({fmt::format("e = {:g}", e), gap_by_descent(e, k.words, steps)});
    std::string end = e > 0
                          ? fmt::format("predicted end: log((1 - e + e/V) / (e/V)) = {:.3f}", gap_predicted(e, k.words))
                          : "no end: it grows like log(steps)";
    fmt::print("   e = {:<5g} {:6.3f}   {}\n", e, gaps.series.back().y.back(), end);
  }
  lesson.report().curves(gaps);

  double worst = 0;
  for (double scale : {1.0, 30.0, k.scale})
    for (double e : {0.0, k.smoothing})
      worst = std::max(worst, gradient_error(mul(base, scale), targets, e, Route::fused));
  fmt::print("\n");
  lesson.claim(
      {.name = fmt::format("largest |dL/dx - (p - y)|, logits x1, x30 and x{:g}", k.scale),
       .measured = worst,
       .comparator = "<=",
       .threshold = 1e-12,
       .control = fmt::format("through log and softmax: {:.0e} at x1, {} at x{:g}",
                              gradient_error(base, targets, 0, Route::as_written),
                              number(gradient_error(mul(base, k.scale), targets, 0, Route::as_written)), k.scale)});
}

// ---- 5  masks -------------------------------------------------------------------------------------------------------
void masks(app::Lesson& lesson, Generator& rng) {
  heading("5  Masks: the largest share that forbidden entries get in a row, in f32");
  std::vector<MaskCase> cases = mask_cases(rng);
  report::TablePanel panel{.title = "What forbidden entries get", .header = {"case"}};
  panel.text = "The largest sum of forbidden weights in a row: 0 is right, 1 is everything.";
  for (const Way& way : kWays) panel.header.push_back(way.name);
  double exact = 0, leaked = 0;
  for (const MaskCase& one : cases) {
    panel.rows.push_back({one.name});
    for (const Way& way : kWays) {
      double mass = leak(one, weights_of(way, one.scores, one.masks).value());
      panel.rows.back().push_back(number(mass));
      if (way.name == "-inf") exact = std::isnan(mass) ? NAN : std::max(exact, mass);
      if (way.name == "-1e9 added") leaked = std::max(leaked, mass);
    }
  }
  show(lesson, panel);

  const MaskCase& both = cases.back();
  std::vector<std::string> entries{"pad", "pad", "I", "love", "reading", "books"};
  for (size_t i : {size_t{3}, size_t{0}}) {
    report::Matrix weights = app::matrix_of(weights_of(kWays[i], both.scores, both.masks).value());
    fmt::print("\n   {}: who may look at whom? Not at \"pad\", and not at what comes later\n", kWays[i].name);
    show(report::heat_map(weights, entries, entries, {.console = console(), .numbers = true, .legend = false}));
    lesson.report().heat({.title = "Padding and causal mask, with " + kWays[i].name,
                          .text = i == 0 ? "What may look at nothing gets nothing. Hatched: exactly 0."
                                         : "The first two rows may look at nothing. Entries that are forbidden twice "
                                           "hold -2e9, so those that are forbidden once win.",
                          .row_title = "query",
                          .column_title = "key",
                          .rows = entries,
                          .columns = entries,
                          .matrix = weights,
                          .low = 0.0,
                          .high = 1.0});
  }
  fmt::print("\n   gradient that reaches forbidden scores: {:.3g} with -1e9 added, {:g} with -inf\n\n",
             gradient_at_forbidden(kWays[3], both), gradient_at_forbidden(kWays[0], both));
  lesson.claim({.name = "largest share of forbidden entries, masks of -inf",
                .measured = exact,
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("-1e9 added: {:g}", leaked)});
}

int lesson_04(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("04_softmax_and_masks", "Softmax, cross-entropy and masks: exact where the formulas overflow");
  lesson.knob("rows", &k.rows, "rows of logits to try").between(10, 100000);
  lesson.knob("words", &k.words, "words to choose from").between(2, 1000);
  lesson.knob("scale", &k.scale, "what the logits are multiplied by").between(1, 1e6);
  lesson.knob("smoothing", &k.smoothing, "label smoothing e").between(0.001, 0.4);
  lesson.question(
      {"A row may look at nothing: all its scores are masked with -1e9, and softmax follows. What are the "
       "weights of the forbidden entries?",
       {"all 0", "they sum to 1, as always", "NaN"},
       2,
       "Softmax sees differences only, and -1e9 minus -1e9 is 0: a row of them is a row of equals."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.rows = std::min<int64_t>(k.rows, 200);
  Generator rng(lesson.seed());
  lesson.report().text("What this page shows",
                       "Softmax turns any numbers, the logits, into probabilities. Cross-entropy turns the probability "
                       "of the right answer into a loss, and its gradient is the difference of the two: what was said "
                       "minus what is true.\n\nAs written in books both overflow, and a mask made of a large negative "
                       "number leaks. Each fault is shown beside its mend.");
  Tensor base = random_logits(k.rows, k.words, rng), targets = random_targets(k.rows, k.words, rng);
  temperatures(lesson);
  overflow(lesson, k, base);
  losses(lesson, k);
  the_gradient(lesson, k, base, targets);
  masks(lesson, rng);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_04); }
