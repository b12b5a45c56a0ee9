// Lesson 06: optimisers. The gradient gives a direction; the optimiser decides how far each weight moves.
//
//   1  a narrow valley        a step that is short enough for the steep direction is too short for the flat one
//   2  rare words             SGD, momentum, Nesterov, Adagrad, RMSprop, Adam: steps to the same loss, each at its best
//                             learning rate
//   3  bias correction        Adam with it and without it
//   4  weight decay           inside the gradient (L2), and outside of it (AdamW)
//   5  gradient clipping      a loss with a cliff, where one step throws the weights far away
//   6  learning rate schedules
//
// w: the weights, g: dL/dw, lr: the learning rate, t: the step, from 1.
#include <fmt/format.h>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/warmup.h"
#include "tutorials/06_optimisers/adam.h"
#include "tutorials/06_optimisers/cliff.h"
#include "tutorials/06_optimisers/valley.h"
#include "tutorials/06_optimisers/words.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace optimisers;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  double curvature = 100, skew = 1, momentum = 0.9, limit = 1;
  std::int64_t words = 100;
};

std::string steps_text(std::int64_t steps, bool reached) { return fmt::format("{}{}", reached ? "" : "> ", steps); }

// ---- 1  a narrow valley ---------------------------------------------------------------------------------------------
void the_valley(app::Lesson& lesson, const Knobs& k) {
  constexpr std::int64_t kLimit = 1000;
  heading(
      fmt::format("1  A narrow valley with the curvatures 1 and {:g}: steps until the loss is a millionth of its start",
                  k.curvature));
  report::TablePanel table{.title = "Steps through the valley, each rule at its best learning rate",
                           .text =
                               "Steps until the loss is a millionth of its first value. The rotated valley is the same "
                               "function in other coordinates.",
                           .header = {"rule", "along the axes", "learning rate", "rotated by 45°", "learning rate"}};
  report::CurvesPanel panels[2];
  for (int turned : {0, 1}) {
    Valley valley{.curvature = k.curvature, .degrees = turned * 45.0};
    panels[turned] = {.title = turned ? "The same valley, rotated by 45 degrees" : "Paths through the valley",
                      .text = "From the start " + std::string(turned ? "at the lower left" : "at the left") +
                              " to the minimum at (0, 0): three rules at their best learning rates, at most 60 "
                              "steps. Lines connect points of equal loss. The two axes have different scales.",
                      .x_label = "first weight",
                      .y_label = "second weight",
                      .series = {contours(valley)}};
    std::size_t row = 0;
    for (const Rule& rule : all_rules(k.momentum)) {
      Path path = best_descent(valley, rule, lesson.quick() ? 13 : 41, kLimit);
      std::string steps = steps_text(std::min(path.steps, kLimit), path.steps < kLimit),
                  rate = fmt::format("{:.2g}", path.rate);
      if (!turned) table.rows.push_back({rule.name});
      table.rows[row].insert(table.rows[row].end(), {steps, rate});
      ++row;
      if (rule.name != "SGD" && rule.name != "momentum" && rule.name != "Adam")
        continue;  // the others jump from side to side
      path.x.resize(std::min<std::size_t>(path.x.size(), 60));
      path.y.resize(path.x.size());
      panels[turned].series.push_back({.name = rule.name, .y = path.y, .x = path.x});
    }
  }
  show(lesson, table);
  for (const auto& panel : panels) lesson.report().curves(panel);
}

