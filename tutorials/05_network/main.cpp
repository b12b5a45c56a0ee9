// Lesson 05: a network that learns. Parameters, a module, the training loop, and three sets of examples.
//
//   1  the data        two spirals; training set, validation set and test set
//   2  a line          x W^T + b, the best straight border, and why it is not enough
//   3  a network       three layers with ReLU between them, 4482 parameters, and a loop of five steps
//   4  mistakes        four that give no error message
//   5  few examples    a network that memorises twenty points
//   6  choosing        the width is chosen on the validation set; the test set is used once
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
// Every network below starts from the same random numbers and receives the examples in the same order.
Generator same_start(const app::Lesson& lesson) { return Generator(lesson.seed(), /*offset=*/1 << 20); }

// ---- 1  the data ----------------------------------------------------------------------------------------------------
Data make_data(const Knobs& k, Generator& rng) {
  SpiralOptions o{.turns = k.turns};
  Data d{spiral(1000, o, rng), spiral(500, o, rng), spiral(1000, o, rng)};
  heading(fmt::format("1  The data: two spirals of {:g} turns", k.turns));
  app::tell("   {} points for training, {} for validation, {} for the test\n", d.train.count(), d.valid.count(),
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
  app::tell("   Test points right: {}   (chance: 50 %)\n", percent(test.percent));
  report::ScatterPanel panel =
      picture("The best that a straight line can do",
              "The test points. The background colour is the predicted probability of class 1.", d.test);
  panel.fields = {{"trained", field_of(model_of(line), 48, 48)}};
  lesson.report().scatter(panel);
  return test.percent;
}

// ---- 3  a network ---------------------------------------------------------------------------------------------------
double network(app::Lesson& lesson, const Knobs& k, const Data& d) {
  Generator rng = same_start(lesson);
  Mlp net({.hidden = k.hidden}, rng);
  heading(
      fmt::format("3  A network: three linear layers with ReLU between them, {} parameters", count_parameters(net)));
  report::TablePanel panel{.title = "The parameters of the network",
                           .text = "`weight` and `bias` of each linear layer.",
                           .header = {"name", "shape", "count"}};
  for (const NamedVariable& p : named_parameters(net))
    panel.rows.push_back({p.name, to_string(p.variable.shape()), std::to_string(p.variable.count())});
  show(lesson, panel);

  report::ScatterPanel map = picture("What the network has learned",
                                     "The test points, which were not used for training. The background colour is the "
                                     "predicted probability of class 1; the slider moves through the training.",
                                     d.test);
  History h = train(net, d.train, d.valid, options_of(k, "the network"), rng, [&](int64_t step) {
    if (step * 10 >= 6 * k.steps && step != k.steps) return;  // most changes happen in the early steps
    map.fields.push_back({fmt::format("step {}", step), field_of(model_of(net), 48, 48)});
  });
  Score test = score(model_of(net), d.test);
  app::tell("\n   Training loss {:.3f} -> {:.4f} in {} steps. Test points right: {}\n\n", h.train.front().loss,
            h.train.back().loss, k.steps, percent(test.percent));
  show_field(model_of(net));
  std::vector<report::Field> kept;  // eight
  for (size_t i = 0; i < 8 && !map.fields.empty(); ++i) kept.push_back(map.fields[i * (map.fields.size() - 1) / 7]);
  map.fields = kept;
  lesson.report().scatter(map);
  lesson.report().curves({.title = "Loss of the network",
                          .text = "Training and validation loss fall together, so the network has not memorised its "
                                  "examples.",
                          .x_label = "step",
                          .y_label = "mean cross-entropy",
                          .series = {losses("training", h, h.train), losses("validation", h, h.valid)},
                          .log_y = true});
  return test.percent;
}

// ---- 4  mistakes ----------------------------------------------------------------------------------------------------
// Returns the test accuracy of the network without ReLU, which is the control of a claim.
double mistakes(app::Lesson& lesson, const Knobs& k, const Data& d) {
  heading("4  Four mistakes that give no error message, in the same network");
  report::TablePanel panel{.title = "Four mistakes",
                           .text =
                               "None of them stops the program; only the loss shows them. The loss in the loop is the "
                               "one that the wrong loop itself computes.",
                           .header = {"mistake", "loss in the loop", "training loss", "test points right"}};
  report::CurvesPanel curves{
      .title = "Four mistakes and none",
      .text = "The same network with the same initial parameters and the same order of examples.",
      .x_label = "step",
      .y_label = "training loss"};
  double without_relu = 0;
  for (const std::string name :
       {"none", "no ReLU", "all weights start at 0", "gradients never zeroed", "softmax twice"}) {
    Generator rng = same_start(lesson);
    Mlp net({.hidden = k.hidden, .nonlinear = name != "no ReLU"}, rng);
    TrainOptions o = options_of(k, name);
    if (lesson.quick()) o.steps /= 4;
    if (name == "all weights start at 0")
      for (Variable& p : parameters(net)) p.set_value(Tensor::zeros(p.shape()));
    if (name == "gradients never zeroed") o.mistake = Mistake::keeps_gradients;
    if (name == "softmax twice") o.mistake = Mistake::softmax_twice;
    History h = train(net, d.train, d.valid, o, rng);
    Score test = score(model_of(net), d.test);
    if (name == "no ReLU") without_relu = test.percent;
    panel.rows.push_back(
        {name, fmt::format("{:.3f}", h.seen), fmt::format("{:.3f}", h.train.back().loss), percent(test.percent)});
    curves.series.push_back(losses(name, h, h.train));
  }
  if (lesson.quick()) {  // too few steps for the network without a mistake, so the page leaves the comparison out
    show(panel);
    app::tell("\n   --quick trains for a quarter of the steps: even without a mistake it has not learned yet.\n");
    return without_relu;
  }
  show(lesson, panel);
  lesson.report().curves(curves);
  return without_relu;
}

// ---- 5  few examples ------------------------------------------------------------------------------------------------
struct Gaps {
  double few = 0, all = 0;  // training accuracy minus test accuracy, in percentage points
};
Gaps few_examples(app::Lesson& lesson, const Knobs& k, const Data& d) {
  heading("5  Few examples: the same network, trained with fewer points");
  report::TablePanel panel{
      .title = "How many examples?",
      .text =
          "Accuracy on the training and the test points, and their difference in percentage points. Best step: where "
          "the "
          "validation loss was smallest; at step 0 the network knows nothing.",
      .header = {"examples", "training", "test", "difference", "best step", "validation loss there", "at the end"}};
  report::CurvesPanel sizes{.title = "Accuracy by number of examples",
                            .x_label = "training examples",
                            .y_label = "accuracy, %",
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
                       .title = fmt::format("Loss of the network with {} training examples", count),
                       .height = 9,
                       .log_y = true,
                       .first = "step 0",
                       .last = fmt::format("step {}", k.steps)}));
    fmt::print("\n");
    lesson.report().curves({.title = "Overfitting: the losses with few examples",
                            .text = fmt::format("{} training examples. The training loss falls and the validation loss "
                                                "rises: the network memorises these points instead of learning the "
                                                "spirals.",
                                                count),
                            .x_label = "step",
                            .y_label = "mean cross-entropy",
                            .series = {training, validation},
                            .log_y = true});
    report::ScatterPanel map = picture(
        "What the network learns from few examples",
        fmt::format("The {} training points. All of them are right, but the border does not follow the spirals.",
                    count),
        some);
    map.fields = {{"trained", field_of(model_of(net), 48, 48)}};
    lesson.report().scatter(map);
  }
  show(lesson, panel);
  lesson.report().curves(sizes);
  return gaps;
}

