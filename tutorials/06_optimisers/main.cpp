// Lesson 06: optimisers. The gradient says where down is; how far to go is another question.
//
//   1  the valley      a step that is small enough for the steep direction is too small for the flat one
//   2  the contest     SGD, momentum, Nesterov, Adagrad, RMSprop, Adam: steps to the same loss, each at its best rate
//   3  the correction  Adam without its bias correction, broken and mended
//   4  the decay       weight decay inside Adam, and beside it (AdamW)
//   5  the cliff       one step that throws the weights away, and clipping
//   6  the rate        schedules: warm-up and what comes after
//
// w: the weights, g: dL/dw, lr: the learning rate, t: the step, from 1.
#include <fmt/format.h>

#include "nn/optim/cosine.h"
#include "nn/optim/decay.h"
#include "nn/optim/warmup.h"
#include "tutorials/06_optimisers/cliff.h"
#include "tutorials/06_optimisers/cliff_picture.h"
#include "tutorials/06_optimisers/decay.h"
#include "tutorials/06_optimisers/uncorrected.h"
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

// ---- 1  the valley --------------------------------------------------------------------------------------------------
void the_valley(app::Lesson& lesson, const Knobs& k) {
  constexpr std::int64_t kLimit = 1000;
  heading(fmt::format("1  The valley: curvatures 1 and {:g}; steps until L is a millionth of its start", k.curvature));
  report::TablePanel table{.title = "Steps through the valley, each rule at its best rate",
                           .text = "Turned by 45 degrees it is the same valley, seen in other coordinates.",
                           .header = {"rule", "along the axes", "rate", "turned by 45", "rate"}};
  report::CurvesPanel panels[2];
  for (int turned : {0, 1}) {
    Valley valley{.curvature = k.curvature, .degrees = turned * 45.0};
    panels[turned] = {.title = turned ? "The same valley, turned by 45 degrees" : "Paths through the valley",
                      .text = "From the start, " + std::string(turned ? "at the lower left" : "at the left") +
                              ", to 0, 0; three rules at their best rates, at most 60 steps. The axes differ "
                              "in scale.",
                      .x_label = "x",
                      .y_label = "y",
                      .series = {contours(valley)}};
    std::size_t row = 0;
    for (const Rule& rule : all_rules(k.momentum)) {
      Path path = best_descent(valley, rule, lesson.quick() ? 13 : 41, kLimit);
      std::string steps = steps_text(std::min(path.steps, kLimit), path.steps < kLimit),
                  rate = fmt::format("{:.2g}", path.rate);
      if (!turned) table.rows.push_back({rule.name});
      table.rows[row].insert(table.rows[row].end(), {steps, rate});
      ++row;
      if (rule.name != "SGD" && rule.name != "momentum" && rule.name != "Adam") continue;  // the others leap about
      path.x.resize(std::min<std::size_t>(path.x.size(), 60));
      path.y.resize(path.x.size());
      panels[turned].series.push_back({.name = rule.name, .y = path.y, .x = path.x});
    }
  }
  show(lesson, table);
  for (const auto& panel : panels) lesson.report().curves(panel);
}

