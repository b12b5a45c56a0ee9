// Lesson 24: the transformer encoder. Attention and a feed-forward network, stacked, and what a deep stack needs.
//
//   1  attention on and off   copy and reverse: which of the two tasks needs attention?
//   2  twelve layers          norm first, norm last, norm last with warm-up: which of them learn?
//   3  the gradient           its norm at each layer, at the first step and later
//   4  one layer norm         what does it divide by?
//
// B sequences, T positions, D width, N layers.
#include "tutorials/common/main.h"
#include "tutorials/24_encoder/tagger.h"
#include "tutorials/common/show.h"

using namespace encoding;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t layers = 12, steps = 800, warmup = 400, model = 32;
  double rate = 3e-3;
};

std::string percent(double value) { return fmt::format("{:.0f} %", value); }

data::SequenceOptions sequences(int64_t symbols, int64_t length, uint64_t seed) {
  return {.symbols = symbols,
          .lengths = {length, length},
          .parts = {.train = 10000, .validation = 1, .test = 500, .seed = seed}};
}

// ---- 1  attention on and off ----------------------------------------------------------------------------------------
struct Looking {
  double copy[2], reverse[2];  // correct symbols in %, without attention and with it
};

Looking who_looks(app::Lesson& lesson, const Knobs& k) {
  heading("1  Attention on and off: 8 positions, 16 symbols, 2 layers");
  data::SequenceOptions o = sequences(16, 8, lesson.seed());
  Looking out{};
  report::TablePanel table{.title = "Correct symbols, with attention and without",
                           .text = "The same two layers and 300 steps. Off: each position attends to itself only.",
                           .header = {"task", "attention on", "attention off", "guessing"}};
  for (bool reversed : {false, true}) {
    data::Task task = reversed ? data::reverse_task(o) : data::copy_task(o);
    double* right = reversed ? out.reverse : out.copy;
    for (bool look : {false, true}) {
      Generator rng(lesson.seed());
      Tagger m({.symbols = task.source.size(), .model = k.model, .look = look}, rng);
      std::string name = fmt::format("{}, attention {}", task.name, look ? "on" : "off");
      right[look] = learn(m, name, task, {.steps = 300, .rate = k.rate, .seed = lesson.seed()}).right;
      if (!reversed || !look) continue;
      Inside seen = look_inside(m, examples_of(task, task.test).ids);
      std::vector<std::string> places{"1", "2", "3", "4", "5", "6", "7", "8"};
      for (size_t layer = 0; layer < seen.weights.size(); ++layer) {
        std::string title = fmt::format("Attention weights of reverse, layer {} of 2", layer + 1);
        report::Matrix weights = app::matrix_of(seen.weights[layer]);
        lesson.report().heat({.title = title,
                              .text = "Mean over heads and 500 test sequences.",
                              .row_title = "query",
                              .column_title = "key",
                              .rows = places,
                              .columns = places,
                              .matrix = weights});
        show(report::heat_map(weights, places, places,
                              {.console = app::console(), .title = title, .legend = layer == 1}));
        fmt::print("\n");
      }
    }
    table.rows.push_back({task.name, percent(right[1]), percent(right[0]), percent(100.0 / 16)});
  }
  show(lesson, table);
  return out;
}

// ---- 2 and 3  twelve layers, the gradient ---------------------------------------------------------------------------
struct Way {
  std::string name;
  bool norm_first, final_norm;
  int64_t layers, warmup;
  bool every_start = true;  // or for the first start only
  std::vector<Learned> learned = {};
  std::vector<double> sizes = {};
  double worst() const {
    double out = 100;
    for (const Learned& l : learned) out = std::min(out, l.right);
    return out;
  }
  double best() const {
    double out = 0;
    for (const Learned& l : learned) out = std::max(out, l.right);
    return out;
  }
};