// ---- 2  rare words --------------------------------------------------------------------------------------------------
void the_contest(app::Lesson& lesson, const Knobs& k) {
  struct Task {
    std::string name;
    TextOptions options;
  };
  std::vector<Task> tasks{{"sparse, Zipf", {.words = k.words, .skew = k.skew}},
                          {"dense, equal shares", {.words = k.words, .skew = 0, .sparse = false}},
                          {"sparse, equal shares", {.words = k.words, .skew = 0}},
                          {"dense, Zipf", {.words = k.words, .skew = k.skew, .sparse = false}}};
  std::vector<Rule> rules = all_rules(k.momentum);
  if (lesson.quick()) {
    tasks.resize(2);
    rules = {rules[0], rules[1], rules[5]};
  }
  heading(fmt::format("2  Rare words: which of {} words follows each word? Steps until the loss is 0.1", k.words));
  report::TablePanel table{.title = "Steps to a loss of 0.1, the best of eight learning rates",
                           .text =
                               "Learning rate in brackets. `sparse`: the weights of a word get a gradient only when it "
                               "occurs; `dense`: all weights get one at each step. `Zipf`: few words are frequent; "
                               "`equal shares`: all words are equally frequent.",
                           .header = {"rule"}};
  for (const Rule& rule : rules) table.rows.push_back({rule.name});
  std::vector<std::vector<double>> steps;  // [task][rule]
  report::CurvesPanel curves{
      .title = "Loss on sparse, Zipf-distributed words",
      .text =
          "Each rule at the best of eight learning rates; all start from the same weights and see the same batches.",
      .x_label = "step",
      .y_label = "loss over the whole text",
      .log_y = true};
  std::vector<report::Curve> drawn;
  nn::Progress progress(std::ssize(tasks) * std::ssize(rules), {.label = "rare words", .unit = "rules"});
  for (const Task& task : tasks) {
    table.header.push_back(task.name);
    Generator rng(lesson.seed());
    Text text = make_text(task.options, rng);
    steps.emplace_back();
    for (std::size_t r = 0; r < rules.size(); ++r) {
      Run run = best_run(text, rules[r], {.seed = lesson.seed()});
      steps.back().push_back(run.reached ? static_cast<double>(run.steps) : std::nan(""));
      table.rows[r].push_back(fmt::format("{} ({:g})", steps_text(run.steps, run.reached), run.rate));
      progress.step({.loss = run.losses.back(), .items = 1});
      if (steps.size() > 1) continue;
      curves.series.push_back({.name = rules[r].name, .y = run.losses});
      if (r == 0 || r == 1 || r + 1 == rules.size()) drawn.push_back({rules[r].name, run.losses});
    }
  }
  progress.finish();
  show(lesson, table);
  fmt::print("\n");
  show(report::plot(
      drawn,
      {.console = app::console(), .title = "loss on sparse, Zipf-distributed words", .height = 10, .log_y = true}));
  lesson.report().curves(curves);
  fmt::print("\n");
  double adam = steps[0].back(), dense = steps[1].back() / steps[1][0];
  lesson.claim({.name = "sparse words: Adam's steps divided by SGD's, to the same loss",
                .measured = adam / steps[0][0],
                .comparator = "<=",
                .threshold = 1.0 / 3,
                .control = fmt::format("dense words with equal shares: {:.2f}; sparse, momentum instead of SGD: {:.2f}",
                                       dense, adam / steps[0][1])});
}

// ---- 3  bias correction ---------------------------------------------------------------------------------------------
void the_correction(app::Lesson& lesson, const Knobs& k) {
  heading("3  Bias correction: Adam on the sparse words with and without the divisors 1 - b^t");
  report::TablePanel table{
      .title = "Adam with and without its bias correction",
      .text =
          "Steps until the loss is 0.1; in brackets the highest loss before that. Too long by: the largest factor that "
          "the correction removes. Warm-up 50: without the correction, but with 50 warm-up steps.",
      .header = {"b2", "rate", "too long by", "corrected", "without", "warm-up 50"}};
  report::CurvesPanel curves{
      .title = "Adam without its bias correction: b2 = 0.9999, learning rate 0.1",
      .text = "Without the correction the first steps are up to 21 times too long, and the loss rises.",
      .x_label = "step",
      .y_label = "loss",
      .log_y = true};
  Generator rng(lesson.seed());
  Text text = make_text({.words = k.words, .skew = k.skew}, rng);
  for (double beta2 : {0.99, 0.999, 0.9999})
    for (double rate : {0.02, 0.1}) {
      Rule adam = rule<nn::Adam>("Adam", rate, {.beta2 = beta2});
      Uncorrected without({.rate = rate, .beta2 = beta2}), warm({.rate = rate, .beta2 = beta2, .warmup = 50});
      double most = 0;
      for (int t = 1; t <= 1000; ++t) most = std::max(most, without(t) / rate);
      table.rows.push_back({fmt::format("{:g}", beta2), fmt::format("{:g}", rate), fmt::format("{:.1f}", most)});
      for (const nn::Schedule* schedule : {static_cast<nn::Schedule*>(nullptr), static_cast<nn::Schedule*>(&without),
                                           static_cast<nn::Schedule*>(&warm)}) {
        Run run = train(text, adam, rate, {.limit = 200, .seed = lesson.seed(), .schedule = schedule});
        double highest = *std::max_element(run.losses.begin(), run.losses.end());
        table.rows.back().push_back(fmt::format("{} ({:.1f})", steps_text(run.steps, run.reached), highest));
        if (beta2 != 0.9999 || rate != 0.1) continue;
        curves.series.push_back({.name = schedule == nullptr ? "corrected"
                                         : schedule == &warm ? "not corrected, warm-up"
                                                             : "not corrected",
                                 .y = run.losses});
      }
    }
  show(lesson, table);
  lesson.report().curves(curves);
}

