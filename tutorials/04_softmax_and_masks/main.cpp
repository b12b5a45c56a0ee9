// Lesson 04: from numbers to probabilities, from probabilities to a loss, and how to exclude choices with a mask.
//
//   1  softmax         p_i = e^(x_i / t) / sum_j e^(x_j / t)      the temperature t controls how sharp it is
//   2  overflow        the textbook formula gives NaN; subtract the largest logit first
//   3  cross-entropy   -log p_y, and why squared error hardly learns from its worst mistakes
//   4  the gradient    p - q: what was predicted minus the target; label smoothing changes the target
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
    double entropy = -sum(exp(log_p) * log_p).item();  // e^entropy: the number of equally likely words
    names.push_back(fmt::format("t = {:<3}  {:.1f} words", t, std::exp(entropy)));
  }
  heading("1  Softmax of the logits 3, 2.5, 2, 0, -1, -1 of the word after \"I love\", at five temperatures t");
  show(report::heat_map(report::Matrix(rows), names, words, {.console = console(), .numbers = true, .legend = false}));
  Tensor moved = softmax_rows(add(x, 100));
  app::tell("\n   If all logits are 100 larger, the probabilities change by {:.0e}.\n",
            amax(abs(sub(moved, softmax_rows(x)))).item());
  lesson.report().heat({.title = "The next word at five temperatures",
                        .text =
                            "Probabilities of the word after \"I love\", from the logits 3, 2.5, 2, 0, -1, -1 "
                            "divided by the temperature `t`. Beside `t`: the number of equally likely words with the "
                            "same uncertainty, `e^entropy`.",
                        .row_title = "temperature",
                        .column_title = "word",
                        .rows = names,
                        .columns = words,
                        .matrix = report::Matrix(rows)});
}