std::vector<Way> twelve_layers(app::Lesson& lesson, const Knobs& k) {
  const int starts = lesson.quick() ? 1 : 3;
  heading(fmt::format("2  {} layers: reverse, 5 positions, 8 symbols, learning rate {:g}, {} steps, {} start{}",
                      k.layers, k.rate, k.steps, starts, starts > 1 ? "s" : ""));
  std::vector<Way> ways{{"norm first", true, true, k.layers, 0},
                        {"norm last", false, false, k.layers, 0},
                        {"norm last, warm-up", false, false, k.layers, k.warmup},
                        {"norm last, 2 layers", false, false, 2, 0, false},
                        {"norm first, no last norm", true, false, k.layers, 0, false}};
  if (lesson.quick()) ways = {ways[0], ways[1], ways[3]};
  const std::vector<int64_t> looks{1, 100, k.steps};
  for (int start = 0; start < starts; ++start) {
    uint64_t seed = 10 * lesson.seed() + static_cast<uint64_t>(start);
    data::Task task = data::reverse_task(sequences(8, 5, seed));
    for (Way& way : ways) {
      if (start > 0 && !way.every_start) continue;
      Generator rng(seed);
      Tagger m({.symbols = task.source.size(),
                .layers = way.layers,
                .model = k.model,
                .norm_first = way.norm_first,
                .final_norm = way.final_norm},
               rng);
      if (start == 0) way.sizes = look_inside(m, examples_of(task, task.test).ids).sizes;
      Training t{.steps = k.steps, .rate = k.rate, .warmup = way.warmup, .seed = seed};
      way.learned.push_back(learn(m, way.name, task, t, looks));
    }
  }
  report::TablePanel table{
      .title = "Norm first and norm last",
      .text = fmt::format("Correct symbols of each start, when reversing; {} layers unless stated otherwise. "
                          "Guessing gives 13 %; knowing which symbols occur, but not where, about 35 %. Size: the "
                          "root mean square of the numbers after the first and the last layer, before training.",
                          k.layers),
      .header = {"stack", "correct", "final loss", "size, first", "size, last"}};
  report::CurvesPanel losses{.title = "Training loss, first start",
                             .text = "Each point is the mean of ten steps.",
                             .x_label = "step",
                             .y_label = "loss, nats per symbol"};
  for (const Way& way : ways) {
    std::string right, last;
    for (const Learned& l : way.learned) {
      right += (right.empty() ? "" : ", ") + fmt::format("{:.0f}", l.right);
      last += (last.empty() ? "" : ", ") + fmt::format("{:.2f}", l.losses.back());
    }
    table.rows.push_back(
        {way.name, right + " %", last, fmt::format("{:.2f}", way.sizes[1]), fmt::format("{:.2f}", way.sizes.back())});
    report::Series series{.name = way.name};
    const std::vector<double>& loss = way.learned[0].losses;
    for (size_t s = 10; s <= loss.size(); s += 10) {
      double sum = 0;
      for (size_t i = s - 10; i < s; ++i) sum += loss[i];
      series.x.push_back(static_cast<double>(s)), series.y.push_back(sum / 10);
    }
    losses.series.push_back(series);
  }
  show(lesson, table);
  fmt::print("\n");
  std::vector<report::Curve> drawn;
  for (size_t i = 0; i < std::min<size_t>(3, ways.size()); ++i) drawn.push_back({ways[i].name, losses.series[i].y});
  show(report::plot(
      drawn, {.console = app::console(), .title = "loss in nats per symbol, ten steps per point", .height = 10}));
  lesson.report().curves(losses);
  return ways;
}

void the_gradient(app::Lesson& lesson, const std::vector<Way>& ways, const Knobs& k) {
  heading("3  The gradient norm at each layer, first start");
  report::TablePanel table{.title = "Gradient norm by layer",
                           .header = {"stack", "step", "first layer", "middle layer", "last layer"}};
  const std::vector<int64_t> looks{1, 100, k.steps};
  for (size_t step : {0u, 1u, 2u}) {
    report::CurvesPanel panel{.title = fmt::format("Gradient norm by layer, step {}", looks[step]),
                              .text = "The norm of the gradient of all parameters of a layer.",
                              .x_label = "layer",
                              .y_label = "gradient norm",
                              .log_y = true};
    for (const Way& way : ways) {
      if (way.layers != k.layers || !way.final_norm == way.norm_first) continue;
      const std::vector<double>& g = way.learned[0].gradients[step];
      if (step > 0 || way.warmup == 0)  // at the first step the warm-up has changed nothing yet
        panel.series.push_back({.name = way.name, .y = g});
      table.rows.push_back({way.name, std::to_string(looks[step]), fmt::format("{:.2g}", g.front()),
                            fmt::format("{:.2g}", g[g.size() / 2]), fmt::format("{:.2g}", g.back())});
    }
    lesson.report().curves(panel);
  }
  table.text = "The norm of the gradient of all parameters of a layer, after so many training steps.";
  show(table);
}

