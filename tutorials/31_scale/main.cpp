// Lesson 31: scale. The memory of a training step grows with the size of the batch and with the number of layers. Two
// methods reduce it, and neither changes what is computed. A third saves time and changes a little:
//
//   1  gradient accumulation     the batch in parts: the same loss curve, if every word counts the same
//   2  what it saves             the most bytes alive during a step
//   3  checkpointing             layers in segments that are computed a second time: the same gradients to the bit
//   4  how many segments?        sqrt(n) for a chain of cheap layers, more for transformer layers
//   5  half the bits             matrix products in bf16: nearly the same loss curve, in less time where the processor
//                                has the instruction
//   6  a batch for R processes   gradients that travel in a ring: the same curve, the same parameters everywhere
//   7  many machines             the time of a step on paper: where more processes stop to pay
//
// As one of several processes (mpirun -n 2 ./heed run 31) it runs processes.h instead.
//
// N words of a step, k micro-batches or segments, n layers, a bytes of a layer's output.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tutorials/31_scale/accumulate.h"
#include "tutorials/31_scale/precision.h"
#include "tutorials/31_scale/processes.h"
#include "tutorials/31_scale/ring.h"
#include "tutorials/31_scale/segments.h"
#include "tutorials/31_scale/step_time.h"
#include "tutorials/app/train_ranks.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace scale;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  std::int64_t parts = 4, steps = 150, layers = 64, deep = 32, processes = 4;
  double rate = 3e-3;
};

// Largest difference of two loss curves.
double apart(const Run& a, const Run& b) {
  double worst = 0;
  for (size_t t = 0; t < a.losses.size(); ++t) worst = std::max(worst, std::abs(a.losses[t] - b.losses[t]));
  return worst;
}

// ---- 1  gradient accumulation ---------------------------------------------------------------------------------------
struct Accumulated {
  Sentences test;  // new sentences
  std::vector<Way> ways;
  std::vector<Run> runs;
  const Run& of(const std::string& name) const {
    return runs[static_cast<size_t>(std::ranges::find_if(ways, [&](const Way& w) { return w.name == name; }) -
                                    ways.begin())];
  }
};

Accumulated the_ways(app::Lesson& lesson, const Knobs& k, const Grammar& g, const Setting& s) {
  heading(
      fmt::format("1  Gradient accumulation: {} sentences per step, in one batch or in {} parts", s.batch, k.parts));
  Generator dice(s.seed, 1ull << 40), test_dice(s.seed, 1ull << 50);
  std::string words;
  for (const Sentences& part : micro_batches(speaking::draw(g, s.batch, dice), k.parts))
    words += fmt::format("{}{}", words.empty() ? "" : ", ", speaking::words_of(part));
  app::tell("   words in the {} micro-batches of the first step: {}\n\n", k.parts, words);
  Accumulated a;
  a.ways = {{.name = "one batch"},
            {.name = "accumulated", .parts = k.parts},
            {.name = "mean of means", .parts = k.parts, .mean_of_means = true},
            {.name = "clip each time", .parts = k.parts, .clip_each = true},
            {.name = "step each time", .parts = k.parts, .step_each = true}};
  if (!lesson.quick()) {
    a.ways.push_back({.name = "one sentence at a time", .parts = s.batch});
    for (uint64_t more : {0U, 1U, 2U, 1U}) {
      bool f64 = more == 1 && a.ways.back().more_seed == 2;
      std::string kind = fmt::format(", ReLU, seed {}{}", s.seed + more, f64 ? ", f64" : "");
      for (int64_t parts : {int64_t{1}, k.parts})
        a.ways.push_back({.name = (parts == 1 ? "one batch" : "accumulated") + kind,
                          .parts = parts,
                          .activation = "relu",
                          .dtype = f64 ? DType::f64 : DType::f32,
                          .more_seed = more});
    }
    a.ways.push_back({.name = "one batch, dropout", .dropout = 0.1});
    a.ways.push_back({.name = "one batch, other dropout", .dropout = 0.1, .other_numbers = true});
    a.ways.push_back({.name = "accumulated, dropout", .parts = k.parts, .dropout = 0.1});
  }
  a.test = speaking::draw(g, lesson.quick() ? 200 : 2000, test_dice);
  nn::Progress progress(std::ssize(a.ways), {.label = "training", .unit = "runs"});
  for (const Way& way : a.ways) {
    a.runs.push_back(train(g, way, s, a.test));
    progress.step({.loss = a.runs.back().losses.back(), .items = 1});
  }
  progress.finish();

  report::TablePanel table{.title = "Loss curves compared with that of one large batch",
                           .text =
                               "Largest difference over all steps, in nats per word. Runs with dropout or "
                               "ReLU are compared with the large batch of their kind.",
                           .header = {"way", "largest difference", "loss at the end"}};
  report::CurvesPanel curves{
      .title = "Distance from the loss curve of the large batch",
      .text =
          "All runs see the same sentences. Accumulated with one divisor for the whole step, the curve differs by "
          "rounding only. " +
          std::string(lesson.quick() ? ""
                                     : "With ReLU instead of GELU, rounding can switch a unit on or off, and then the "
                                       "difference grows. ") +
          "Differences below 1e-8 are drawn at 1e-8.",
      .x_label = "step",
      .y_label = "difference of the losses, nats per word",
      .log_y = true};
  report::CurvesPanel losses{
      .title = "Training loss", .x_label = "step", .y_label = "loss, nats per word", .series = {}};
  for (size_t i = 0; i < a.ways.size(); ++i) {
    const Way& way = a.ways[i];
    size_t comma = way.name.find(',');  // "accumulated, dropout" is compared with "one batch, dropout"
    const Run& reference = a.of("one batch" + (i < 6 ? "" : way.other_numbers ? ", dropout" : way.name.substr(comma)));
    const Run& run = a.runs[i];
    table.rows.push_back({way.name, &run == &reference ? "-" : fmt::format("{:.1e}", apart(run, reference)),
                          fmt::format("{:.4f}", run.losses.back())});
    if (i < 5) losses.series.push_back({.name = way.name, .y = run.losses});
    if (i == 0 ||
        (i > 4 && !(way.activation == "relu" && way.parts > 1 && way.dtype == DType::f32 && way.more_seed > 0)))
      continue;
    report::Series series{.name = i < 5 ? way.name : way.name.substr(comma + 2)};  // "ReLU, seed 2"
    for (size_t t = 0; t < run.losses.size(); ++t)
      series.y.push_back(std::max(std::abs(run.losses[t] - reference.losses[t]), 1e-8));
    curves.series.push_back(series);
  }
  show(lesson, table);
  lesson.report().curves(curves);
  lesson.report().curves(losses);

  report::BarsPanel bars{.title = "Loss on new sentences, by their length",
                         .text =
                             "The mean of means gives a word of a short sentence more weight than a word of a long "
                             "one: short sentences are learned better, long ones worse.",
                         .x_label = "new sentences, sorted by length",
                         .y_label = "loss, nats per word",
                         .labels = {"shortest quarter", "second", "third", "longest quarter"}};
  for (const char* name : {"one batch", "mean of means"}) bars.series.push_back({name, a.of(name).by_length});
  lesson.report().bars(bars);
  app::tell("\n   loss on new sentences, from the shortest quarter to the longest\n");
  for (const auto& series : bars.series) app::tell("   {:<14} {:.3f}\n", series.name, fmt::join(series.values, "   "));
  return a;
}