// ---- 2  the contest -------------------------------------------------------------------------------------------------
void the_contest(app::Lesson& lesson, const Knobs& k) {
  struct Task {
    std::string name;
    TextOptions options;
  };
  std::vector<Task> tasks{{"sparse, Zipf", {.words = k.words, .skew = k.skew}},
                          {"dense, even", {.words = k.words, .skew = 0, .sparse = false}},
                          {"sparse, even", {.words = k.words, .skew = 0}},
                          {"dense, Zipf", {.words = k.words, .skew = k.skew, .sparse = false}}};
  std::vector<Rule> rules = all_rules(k.momentum);
  if (lesson.quick()) {
    tasks.resize(2);
    rules = {rules[0], rules[1], rules[5]};
  }
  heading(fmt::format("2  The contest: which of {} words follows? Steps to a loss of 0.1", k.words));
  report::TablePanel table{.title = "Steps to a loss of 0.1, the best of eight learning rates",
                           .text =
                               "In brackets the rate. `sparse`: a word's own weights move only when it occurs; "
                               "`dense`: all move in each step. `Zipf`: few words are frequent; `even`: all equally.",
                           .header = {"rule"}};
  for (const Rule& rule : rules) table.rows.push_back({rule.name});
  std::vector<std::vector<double>> steps;  // [task][rule]
  report::CurvesPanel curves{
      .title = "Loss on sparse, Zipf-distributed words",
      .text = "Each rule at the best of eight learning rates, the same first weights and batches.",
      .x_label = "step",
      .y_label = "loss over the whole text",
      .log_y = true};
  std::vector<report::Curve> drawn;
  nn::Progress progress(std::ssize(tasks) * std::ssize(rules), {.label = "contest", .unit = "rules"});
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
  show(report::plot(drawn, {.console = app::console(), .title = "loss, sparse and Zipf", .height = 10, .log_y = true}));
  lesson.report().curves(curves);
  fmt::print("\n");
  double adam = steps[0].back(), dense = steps[1].back() / steps[1][0];
  lesson.claim(
      {.name = "Adam's steps / SGD's steps to the same loss, sparse words",
       .measured = adam / steps[0][0],
       .comparator = "<=",
       .threshold = 1.0 / 3,
       .control = fmt::format("dense, even words {:.2f}; momentum for SGD {:.2f}", dense, adam / steps[0][1])});
}

// ---- 3  the correction ----------------------------------------------------------------------------------------------
void the_correction(app::Lesson& lesson, const Knobs& k) {
  heading("3  The correction: Adam on the sparse words without 1 - b^t, at two rates");
  report::TablePanel table{.title = "Adam with and without its bias correction",
                           .text = "Steps to a loss of 0.1; in brackets the highest loss on the way.",
                           .header = {"b2", "rate", "step too large by", "corrected", "without", "and warm-up 50"}};
  report::CurvesPanel curves{.title = "Adam without its bias correction: b2 = 0.9999, rate 0.1",
                             .text = "The first steps are up to 21 times too large.",
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
                                         : schedule == &warm ? "without, warm-up"
                                                             : "without",
                                 .y = run.losses});
      }
    }
  show(lesson, table);
  lesson.report().curves(curves);
}