// ---- 4  one layer norm
// -----------------------------------------------------------------------------------------------
double one_norm(app::Lesson& lesson) {
  heading("4  One layer norm: eight numbers, divided by which standard deviation?");
  Generator rng(lesson.seed());
  Tensor x = Tensor::normal({1, 8}, rng, 3, 2, DType::f64);
  nn::LayerNorm norm({.shape = {8}, .affine = false}, rng);
  std::vector<double> ours = norm(Variable(x)).value().to_vector(), biased, unbiased;
  double mean = heed::mean(x).item(), squares = 0;
  for (double v : x.to_vector()) squares += (v - mean) * (v - mean);
  for (double v : x.to_vector()) {
    biased.push_back((v - mean) / std::sqrt(squares / 8 + 1e-5));
    unbiased.push_back((v - mean) / (std::sqrt(squares / 7) + 1e-6));
  }
  report::TablePanel table{.title = "LayerNorm of eight numbers",
                           .text =
                               "nn::LayerNorm divides by sqrt(variance + eps), and the variance divides by d. Some "
                               "code divides by the unbiased standard deviation, with d - 1, and adds eps outside.",
                           .header = {"x", "nn::LayerNorm", "1/d, eps inside", "1/(d - 1), eps outside", "ratio"}};
  for (size_t i = 0; i < 8; ++i)
    table.rows.push_back({fmt::format("{:.3f}", x.to_vector()[i]), fmt::format("{:.5f}", ours[i]),
                          fmt::format("{:.5f}", biased[i]), fmt::format("{:.5f}", unbiased[i]),
                          fmt::format("{:.4f}", unbiased[i] / ours[i])});
  show(lesson, table);
  double worst = 0;
  for (size_t i = 0; i < 8; ++i) worst = std::max(worst, std::abs(ours[i] - biased[i]));
  fmt::print("\n");
  lesson.check({.name = "LayerNorm against the formula with 1/d, largest difference",
                .measured = worst,
                .comparator = "<=",
                .threshold = 1e-12,
                .control = fmt::format("with 1/(d - 1), eps outside: smaller by {:.4f}; sqrt(7/8) = {:.4f}",
                                       unbiased[0] / ours[0], std::sqrt(7.0 / 8))});
  return worst;
}

int lesson_24(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("24_encoder", "The transformer encoder: residual paths, norm first and norm last");
  lesson.knob("layers", &k.layers, "layers of the deep stacks").between(2, 48);
  lesson.knob("model", &k.model, "model width D; a multiple of 4, because there are four heads").between(8, 128);
  lesson.knob("steps", &k.steps, "training steps of the deep stacks, 32 sequences each").between(100, 100000);
  lesson.knob("warmup", &k.warmup, "steps of warm-up, in the stack that has one").between(1, 100000);
  lesson.knob("rate", &k.rate, "learning rate of Adam").between(1e-5, 1);
  lesson.question(
      {"Two stacks of twelve layers differ in one thing: the norm is before each part (norm first), or after "
       "each sum (norm last). Both are trained with the same learning rate, without warm-up. Which of them learns "
       "to reverse five symbols?",
       {"both; norm last takes a little longer", "only norm first", "neither: twelve layers need warm-up"},
       2,
       "Norm first leaves the residual path free from the last layer to the first; norm last interrupts it 24 times."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 500);
  app::tell(
      "\n   Small encoders learn to copy and to reverse symbols, with attention and without. Then stacks of {} layers\n"
      "   with their norms in different places learn to reverse, and we look at the gradient of each layer.\n",
      k.layers);
  Looking looking = who_looks(lesson, k);
  std::vector<Way> ways = twelve_layers(lesson, k);
  the_gradient(lesson, ways, k);
  one_norm(lesson);

  heading("Claims");
  lesson.check({.name = "reverse: correct symbols, attention on minus off, in points",
                .measured = looking.reverse[1] - looking.reverse[0],
                .comparator = ">=",
                .threshold = 70,
                .control = fmt::format("copy: {:.1f} points; copy with attention off: {:.1f} %",
                                       looking.copy[1] - looking.copy[0], looking.copy[0])});
  lesson.claim({.name = "norm first, no warm-up: correct in %, worst start",
                .measured = ways[0].worst(),
                .comparator = ">=",
                .threshold = 90,
                .control = fmt::format("norm last, best start: {:.1f}", ways[1].best())});
  lesson.claim({.name = "norm last, no warm-up: correct in %, best start",
                .measured = ways[1].best(),
                .comparator = "<=",
                .threshold = 50,
                .control = fmt::format("with two layers: {:.1f}", ways[lesson.quick() ? 2 : 3].best())});
  if (!lesson.quick())
    lesson.claim({.name = "norm last with warm-up: correct in %, worst start",
                  .measured = ways[2].worst(),
                  .comparator = ">=",
                  .threshold = 75,
                  .control = fmt::format("without warm-up: {:.1f}", ways[1].worst())});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_24); }