// ---- 6  choosing ----------------------------------------------------------------------------------------------------
void choosing(app::Lesson& lesson, const Knobs& k, const Data& d) {
  heading("6  Choosing the width on the validation set; the test set is used once, at the end");
  report::TablePanel panel{.title = "Which width?",
                           .text =
                               "Accuracy on the training and the validation points, with early stopping. The width "
                               "with the best validation accuracy is chosen.",
                           .header = {"hidden units", "parameters", "training", "validation"}};
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
    asked = score(model_of(net), d.test).percent;  // reported for the chosen width only
  }
  show(lesson, panel);
  app::tell("\n   Chosen: {} hidden units. Test points right: {}\n", chosen, percent(asked));
}

int lesson_05(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("05_network", "A network that learns: parameters, a module, a loop, three sets of examples");
  lesson.knob("hidden", &k.hidden, "units of each hidden layer").between(2, 512);
  lesson.knob("steps", &k.steps, "steps of training").between(100, 200000);
  lesson.knob("rate", &k.rate, "learning rate: the length of a step").between(1e-4, 10);
  lesson.knob("few", &k.few, "training examples of the network that memorises").between(4, 49);
  lesson.knob("turns", &k.turns, "turns of the spirals").between(0.25, 4);
  lesson.question(
      {"A network with 4482 parameters is trained with 20 points until it gets all 20 right. How many of 1000 new "
       "points "
       "from the same spirals does it get right?",
       {"nearly all", "a little more than half", "nearly none"},
       2,
       "It memorised 20 points. Between them it can only guess, and with two classes half of all guesses are right."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 6000);
  Generator rng(lesson.seed());
  lesson.report().text(
      "What this page shows",
      "A network is a function with many parameters. Training changes them step by step against the gradient of a "
      "loss. "
      "Whether the network has learned the rule or only its examples is measured with examples that it was not given.");
  app::tell(
      "\nA straight line and then a network learn to tell two spirals apart. Then we plant four mistakes, train\n"
      "with fewer and fewer examples, and choose the width of the network.\n");
  Data d = make_data(k, rng);
  double line = straight_line(lesson, k, d), net = network(lesson, k, d), flat = mistakes(lesson, k, d);
  Gaps gaps = few_examples(lesson, k, d);
  if (!lesson.quick()) choosing(lesson, k, d);

  heading("Claims");
  lesson.claim({.name = "a line: test points right, in %",
                .measured = line,
                .comparator = "<=",
                .threshold = 60,
                .control = "the network: " + percent(net)});
  lesson.claim({.name = "the network: test points right, in %",
                .measured = net,
                .comparator = ">=",
                .threshold = 97,
                .control = "without ReLU: " + percent(flat)});
  lesson.claim({.name = fmt::format("{} examples: training minus test accuracy, in percentage points", k.few),
                .measured = gaps.few,
                .comparator = ">=",
                .threshold = 25,
                .control = fmt::format("{} examples: {:.1f}", d.train.count(), gaps.all)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_05); }