// ---- 4  weight decay ------------------------------------------------------------------------------------------------
void the_decay(app::Lesson& lesson) {
  constexpr std::int64_t kSteps = 1000;
  heading("4  Weight decay: weights of 1, random gradients, 1000 steps, learning rate times decay = 0.001");
  double expected = std::pow(1 - 1e-3, kSteps);
  report::TablePanel table{.title = "What weight decay leaves of a weight of 1",
                           .header = {"size of the gradients", "Adam, decay in the gradient", "AdamW", "0.999^1000"}};
  report::BarsPanel bars{.title = "What weight decay leaves of a weight of 1",
                         .text =
                             "AdamW removes the same share of every weight. Decay inside the gradient is divided by "
                             "the size of the gradients: where they are large, the decay is lost.",
                         .x_label = "size of the random gradients",
                         .y_label = "mean weight after 1000 steps",
                         .labels = {"0.1", "1", "10"},
                         .series = {{.name = "Adam, decay in the gradient"}, {.name = "AdamW"}},
                         .threshold = expected};
  for (double noise : {0.1, 1.0, 10.0}) {
    double inside = left_of_weights<nn::Adam>(noise, kSteps, Generator(lesson.seed(), 1 << 10));
    double beside = left_of_weights<nn::AdamW>(noise, kSteps, Generator(lesson.seed(), 1 << 10));
    bars.series[0].values.push_back(inside);
    bars.series[1].values.push_back(beside);
    table.rows.push_back({fmt::format("{:g}", noise), fmt::format("{:.3f}", inside), fmt::format("{:.3f}", beside),
                          fmt::format("{:.3f}", expected)});
  }
  table.text = "The mean weight after 1000 steps.";
  show(table);
  lesson.report().bars(bars);
}

// ---- 5  gradient clipping -------------------------------------------------------------------------------------------
void the_cliff(app::Lesson& lesson, const Knobs& k) {
  const int starts = lesson.quick() ? 10 : 40;
  constexpr std::int64_t kUpdates = 300;
  heading(fmt::format("5  Gradient clipping: h <- tanh(w h + b), 20 times, must end at 0; SGD from {} starts", starts));
  struct Way {
    std::string name;
    double rate, limit;
    int arrived = 0;
    double farthest = 0;
  };
  std::vector<Way> ways{{fmt::format("clipped at {:g}", k.limit), 0.1, k.limit},
                        {"not clipped", 0.1, 0},
                        {"not clipped", 0.03, 0},
                        {"not clipped", 0.01, 0},
                        {fmt::format("clipped at {:g}", k.limit), 0.03, k.limit},
                        {fmt::format("clipped at {:g}", k.limit), 0.01, k.limit}};
  Fall shown[2];
  Generator rng(lesson.seed(), /*offset=*/7);
  for (int start = 0; start < starts; ++start) {
    double w = 1 + 1.5 * rng.uniform(), b = -0.8 + rng.uniform();
    Fall falls[2];
    for (std::size_t i = 0; i < ways.size(); ++i) {
      Fall fall = walk_cliff(w, b, ways[i].rate, ways[i].limit, kUpdates);
      ways[i].arrived += fall.arrived;
      ways[i].farthest = std::max(ways[i].farthest, fall.largest_step);
      if (i < 2) falls[i] = fall;
    }
    if (shown[1].w.empty() && !falls[1].arrived && falls[1].largest_step > 1) std::swap(shown, falls);
  }
  report::TablePanel table{.title = "From how many starts is the goal reached?",
                           .text = "The goal is a loss below 0.0001 within 300 steps of SGD.",
                           .header = {"gradient", "learning rate", "goal reached", "longest step"}};
  for (const Way& way : ways)
    table.rows.push_back({way.name, fmt::format("{:g}", way.rate), fmt::format("{} of {}", way.arrived, starts),
                          fmt::format("{:.3g}", way.farthest)});
  show(lesson, table);
  if (!shown[1].w.empty()) draw_fall(lesson.report(), shown[0], shown[1]);
  fmt::print("\n");
  lesson.claim(
      {.name = "share of the starts from which clipped SGD reaches the goal, learning rate 0.1",
       .measured = static_cast<double>(ways[0].arrived) / starts,
       .comparator = ">=",
       .threshold = 0.95,
       .control = fmt::format("not clipped: {:.2f}; at 0.03: {:.2f}, at 0.01: {:.2f}", ways[1].arrived / double(starts),
                              ways[2].arrived / double(starts), ways[3].arrived / double(starts))});
}