// ---- 2  overflow ----------------------------------------------------------------------------------------------------
void overflow(app::Lesson& lesson, const Knobs& k, const Tensor& base) {
  heading(
      fmt::format("2  Overflow: right rows, of {} rows of {} logits; the largest logit is the scale", k.rows, k.words));
  report::CurvesPanel panel{.title = "Rows computed correctly, by the size of the logits",
                            .text =
                                "`e^x` is infinite from x = 89 on in f32 and from 710 on in f64. There the textbook "
                                "formula computes infinity "
                                "/ infinity, which is NaN.",
                            .x_label = "largest logit",
                            .y_label = fmt::format("right rows, of {}", k.rows),
                            .series = {{"textbook, f32"}, {"textbook, f64"}, {"ours, f32"}, {"ours, f64"}},
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
  show({.title = panel.title,
        .text = fmt::format("Right rows, of {}. Scale: the largest logit.", k.rows),
        .header = {"scale", "textbook, f32", "textbook, f64", "ours, f32", "ours, f64"},
        .rows = cells});
  lesson.report().curves(panel);

  Tensor x = mul(base, k.scale);
  Verdicts written = judge(x, softmax_as_written(x).value(), 1e-12), ours = judge(x, softmax_rows(x), 1e-12);
  Verdicts at_one = judge(base, softmax_as_written(base).value(), 1e-12);
  fmt::print("\n");
  lesson.claim(
      {.name = fmt::format("rows, logits x{:g}, where the textbook formula gives NaN and ours is right", k.scale),
       .measured = static_cast<double>(std::min(written.nan, ours.right)),
       .comparator = "==",
       .threshold = static_cast<double>(k.rows),
       .control = fmt::format("x1: NaN in {} rows", at_one.nan)});
}

// ---- 3  cross-entropy -----------------------------------------------------------------------------------------------
void losses(app::Lesson& lesson, const Knobs& k) {
  heading(fmt::format("3  Cross-entropy -log p of the right word; its logit is m, the {} others are 0", k.words - 1));
  report::TablePanel rows{.title = "From certain and wrong to certain and right",
                          .text =
                              "m is the logit of the right word, all others are 0. -dL/dm is how strongly a gradient "
                              "step raises it. The textbook's -log(softmax) fails at both ends.",
                          .header = {"m", "p", "-log p", "textbook", "-dL/dm", "squared error: -dL/dm"}};
  for (double m : {-1000.0, -20.0, -5.0, 0.0, 5.0, 20.0, 1000.0}) {
    Pull at = pull_at(m, k.words);
    rows.rows.push_back({number(m)});
    for (double v : {at.p, at.loss, at.written, -at.slope, -at.squared_slope}) rows.rows.back().push_back(number(v));
  }
  show(lesson, rows);
  lesson.report().curves({.title = "Gradient of two losses",
                          .text = "On the left, the model is certain and wrong. There the gradient of cross-entropy is "
                                  "1, and that of the squared error of the probabilities is almost 0: it hardly learns "
                                  "from its worst mistakes.",
                          .x_label = "m, the logit of the right word (the others: 0)",
                          .y_label = "-dL/dm",
                          .series = pulls(k.words)});

  report::TablePanel guesses{.title = fmt::format("Perplexity of ten words out of {}", k.words),
                             .text =
                                 "Perplexity is `e^(mean loss)`: the number of equally likely words that would be "
                                 "as uncertain.",
                             .header = {"the model", "mean loss", "perplexity"},
                             .rows = perplexities(k.words)};
  fmt::print("\n");
  show(lesson, guesses);
}

// ---- 4  the gradient ------------------------------------------------------------------------------------------------
void the_gradient(app::Lesson& lesson, const Knobs& k, const Tensor& base, const Tensor& targets) {
  heading("4  The gradient of cross-entropy is p - q: 6 words, of which the third is right");
  Tensor x = Tensor::from(std::vector<double>{2, 1, 0.5, 0, -1, -2}, {1, 6}), y = Tensor::full({1}, 2, DType::i64);
  Variable leaf(x, Variable::kRequiresGrad);
  backward(cross_entropy(leaf, y));
  report::TablePanel panel{.title = "One row of logits and its gradient",
                           .text = "The gradient p - q sums to 0: the right word gains what the wrong ones lose.",
                           .header = {"", "a", "b", "c (right)", "d", "e", "f"}};
  Tensor p = softmax_rows(x), truth = one_hot(y, 6, DType::f64);
  for (const auto& [name, row] : {std::pair{"x, the logits", x},
                                  {"p, the prediction", p},
                                  {"q, the target", truth},
                                  {"p - q", sub(p, truth)},
                                  {"dL/dx, by the engine", leaf.grad()}}) {
    panel.rows.push_back({name});
    for (double value : row.to_vector()) panel.rows.back().push_back(fmt::format("{:.4f}", value));
  }
  show(lesson, panel);

  const int steps = lesson.quick() ? 300 : 2000;
  report::CurvesPanel gaps{.title = "Label smoothing: the logit of the right word minus the others",
                           .text =
                               "Gradient descent on one row of logits with learning rate 1. Without label smoothing "
                               "(e = 0) the difference grows without end; with it, it ends at a finite value.",
                           .x_label = "step",
                           .y_label = "logit of the right word minus the others",
                           .log_x = true};
  app::tell("\n   Label smoothing e: logit of the right word minus the others, after {} steps\n", steps);
  for (double e : {0.0, k.smoothing, 2 * k.smoothing}) {
    gaps.series.push_back({fmt::format("e = {:g}", e), gap_by_descent(e, k.words, steps)});
    std::string end = e > 0 ? fmt::format("predicted: log((1 - e + e/V) / (e/V)) = {:.3f}", gap_predicted(e, k.words))
                            : "no end: it grows like log(steps)";
    app::tell("   e = {:<5g} {:6.3f}   {}\n", e, gaps.series.back().y.back(), end);
  }
  lesson.report().curves(gaps);

  double worst = 0;
  for (double scale : {1.0, 30.0, k.scale})
    for (double e : {0.0, k.smoothing})
      worst = std::max(worst, gradient_error(mul(base, scale), targets, e, Route::fused));
  fmt::print("\n");
  lesson.claim({.name = fmt::format("largest |dL/dx - (p - q)|, logits x1, x30 and x{:g}", k.scale),
                .measured = worst,
                .comparator = "<=",
                .threshold = 1e-12,
                .control = fmt::format(
                    "log of a softmax: {:.0e} at x1, {} at x{:g}", gradient_error(base, targets, 0, Route::as_written),
                    number(gradient_error(mul(base, k.scale), targets, 0, Route::as_written)), k.scale)});
}

// ---- 5  masks -------------------------------------------------------------------------------------------------------
void masks(app::Lesson& lesson, Generator& rng) {
  heading("5  Masks: the largest weight of the masked entries of a row, in f32");
  std::vector<MaskCase> cases = mask_cases(rng);
  report::TablePanel panel{.title = "Weight of masked entries", .header = {"case"}};
  panel.text =
      "The largest total weight of the masked entries of a row, for five ways to mask. 0 is right; 1 means that "
      "masked entries get all of the weight.";
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
    app::tell("\n   {}: weights of each query (row); \"pad\" and later keys are masked\n", kWays[i].name);
    show(report::heat_map(weights, entries, entries, {.console = console(), .numbers = true, .legend = false}));
    lesson.report().heat({.title = "Padding and causal mask, with " + kWays[i].name,
                          .text = i == 0
                                      ? "A query reads the keys up to its own position, but no padding. The first two "
                                        "rows have no key left, so all their weights are 0. Hatched: exactly 0."
                                      : "In the first two rows every key is masked. A key that is masked twice has "
                                        "the score -2e9, so keys that are masked once get all the weight: the first "
                                        "query reads its future.",
                          .row_title = "query",
                          .column_title = "key",
                          .rows = entries,
                          .columns = entries,
                          .matrix = weights,
                          .low = 0.0,
                          .high = 1.0});
  }
  app::tell("\n   Total gradient at masked scores: {:.3g} with -1e9 added, {:g} with -inf\n\n",
            gradient_at_forbidden(kWays[3], both), gradient_at_forbidden(kWays[0], both));
  lesson.claim({.name = "largest weight of masked entries, with -inf",
                .measured = exact,
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("-1e9 added: {:g}", leaked)});
}