// ---- 2  what accumulation saves -------------------------------------------------------------------------------------
double the_saving(app::Lesson& lesson, const Grammar& g, Setting s) {
  heading("2  What accumulation saves: the most bytes alive during a step");
  s.steps = 3;
  report::TablePanel table{.title = "Memory of a step, by the number of micro-batches",
                           .text =
                               "Most bytes alive during a step, in addition to the parameters and the state of the "
                               "optimiser.",
                           .header = {"micro-batches", "kB", "share of one batch"}};
  double whole = 0, share = 0;
  for (int64_t parts : {1, 2, 4, 8, 48}) {
    auto peak = static_cast<double>(train(g, {.name = "", .parts = parts}, s).peak);
    if (parts == 1) whole = peak;
    if (parts == 8) share = peak / whole;
    table.rows.push_back(
        {std::to_string(parts), fmt::format("{:.0f}", peak / 1e3), fmt::format("{:.3f}", peak / whole)});
  }
  show(lesson, table);
  return share;
}

int lesson_31(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("31_scale", "Scale: gradient accumulation and checkpointing");
  lesson.knob("parts", &k.parts, "micro-batches of a step").between(2, 48);
  lesson.knob("steps", &k.steps, "training steps of each run").between(10, 2000);
  lesson.knob("rate", &k.rate, "learning rate of Adam").between(1e-5, 1);
  lesson.knob("layers", &k.layers, "layers of the chain").between(4, 256);
  lesson.knob("deep", &k.deep, "transformer layers").between(4, 64);
  lesson.knob("processes", &k.processes, "processes that share a batch").between(2, 16);
  lesson.question(
      {"48 sentences do not fit into memory, so they are processed in 4 parts of 12. The loss of each part is "
       "the mean over its words, and the gradients of the 4 losses are averaged. Compared with one batch of "
       "48, the gradient is",
       {"the same", "the same up to rounding", "another one"},
       3,
       "The parts have different numbers of words. A word in a part with few words counts more than one in a "
       "part with many. Divide each part's sum by the words of the whole step."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 30), k.deep = std::min<int64_t>(k.deep, 8);
  fmt::print("\n");
  app::item("",
            "A small language model is trained with one large batch, and again with the same batch in parts, once "
            "correctly and three times with a common mistake. Then deep networks are trained for one step with "
            "checkpoints, and the bytes and multiply-adds are counted. Then the small model is trained with products "
            "in bf16, and by several processes. At last the time of a step is computed for many machines.");
  Grammar g;
  Setting s{.steps = k.steps, .rate = k.rate, .seed = lesson.seed()};
  Accumulated a = the_ways(lesson, k, g, s);
  double share = the_saving(lesson, g, s);
  Checked c = the_stack(lesson, {.layers = k.deep, .lines = lesson.quick() ? 8 : 32});
  Chained chain = the_chain(lesson, k.layers);
  Rounded rounded = the_precision(lesson, g, s, a.test, a.of("one batch"));
  Together together = the_ring(lesson, k.processes, g, s, a.of("one batch"));
  the_step_time(lesson);
  app::tell("\n   skipped here: real processes. With MPI, mpirun -n 2 ./heed run 31 compares them with one.\n");

  heading("Claims");
  const Run &one = a.of("one batch"), &means = a.of("mean of means");
  lesson.claim({.name = "loss curve with accumulation against one batch, largest difference in nats per word",
                .measured = apart(a.of("accumulated"), one),
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("mean of means: {:.1e}; clip each time: {:.1e}; step each time: {:.1e}",
                                       apart(means, one), apart(a.of("clip each time"), one),
                                       apart(a.of("step each time"), one))});
  lesson.claim({.name = "numbers of the gradient that checkpoints change, over all numbers of segments",
                .measured = static_cast<double>(c.worst),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("second run with new random numbers: {} of {}", c.new_numbers, c.numbers)});
  lesson.claim({.name = fmt::format("memory of {} cheap layers in sqrt(n) segments, divided by that without", k.layers),
                .measured = chain.root,
                .comparator = "<=",
                .threshold = 2.5 / std::sqrt(static_cast<double>(k.layers)),
                .control = fmt::format("1 segment: {:.2f}; {} segments: {:.2f}", chain.one, k.layers, chain.all)});
  lesson.check({.name = "memory of a step in 8 micro-batches, divided by that of one batch",
                .measured = share,
                .comparator = "<=",
                .threshold = 0.25,
                .control = "one batch: 1"});
  lesson.check({.name = "multiply-adds that checkpoints add, divided by those of one forward pass",
                .measured = c.extra,
                .comparator = "==",
                .threshold = 1,
                .control = "no checkpoints: 0"});
  lesson.check(
      {.name = "transformer layers: segments with the least memory, divided by the root of the number of layers",
       .measured = c.best / std::sqrt(static_cast<double>(k.deep)),
       .comparator = ">=",
       .threshold = 2,
       .control = fmt::format("cheap layers: {:.2f}", chain.best / std::sqrt(static_cast<double>(k.layers)))});
  auto gap = [](const Run& run) { return run.by_length.back() - run.by_length.front(); };
  lesson.check({.name = "mean of means: how much more the longest quarter of new sentences costs than the shortest, in "
                        "addition to one batch",
                .measured = gap(means) - gap(one),
                .comparator = ">=",
                .threshold = 0.05,
                .control = fmt::format("accumulated: {:.1e}", gap(a.of("accumulated")) - gap(one)),
                .shown_in_quick = true});
  lesson.check({.name = "checkpointing by hand with the same random numbers: numbers of the gradient that differ",
                .measured = static_cast<double>(c.by_hand),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("new random numbers: {}", c.new_numbers)});
  lesson.check({.name = "products in bf16: mean distance from the loss curve of f32, last third of the steps",
                .measured = rounded.products,
                .comparator = "<=",
                .threshold = 0.005,
                .control = fmt::format("parameters in bf16, too: {:.3f}", rounded.parameters)});
  lesson.check({.name = "loss curve of several processes against one batch, largest difference in nats per word",
                .measured = together.apart,
                .comparator = "<=",
                .threshold = 1e-5,
                .control = fmt::format("mean of the processes' means: {:.1e}", together.mean_apart)});
  lesson.check({.name = "parameters that are not the same in all processes after the training",
                .measured = static_cast<double>(together.right.differ),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("each adds up in its own order: {} of {}", together.own_order.differ,
                                       together.own_order.parameters)});
  lesson.check({.name = "ring of 64 processes: numbers that each sends, divided by those of the gradient",
                .measured = together.most,
                .comparator = "<=",
                .threshold = 2,
                .control = fmt::format("one process collects all: {}", together.star)});
  return lesson.finish();
}

int as_one_of_many(nn::Ranks& ranks, int argc, char** argv) {
  app::Common common;
  app::Options options("31_scale", "The lesson as one of several processes: the toy, and the time of a step.");
  add_common(options, &common);
  options.parse(argc, argv);
  if (!common.out.empty())
    throw InputError(fmt::format("31_scale: several processes write no page; got --out {}", common.out));
  app::require_one_program(ranks, argc, argv);
  if (!common.threads) common.threads = 1;  // what the step's time is predicted for
  apply_common(common);
  return as_one_of(ranks, static_cast<uint64_t>(common.seed), common.quick);
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_main(argc, argv, [](int c, char** v) {
    return app::with_ranks(c, v, [](nn::Ranks& ranks, int n, char** words) {
      return ranks.size() > 1 ? as_one_of_many(ranks, n, words) : lesson_31(n, words);
    });
  });
}
