// Lesson 05: a network that learns. A parameter, a module, a loop, and three sets of examples.
//
//   1  the data        two spirals: examples to learn from, to choose with, to be judged by
//   2  a line          x W^T + b, the best straight border, and why it is not enough
//   3  a network       two bends more, 4482 parameters, and a loop of five lines
//   4  mistakes        four that give no error message
//   5  few examples    a network that knows twenty points by heart, and nothing else
//   6  choosing        the width is chosen on the validation set; the test set is asked once
#include <fmt/format.h>

#include "tutorials/05_network/loop.h"
#include "tutorials/05_network/mlp.h"
#include "tutorials/05_network/pictures.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace heed;

namespace {

using app::console, app::heading, app::show;

struct Knobs {
  int64_t hidden = 64, steps = 8000, few = 20;
  double rate = 0.2, turns = 2;
};
struct Data {
  Points train, valid, test;
};

TrainOptions options_of(const Knobs& k, const std::string& name) {
  return {.name = name, .steps = k.steps, .learning_rate = k.rate, .measure_every = std::max<int64_t>(k.steps / 40, 1)};
}
// Every network below begins with the same numbers and sees the examples in the same order.
Generator same_start(const app::Lesson& lesson) { return Generator(lesson.seed(), /*offset=*/1 << 20); }

// ---- 1  the data ----------------------------------------------------------------------------------------------------
Data make_data(const Knobs& k, Generator& rng) {
  SpiralOptions o{.turns = k.turns};
  Data d{spiral(1000, o, rng), spiral(500, o, rng), spiral(1000, o, rng)};
  heading(fmt::format("1  The data: two spirals of {:g} turns", k.turns));
  fmt::print("   {} points to learn from, {} to choose with, {} to be judged by\n", d.train.count(), d.valid.count(),
             d.test.count());
  return d;
}

// ---- 2  a line ------------------------------------------------------------------------------------------------------
double straight_line(app::Lesson& lesson, const Knobs& k, const Data& d) {
  Generator rng = same_start(lesson);
  nn::Linear line({.in = 2, .out = 2}, rng);
  train(line, d.train, d.valid, options_of(k, "a line"), rng);
  Score test = score(model_of(line), d.test);
  heading(fmt::format("2  A line: logits = x W^T + b, {} parameters", count_parameters(line)));
  fmt::print("   of the test points, right: {}   (a coin: 50 %)\n", percent(test.percent));
  report::ScatterPanel panel = picture("The best that a straight line can do",
                                       "Test points. Colour behind them: the model's probability of class 1.", d.test);
  panel.fields = {{"trained", field_of(model_of(line), 48, 48)}};
  lesson.report().scatter(panel);
  return test.percent;
}

// ---- 3  a network ---------------------------------------------------------------------------------------------------
double network(app::Lesson& lesson, const Knobs& k, const Data& d) {
  Generator rng = same_start(lesson);
  Mlp net({.hidden = k.hidden}, rng);
  heading(fmt::format("3  A network: three layers, a bend after the first and the second, {} parameters",
                      count_parameters(net)));
  report::TablePanel panel{.title = "The parameters", .header = {"name", "shape", "numbers"}};
  for (const NamedVariable& p : named_parameters(net))
    panel.rows.push_back({p.name, to_string(p.variable.shape()), std::to_string(p.variable.count())});
  show(lesson, panel);

  report::ScatterPanel map = picture("What the network has learned",
                                     "Test points, none of which it has seen. Slide through its training.", d.test);
  History h = train(net, d.train, d.valid, options_of(k, "the network"), rng, [&](int64_t step) {
    if (step * 10 >= 6 * k.steps && step != k.steps) return;  // the early steps are of interest
    map.fields.push_back({fmt::format("step {}", step), field_of(model_of(net), 48, 48)});
  });
  Score test = score(model_of(net), d.test);
  fmt::print("\n   loss {:.3f} -> {:.4f} in {} steps; of the test points, right: {}\n\n", h.train.front().loss,
             h.train.back().loss, k.steps, percent(test.percent));
  show_field(model_of(net));
  std::vector<report::Field> kept;  // eight
  for (size_t i = 0; i < 8 && !map.fields.empty(); ++i) kept.push_back(map.fields[i * (map.fields.size() - 1) / 7]);
  map.fields = kept;
  lesson.report().scatter(map);
  lesson.report().curves({.title = "Loss of the network",
                          .text = "The two curves are as good as one: it has not learned its examples by heart.",
                          .x_label = "step",
                          .y_label = "mean cross-entropy",
                          .series = {losses("training", h, h.train), losses("validation", h, h.valid)},
                          .log_y = true});
  return test.percent;
}

// ---- 4  mistakes ----------------------------------------------------------------------------------------------------
// Returns what the network without bends reaches: the control.
double mistakes(app::Lesson& lesson, const Knobs& k, const Data& d) {
  heading("4  Mistakes without an error message: the same network, the same steps");
  report::TablePanel panel{.title = "Four mistakes",
                           .text = "None of them stops the program. The loss, and nothing else, tells.",
                           .header = {"mistake", "the loop sees", "training loss", "test, right"}};
  report::CurvesPanel curves{.title = "Four mistakes and none", .x_label = "step", .y_label = "training loss"};
  double without_bends = 0;
  for (const std::string name :
       {"none", "no bends", "all weights start at 0", "gradients never zeroed", "softmax twice"}) {
    Generator rng = same_start(lesson);
    Mlp net({.hidden = k.hidden, .bends = name != "no bends"}, rng);
    TrainOptions o = options_of(k, name);
    if (lesson.quick()) o.steps /= 4;
    if (name == "all weights start at 0")
      for (Variable& p : parameters(net)) p.set_value(Tensor::zeros(p.shape()));
    if (name == "gradients never zeroed") o.mistake = Mistake::keeps_gradients;
    if (name == "softmax twice") o.mistake = Mistake::softmax_twice;
    History h = train(net, d.train, d.valid, o, rng);
    Score test = score(model_of(net), d.test);
    if (name == "no bends") without_bends = test.percent;
    panel.rows.push_back(
        {name, fmt::format("{:.3f}", h.seen), fmt::format("{:.3f}", h.train.back().loss), percent(test.percent)});
    curves.series.push_back(losses(name, h, h.train));
  }
  show(lesson, panel);
  lesson.report().curves(curves);
  return without_bends;
}

// ---- 5  few examples ------------------------------------------------------------------------------------------------
struct Gaps {
  double few = 0, all = 0;  // points of accuracy by which the training set looks better than the test set
};
Gaps few_examples(app::Lesson& lesson, const Knobs& k, const Data& d) {
  heading("5  Few examples: the same network, and how many points it may learn from");
  report::TablePanel panel{
      .title = "How many examples?",
      .text =
          "Best step: where the validation loss was smallest. At step 0 the network knows "
          "nothing.",
      .header = {"examples", "training", "test", "gap", "best step", "validation loss", "at the end"}};
  report::CurvesPanel sizes{.title = "Accuracy by number of examples",
                            .x_label = "examples",
                            .y_label = "right, %",
                            .series = {{"training"}, {"test"}},
                            .log_x = true};
  std::vector<int64_t> counts = lesson.quick() ? std::vector<int64_t>{k.few, d.train.count()}
                                               : std::vector<int64_t>{k.few, 50, 100, 200, 500, d.train.count()};
  Gaps gaps;
  for (int64_t count : counts) {
    Generator rng = same_start(lesson);
    Mlp net({.hidden = k.hidden}, rng);
    Points some{d.train.x.slice(0, 0, count), d.train.y.slice(0, 0, count)};
    History h = train(net, some, d.valid, options_of(k, fmt::format("{} examples", count)), rng);
    Score learned = score(model_of(net), some), test = score(model_of(net), d.test);
    (count == k.few ? gaps.few : gaps.all) = learned.percent - test.percent;
    auto best = static_cast<size_t>(h.best);
    panel.rows.push_back({std::to_string(count), percent(learned.percent), percent(test.percent),
                          fmt::format("{:.1f}", learned.percent - test.percent), fmt::format("{:g}", h.steps[best]),
                          fmt::format("{:.2f}", h.valid[best].loss), fmt::format("{:.2f}", h.valid.back().loss)});
    sizes.series[0].x.push_back(static_cast<double>(count)), sizes.series[0].y.push_back(learned.percent);
    sizes.series[1].x.push_back(static_cast<double>(count)), sizes.series[1].y.push_back(test.percent);
    if (count != k.few) continue;
    report::Series training = losses("training", h, h.train), validation = losses("validation", h, h.valid);
    show(report::plot({{"training", training.y}, {"validation", validation.y}},
                      {.console = console(),
                       .title = fmt::format("Loss with {} examples", count),
                       .height = 9,
                       .log_y = true,
                       .first = "step 0",
                       .last = fmt::format("step {}", k.steps)}));
    fmt::print("\n");
    lesson.report().curves({.title = "Overfitting: the losses with few examples",
                            .text = "The training loss falls, the validation loss rises: from here on it learns these "
                                    "points and not the spiral.",
                            .x_label = "step",
                            .y_label = "mean cross-entropy",
                            .series = {training, validation},
                            .log_y = true});
    report::ScatterPanel map =
        picture("What the network learns from few examples",
                "The points that it learned from. All are right, and the border is nonsense.", some);
    map.fields = {{"trained", field_of(model_of(net), 48, 48)}};
    lesson.report().scatter(map);
  }
  show(lesson, panel);
  lesson.report().curves(sizes);
  return gaps;
}

// ---- 6  choosing ----------------------------------------------------------------------------------------------------
void choosing(app::Lesson& lesson, const Knobs& k, const Data& d) {
  heading("6  Choosing the width: by the validation set; the test set is asked once, at the end");
  report::TablePanel panel{.title = "Which width?", .header = {"hidden units", "parameters", "training", "validation"}};
  double best = -1, asked = 0;
  int64_t chosen = 0;
  for (int64_t hidden : {int64_t{4}, int64_t{16}, k.hidden}) {
    Generator rng = same_start(lesson);
    Mlp net({.hidden = hidden}, rng);
    TrainOptions o = options_of(k, fmt::format("width {}", hidden));
    o.keep_best = true;
    train(net, d.train, d.valid, o, rng);
    Score learned = score(model_of(net), d.train), valid = score(model_of(net), d.valid);
    panel.rows.push_back({std::to_string(hidden), std::to_string(count_parameters(net)), percent(learned.percent),
                          percent(valid.percent)});
    if (valid.percent <= best) continue;
    best = valid.percent;
    chosen = hidden;
    asked = score(model_of(net), d.test).percent;  // of the winner only is this told
  }
  show(lesson, panel);
  fmt::print("\n   chosen: {} hidden units; of the test points, right: {}\n", chosen, percent(asked));
}

int lesson_05(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("05_network", "A network that learns: parameters, a module, a loop, three sets of examples");
  lesson.knob("hidden", &k.hidden, "units of each hidden layer").between(2, 512);
  lesson.knob("steps", &k.steps, "steps of training").between(100, 200000);
  lesson.knob("rate", &k.rate, "learning rate: how far a step goes").between(1e-4, 10);
  lesson.knob("few", &k.few, "examples of the network that learns by heart").between(4, 49);
  lesson.knob("turns", &k.turns, "turns of the spirals").between(0.25, 4);
  lesson.question(
      {"A network of 4482 numbers learns from 20 points until all 20 are right. Of 1000 new points from the "
       "same spirals it gets right",
       {"nearly all", "a little more than half", "nearly none"},
       2,
       "It drew a border around 20 points; between them it could only guess, and a guess is half right."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 6000);
  Generator rng(lesson.seed());
  lesson.report().text(
      "What this page shows",
      "A network is a function with many numbers in it. Learning means to change these numbers, step by "
      "step, against the gradient of a loss. Whether it has learned the rule or only the examples is "
      "seen on examples that it was not given.");
  Data d = make_data(k, rng);
  double line = straight_line(lesson, k, d), net = network(lesson, k, d), flat = mistakes(lesson, k, d);
  Gaps gaps = few_examples(lesson, k, d);
  if (!lesson.quick()) choosing(lesson, k, d);

  heading("Claims");
  lesson.claim({.name = "a line: of the test points, right, in %",
                .measured = line,
                .comparator = "<=",
                .threshold = 60,
                .control = "the network: " + percent(net)});
  lesson.claim({.name = "the network: of the test points, right, in %",
                .measured = net,
                .comparator = ">=",
                .threshold = 97,
                .control = "the same without bends: " + percent(flat)});
  lesson.claim({.name = fmt::format("{} examples: training minus test, in points", k.few),
                .measured = gaps.few,
                .comparator = ">=",
                .threshold = 25,
                .control = fmt::format("{} examples: {:.1f}", d.train.count(), gaps.all)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_05); }