int lesson_04(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("04_softmax_and_masks", "Softmax, cross-entropy and masks: exact where the formulas overflow");
  lesson.knob("rows", &k.rows, "rows of logits to try").between(10, 100000);
  lesson.knob("words", &k.words, "words to choose from (V)").between(2, 1000);
  lesson.knob("scale", &k.scale, "factor of the logits").between(1, 1e6);
  lesson.knob("smoothing", &k.smoothing, "label smoothing e").between(0.001, 0.4);
  lesson.question(
      {"All scores of a row are masked by setting them to -1e9, and softmax follows. What are the weights of this "
       "row?",
       {"all 0", "equal, and they sum to 1", "NaN"},
       2,
       "Softmax depends on differences only, and -1e9 minus -1e9 is 0: the scores are all equal."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.rows = std::min<int64_t>(k.rows, 200);
  Generator rng(lesson.seed());
  lesson.report().text(
      "What this page shows",
      "Softmax turns numbers, the logits, into probabilities. Cross-entropy turns the probability of "
      "the right answer into a loss. Its gradient is the prediction minus the target.\n\nWritten as in "
      "a textbook, both overflow for large logits, and a mask made of a large negative number leaks. "
      "The page shows each mistake beside the right way.");
  app::tell(
      "\nWe compute softmax and cross-entropy as a textbook writes them and as the library does, and count where\n"
      "they fail. Then we mask entries in five ways and measure how much weight the masked entries still get.\n");
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