// ---- 6  learning rate schedules -------------------------------------------------------------------------------------
void the_rate(app::Lesson& lesson) {
  heading("6  Learning rate schedules over 20,000 steps, divided by their highest value");
  nn::Noam noam({.width = 512, .warmup = 4000});
  nn::WarmupLinear linear({.peak = 1, .warmup = 4000, .total = 20000});
  nn::WarmupCosine cosine({.peak = 1, .warmup = 4000, .total = 20000});
  nn::StepDecay steps({.peak = 1, .every = 5000, .factor = 0.5});
  nn::CosineRestarts restarts({.peak = 1, .period = 5000});
  const std::pair<const char*, const nn::Schedule*> all[] = {{"Noam", &noam},
                                                             {"warm-up, linear", &linear},
                                                             {"warm-up, cosine", &cosine},
                                                             {"halved every 5,000", &steps},
                                                             {"cosine, restarts", &restarts}};
  report::CurvesPanel curves{.title = "Five learning rate schedules",
                             .text = "Noam, linear and cosine have 4,000 warm-up steps.",
                             .x_label = "step",
                             .y_label = "learning rate / its highest value"};
  double peak = 0;
  std::int64_t at = 0;
  for (std::int64_t s = 1; s <= 100000; ++s)
    if (noam(s) > peak) peak = noam(at = s);
  for (const auto& [name, schedule] : all) {
    report::Series series{.name = name};
    std::vector<double> coarse;
    for (std::int64_t s = 100; s <= 20000; s += 100) {
      series.x.push_back(static_cast<double>(s));
      series.y.push_back((*schedule)(s) / (schedule == &noam ? peak : 1));
      if (s % 400 == 0) coarse.push_back(series.y.back());
    }
    app::tell("   {:<18} {}\n", name, report::sparkline(coarse, app::console()));
    curves.series.push_back(series);
  }
  lesson.report().curves(curves);
  app::tell("\n   Noam for width 512 and 4000 warm-up steps: highest at step {}, where it is {:.5g}\n\n", at, peak);
  lesson.claim(
      {.name = "Noam's highest value: relative difference from 6.9877e-4, at step 4000",
       .measured = at == 4000 ? std::fabs(peak / 6.9877e-4 - 1) : std::nan(""),
       .comparator = "<=",
       .threshold = 1e-5,
       .control = fmt::format("width 1024: {:.2f}", std::fabs(nn::Noam({.width = 1024})(4000) / 6.9877e-4 - 1))});
}

int lesson_06(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("06_optimisers", "Optimisers: SGD, momentum, Adam, AdamW, gradient clipping, warm-up");
  lesson.knob("curvature", &k.curvature, "the steep curvature of the valley; the flat one is 1").between(1, 10000);
  lesson.knob("words", &k.words, "different words in the text").between(10, 400);
  lesson.knob("skew", &k.skew, "s: word number k has a share of the text proportional to k^-s; 0: equal shares")
      .between(0, 2);
  lesson.knob("momentum", &k.momentum, "the factor mu of momentum and Nesterov").between(0.01, 0.99);
  lesson.knob("limit", &k.limit, "the norm at which gradients are clipped in part 5").above(0);
  lesson.question(
      {"A network learns which of 100 words follows which; only few of the words are frequent. Adam and SGD "
       "each get the best of eight learning rates. To reach the same loss, Adam needs",
       {"as many steps as SGD", "about half as many", "less than a third"},
       3,
       "The weights of a rare word seldom get a gradient. SGD has one learning rate for all weights, and the "
       "frequent words limit it; Adam divides each weight's step by the size of its gradients."});
  lesson.start(argc, argv);
  lesson.report().text("What this page shows",
                       "The gradient gives a direction, not a distance. The page shows where one learning rate for all "
                       "weights fails (a narrow valley, rare words), what each optimiser does about it, and three "
                       "faults: no bias correction, weight decay in the wrong place, gradients that are not clipped.");
  fmt::print("\n");
  app::item("",
            "Six optimisers minimise the same losses, each at its best learning rate, and we count their steps. Then "
            "three parts of training are switched off one by one: bias correction, decoupled weight decay, clipping.");
  the_valley(lesson, k);
  the_contest(lesson, k);
  the_correction(lesson, k);
  the_decay(lesson);
  the_cliff(lesson, k);
  the_rate(lesson);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_06); }
