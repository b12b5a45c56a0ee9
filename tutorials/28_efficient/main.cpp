// Lesson 28: efficient attention. Dense attention computes and stores T^2 scores for T words. There are three different
// savings, and this lesson measures them apart:
//
//   1  the same function, less memory     tiled (FlashAttention): all multiply-adds of dense, no stored weights
//   2  another function, less work        linear, Performer, Linformer, hashing, windows: multiply-adds linear in T
//   3  a smaller cache                    grouped queries, latent rows, a ring, a running state: for decoding
//
// One of the other functions, hashing, is also trained: with n rounds, and evaluated with others (rounds.h).
//
// The control of the second saving is its error: on the same inputs, how far is the result from dense attention?
//
// T words, D width, H heads, G groups of heads.
#include <fmt/format.h>

#include <optional>

#include "autograd/modes.h"
#include "nn/train/progress.h"
#include "tutorials/28_efficient/cache.h"
#include "tutorials/28_efficient/cost.h"
#include "tutorials/28_efficient/errors.h"
#include "tutorials/28_efficient/rounds.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace efficient;
using heed::app::heading, heed::app::show, heed::app::Lesson;
namespace app = heed::app;
namespace report = heed::report;

namespace {

struct Knobs {
  int64_t longest = 8192, window = 64, rank = 64, repeats = 3;
  double sharp = 3;
};

// ---- 2  the cost ----------------------------------------------------------------------------------------------------
std::vector<Costs> the_costs(Lesson& lesson, const Knobs& k, const Sizes& s) {
  heading(fmt::format("2  What one pass costs, from 512 to {} words", k.longest));
  std::vector<Costs> all;
  for (const Way& way : all_ways(s, k.sharp)) all.push_back({way.name, way.same_function, {}, {}, {}, {}});
  int64_t lengths = 0;
  for (int64_t T = 512; T <= k.longest; T *= 2) ++lengths;
  heed::nn::Progress progress(lengths * std::ssize(all), {.label = "measuring", .unit = "passes"});
  for (int64_t T = 512; T <= k.longest; T *= 2) {
    const Words w = draw({"sharp", k.sharp}, T, s.width, lesson.seed());
    std::vector<Way> ways = all_ways(s, k.sharp);
    for (size_t i = 0; i < ways.size(); ++i) {
      const Cost cost = cost_of(ways[i], ways[i].make(w), w.x, k.repeats);
      all[i].words.push_back(static_cast<double>(T));
      all[i].products.push_back(cost.products), all[i].bytes.push_back(cost.bytes);
      all[i].seconds.push_back(cost.seconds);
      progress.step({.items = 1});
    }
  }
  progress.finish();

  const std::string first = "512 words", last = fmt::format("{} words", k.longest);
  report::TablePanel table{
      .title = "Multiply-adds and memory of one pass",
      .text =
          "One head of width 32, without gradients. Multiply-adds of attention without the projections, in "
          "millions; most bytes alive during the pass, in MB. Slope p: the cost grows as T to the power p.",
      .header = {"way", first, last, "slope", "MB at 512", fmt::format("MB at {}", k.longest), "slope of MB"}};
  report::CurvesPanel products{.title = "Multiply-adds by the number of words",
                               .text =
                                   "Both axes are logarithmic: a straight line is a power of T, and its slope is "
                                   "the exponent. Chunked and tiled do the multiply-adds of dense.",
                               .x_label = "words",
                               .y_label = "multiply-adds",
                               .log_x = true,
                               .log_y = true},
      bytes{.title = "Memory by the number of words",
            .text = "Tiled attention has the work of dense attention and the memory of a linear one.",
            .x_label = "words",
            .y_label = "bytes",
            .log_x = true,
            .log_y = true};
  for (const Costs& c : all) {
    table.rows.push_back(
        {c.name, fmt::format("{:.1f}", c.products.front() / 1e6), fmt::format("{:.1f}", c.products.back() / 1e6),
         fmt::format("{:.2f}", slope(c.words, c.products)), fmt::format("{:.2f}", c.bytes.front() / 1e6),
         fmt::format("{:.2f}", c.bytes.back() / 1e6), fmt::format("{:.2f}", slope(c.words, c.bytes))});
    products.series.push_back({.name = c.name, .y = c.products, .x = c.words});
    bytes.series.push_back({.name = c.name, .y = c.bytes, .x = c.words});
  }
  show(lesson, table);
  lesson.report().curves(products);
  lesson.report().curves(bytes);
  return all;
}

void the_times(Lesson& lesson, const std::vector<Costs>& all) {
  heading("3  What a clock measures");
  const Costs& tiled = *std::ranges::find_if(all, [](const Costs& c) { return c.name == "tiled"; });
  report::TablePanel table{
      .title = "Milliseconds of one pass, on this computer",
      .text =
          "The fastest of several runs, with the projections. Overtakes tiled: the number of words from which on "
          "the way needs fewer multiply-adds, or less time, than tiled attention. Times are shown and never "
          "required.",
      .header = {"way", "512 words", fmt::format("{:.0f} words", tiled.words.back()), "fewer multiply-adds from",
                 "faster from"}};
  report::CurvesPanel curves{.title = "Time by the number of words, on this computer",
                             .text =
                                 "The fastest of several runs. A clock measures more than multiply-adds: "
                                 "exponentials, sorting, copies, and how well the memory is used.",
                             .x_label = "words",
                             .y_label = "milliseconds",
                             .log_x = true,
                             .log_y = true};
  auto crossing = [&](const Costs& c, const std::vector<double>& mine, const std::vector<double>& other) {
    double from = c.same_function ? HUGE_VAL : overtakes(c.words, mine, other);
    if (c.same_function) return std::string("-");
    if (from == 0) return fmt::format("{:.0f} or fewer", c.words.front());
    return from < HUGE_VAL ? fmt::format("{:.0f}", from) : fmt::format("more than {:.0f}", c.words.back());
  };
  for (const Costs& c : all) {
    std::vector<double> ms;
    for (double seconds : c.seconds) ms.push_back(1e3 * seconds);
    table.rows.push_back({c.name, fmt::format("{:.2f}", ms.front()), fmt::format("{:.1f}", ms.back()),
                          crossing(c, c.products, tiled.products), crossing(c, c.seconds, tiled.seconds)});
    curves.series.push_back({.name = c.name, .y = ms, .x = c.words});
  }
  show(lesson, table);
  lesson.report().curves(curves);
}

// ---- 4  the cache ---------------------------------------------------------------------------------------------------
std::vector<Kept> the_caches(Lesson& lesson, const CacheSizes& c) {
  heading(fmt::format("4  The cache of a decoder: {} words, {} heads of width {}", c.words, c.heads, c.width));
  std::vector<Kept> all = all_caches(c);
  report::TablePanel table{.title = "What a decoder keeps of earlier words",
                           .text = fmt::format("Bytes per layer after {} words: by formula, and as the memory counts "
                                               "them. One word more: the bytes that the last word added.",
                                               c.words),
                           .header = {"memory", "formula", "measured", "share of heads", "one word more"}};
  report::BarsPanel bars{.title = "Cache of one layer",
                         .text = fmt::format("After {} words. The ring and the state do not grow any more.", c.words),
                         .x_label = "memory",
                         .y_label = "kB",
                         .series = {{"measured"}}};
  for (const Kept& kept : all) {
    table.rows.push_back({kept.name, fmt::format("{:.0f}", kept.formula), fmt::format("{:.0f}", kept.measured),
                          fmt::format("{:.4f}", kept.measured / all[0].measured),
                          fmt::format("{:.0f}", kept.per_word)});
    bars.labels.push_back(kept.name);
    bars.series[0].values.push_back(kept.measured / 1e3);
  }
  show(lesson, table);
  lesson.report().bars(bars);
  return all;
}

void the_checks_of_rounds(Lesson& lesson, const RoundsMatrix& m) {
  const std::vector<double>& full = m.right.front();
  const std::vector<double>& one = m.right.back();
  double least = 100;
  for (size_t i = 1; i < m.right.size(); ++i) least = std::min(least, m.right[i].front());
  lesson.check({.name = "trained Reformer: points lost by more rounds in evaluation, at most",
                .measured = m.lost_by_more(),
                .comparator = "<=",
                .threshold = 1,
                .control = fmt::format("by fewer rounds: {:.1f}", m.lost_by_fewer())});
  lesson.check({.name = "trained with one round: 8 rounds minus 1 round in evaluation, in points",
                .measured = one[1] - one.back(),
                .comparator = ">=",
                .threshold = 5,
                .control = fmt::format("trained with full attention: {:.1f}", full[1] - full.back())});
  lesson.check({.name = "trained with hashing, evaluated with full attention: right symbols in %, the lowest",
                .measured = least,
                .comparator = ">=",
                .threshold = 60,
                .control = fmt::format("untrained: {:.1f}", m.untrained)});
  lesson.check({.name = "trained with one round: new directions minus the same directions in every step, in points",
                .measured = one[1] - m.fixed,
                .comparator = ">=",
                .threshold = 10,
                .control = fmt::format("right with new directions: {:.1f}", one[1])});
}

void the_claims(Lesson& lesson, const Errors& e, const std::vector<Costs>& costs, const std::vector<Kept>& caches) {
  heading("Claims");
  auto of = [&](const std::string& name) {
    return *std::ranges::find_if(costs, [&](const Costs& c) { return c.name == name; });
  };
  const Costs dense = of("dense"), tiled = of("tiled");
  double steepest = 0, apart = 0;
  for (const Costs& c : costs)
    if (!c.same_function) steepest = std::max(steepest, slope(c.words, c.products));
  for (const Kept& kept : caches) apart = std::max(apart, std::abs(kept.measured - kept.formula));
  lesson.claim({.name = "tiled against dense attention, largest difference of a number on all inputs",
                .measured = e.tiled,
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("linear attention: relative error {:.2f}", e.linear)});
  lesson.claim({.name = "exponent with which the multiply-adds of the approximate ways grow, the largest",
                .measured = steepest,
                .comparator = "<=",
                .threshold = 1.1,
                .control = fmt::format("dense: {:.2f}; tiled: {:.2f}", slope(dense.words, dense.products),
                                       slope(tiled.words, tiled.products))});
  lesson.claim(
      {.name = "bytes of the caches, measured against the formulas, largest difference",
       .measured = apart,
       .comparator = "==",
       .threshold = 0,
       .control = fmt::format("formula of heads used for one group: {:.0f}", caches[0].formula - caches[2].measured)});
  lesson.check({.name = "exponent with which the memory of tiled attention grows",
                .measured = slope(tiled.words, tiled.bytes),
                .comparator = "<=",
                .threshold = 1.1,
                .control = fmt::format("dense: {:.2f}", slope(dense.words, dense.bytes))});
  lesson.check({.name = "exponent with which the multiply-adds of dense attention grow",
                .measured = slope(dense.words, dense.products),
                .comparator = ">=",
                .threshold = 1.9,
                .control = fmt::format("linear: {:.2f}", slope(of("linear").words, of("linear").products))});
  lesson.check({.name = "multiply-adds of tiled divided by those of dense attention, longest text",
                .measured = tiled.products.back() / dense.products.back(),
                .comparator = "==",
                .threshold = 1,
                .control = fmt::format("window: {:.3f}", of("window").products.back() / dense.products.back())});
  lesson.check({.name = "smallest relative error of an approximate way on sharp inputs",
                .measured = e.least,
                .comparator = ">=",
                .threshold = 0.2,
                .control = fmt::format("largest difference of the exact ways: {:.1e}", e.exact)});
  lesson.check({.name = "relative error of a window on local inputs",
                .measured = e.window_local,
                .comparator = "<=",
                .threshold = 0.05,
                .control = fmt::format("sharp inputs: {:.2f}", e.window_sharp)});
}

int lesson_28(int argc, char** argv) {
  Knobs k;
  Lesson lesson("28_efficient", "Efficient attention: what it saves, and what it gives up");
  lesson.knob("longest", &k.longest, "words of the longest text").between(1024, 16384);
  lesson.knob("window", &k.window, "words that a window reaches to each side").between(1, 1024);
  lesson.knob("rank", &k.rank, "mixtures of Linformer").between(1, 4096);
  lesson.knob("sharp", &k.sharp, "standard deviation of the scores of sharp and local inputs").between(0.1, 10);
  lesson.knob("repeats", &k.repeats, "runs of which the fastest is shown; 0: measure no times").between(0, 100);
  lesson.question(
      {"Tiled attention (FlashAttention) stores no weights, so its memory grows in proportion to the number of words. "
       "A text becomes 16 times as long. How many times as many multiply-adds does tiled attention need?",
       {"16", "64", "256"},
       3,
       "It computes exactly the scores that dense attention computes, T^2 of them. It saves memory, and the time to "
       "move "
       "it, but no multiply-adds. To save those, the function must change."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.longest = std::min<int64_t>(k.longest, 2048), k.repeats = std::min<int64_t>(k.repeats, 1);
  fmt::print("\n");
  app::item("",
            "Every way to compute attention that the library has gets the same words. Its result is compared with that "
            "of dense attention; then its multiply-adds and bytes are counted for longer and longer texts. In a full "
            "run, an encoder is also trained with hashing.");
  heed::NoGrad no_graph;
  heed::nn::Evaluating evaluating;
  const Sizes s{.window = k.window, .rank = k.rank};
  const Errors e = the_errors(lesson, k.sharp, s, lesson.quick() ? 512 : 1024);
  const std::vector<Costs> costs = the_costs(lesson, k, s);
  if (k.repeats > 0) the_times(lesson, costs);
  const std::vector<Kept> caches = the_caches(lesson, {.words = lesson.quick() ? 128 : 512});
  std::optional<RoundsMatrix> rounds;
  if (!lesson.quick()) rounds = the_rounds(lesson, {});
  the_claims(lesson, e, costs, caches);
  if (rounds) the_checks_of_rounds(lesson, *rounds);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_28); }