// ---- 4  the decay ---------------------------------------------------------------------------------------------------
void the_decay(app::Lesson& lesson) {
  constexpr std::int64_t kSteps = 1000;
  heading("4  The decay: weights of 1, gradients of noise, 1000 steps, lr decay = 0.001");
  double expected = std::pow(1 - 1e-3, kSteps);
  report::TablePanel table{.title = "What weight decay leaves of a weight of 1",
                           .header = {"size of the noise", "Adam, decay in the gradient", "AdamW", "0.999^1000"}};
  report::BarsPanel bars{.title = "What weight decay leaves of a weight of 1",
                         .text =
                             "AdamW takes the same share of every weight. Decay inside the gradient is divided by "
                             "the size of that gradient: where it is large, the decay is lost.",
                         .x_label = "size of the gradient's noise",
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
  show(report::table(table.header, table.rows, app::console()));
  lesson.report().bars(bars);
}

// ---- 5  the cliff ---------------------------------------------------------------------------------------------------
void the_cliff(app::Lesson& lesson, const Knobs& k) {
  const int starts = lesson.quick() ? 10 : 40;
  constexpr std::int64_t kUpdates = 300;
  heading(fmt::format("5  The cliff: h <- tanh(w h + b), 20 times, is to end at 0; SGD from {} starts", starts));
  struct Way {
    std::string name;
    double rate, limit;
    int arrived = 0;
    double farthest = 0;
  };
  std::vector<Way> ways{{fmt::format("clipped at {:g}", k.limit), 0.1, k.limit},
                        {"as it comes", 0.1, 0},
                        {"as it comes", 0.03, 0},
                        {"as it comes", 0.01, 0},
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
                           .text = "Loss below 0.0001 within 300 updates.",
                           .header = {"gradient", "rate", "arrived", "longest step"}};
  for (const Way& way : ways)
    table.rows.push_back({way.name, fmt::format("{:g}", way.rate), fmt::format("{} of {}", way.arrived, starts),
                          fmt::format("{:.3g}", way.farthest)});
  show(lesson, table);
  if (!shown[1].w.empty()) draw_fall(lesson.report(), shown[0], shown[1]);
  fmt::print("\n");
  lesson.claim(
      {.name = "share of the starts from which clipped SGD arrives, rate 0.1",
       .measured = static_cast<double>(ways[0].arrived) / starts,
       .comparator = ">=",
       .threshold = 0.95,
       .control = fmt::format("as it comes {:.2f}; at 0.03 {:.2f}, at 0.01 {:.2f}", ways[1].arrived / double(starts),
                              ways[2].arrived / double(starts), ways[3].arrived / double(starts))});
}

// ---- 6  the rate ----------------------------------------------------------------------------------------------------
void the_rate(app::Lesson& lesson) {
  heading("6  The rate: schedules over 20,000 steps, as shares of their highest rate");
  nn::Noam noam({.width = 512, .warmup = 4000});
  nn::WarmupLinear linear({.peak = 1, .warmup = 4000, .total = 20000});
  nn::WarmupCosine cosine({.peak = 1, .warmup = 4000, .total = 20000});
  nn::StepDecay steps({.peak = 1, .every = 5000, .factor = 0.5});
  nn::CosineRestarts restarts({.peak = 1, .period = 5000});
  const std::pair<const char*, const nn::Schedule*> all[] = {{"Noam", &noam},
                                                             {"warm-up, line", &linear},
                                                             {"warm-up, cosine", &cosine},
                                                             {"halved every 5000", &steps},
                                                             {"cosine, restarts", &restarts}};
  report::CurvesPanel curves{.title = "Schedules", .x_label = "step", .y_label = "rate / highest rate"};
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
    fmt::print("   {:<18} {}\n", name, report::sparkline(coarse, app::console()));
    curves.series.push_back(series);
  }
  lesson.report().curves(curves);
  fmt::print("\n   Noam for width 512 and warm-up 4000: highest at step {}, {:.5g}\n\n", at, peak);
  lesson.claim(
      {.name = "relative distance of Noam's peak from 6.9877e-4, at step 4000",
       .measured = at == 4000 ? std::fabs(peak / 6.9877e-4 - 1) : std::nan(""),
       .comparator = "<=",
       .threshold = 1e-5,
       .control = fmt::format("width 1024: {:.2f}", std::fabs(nn::Noam({.width = 1024})(4000) / 6.9877e-4 - 1))});
}

int lesson_06(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("06_optimisers", "Optimisers: SGD to AdamW, clipping, warm-up");
  lesson.knob("curvature", &k.curvature, "the steep curvature of the valley; the flat one is 1").between(1, 10000);
  lesson.knob("words", &k.words, "words in the contest").between(10, 400);
  lesson.knob("skew", &k.skew, "s: word k has a share like k^-s").between(0, 2);
  lesson.knob("momentum", &k.momentum, "of momentum and Nesterov").between(0.01, 0.99);
  lesson.knob("limit", &k.limit, "the norm at which gradients are clipped on the cliff").above(0);
  lesson.question(
      {"A hundred words, few of them frequent; a network learns which follows which. Adam and SGD each get "
       "the best of eight learning rates. To the same loss Adam needs",
       {"as many steps as SGD", "about half as many", "less than a third"},
       3,
       "A rare word gives its weights a small mean gradient. SGD has one rate for all, and the frequent "
       "words limit it; Adam divides by the size of each weight's gradient."});
  lesson.start(argc, argv);
  lesson.report().text("What this page shows",
                       "The gradient says where down is, not how far to go. The page shows where one step for all "
                       "directions fails (a narrow valley, rare words), what each rule does about it, and three ways "
                       "to break training: no bias correction, decay in the wrong place, a cliff.");
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
