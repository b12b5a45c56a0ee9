// Lesson 16: hard and soft attention. Reading one position, or the weighted mean of all: how is a choice learned?
//
//   1  estimator   a choice has no derivative; the score-function estimator against the sum over all choices
//   2  variance    right on average, but different in each draw: what a baseline changes, before and after training
//   3  captions    five models describe pictures of 8 x 8 patches
//   4  weights     the attention weights before each word
//
// B pictures, S = 64 patches, T words; z: the drawn patch; b: the baseline.
#include "tutorials/common/main.h"

#include "tutorials/16_hard_and_soft/estimator.h"
#include "tutorials/16_hard_and_soft/pictures.h"

using namespace hard_soft;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t shapes = 2, steps = 2500;
  double rate = 3e-3, entropy = 0.002, half = 0;
};

struct Kind {
  std::string name, reading;
  bool baseline = true;
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"soft", "soft"},
                                     {"hard, REINFORCE", "reinforce"},
                                     {"hard, REINFORCE without baseline", "reinforce", false},
                                     {"hard, Gumbel straight-through", "gumbel"},
                                     {"mean of all patches", "uniform"}};
  return all;
}

Captioner make_captioner(const std::string& reading, const data::PictureTask& task, const Knobs& k, uint64_t seed) {
  Generator rng(seed);
  auto channels = static_cast<int64_t>(data::picture_colours().size() + data::picture_forms().size());
  return Captioner(
      {.vocabulary = task.words.size(), .channels = channels, .reading = reading, .sometimes_soft = k.half}, rng);
}

std::string percent(double value) { return fmt::format("{:.0f} %", value); }

// ---- 1  estimator ---------------------------------------------------------------------------------------------------
struct Trial {
  double worst = 0,
         forgotten = 0;  // largest difference from the gradient: of the estimator, and without the score term
};

Trial the_estimator(app::Lesson& lesson, const data::PictureTask& task, const Knobs& k) {
  heading("1  Estimator: 4 patches, 3 words, all 64 sequences of draws");
  Knobs hard = k;
  hard.half = 0;
  SmallCase small(task);
  Captioner m = make_captioner("reinforce", task, hard, lesson.seed());
  Captioner straight = make_captioner("gumbel", task, hard, lesson.seed());  // the same first parameters
  nn::convert(m, DType::f64);
  nn::convert(straight, DType::f64);
  std::vector<Variable> all = nn::parameters(m);
  Gradient exact = exact_gradient(m, small, all);
  Trial trial;
  report::TablePanel table{
      .title = "The mean of the estimator against the gradient",
      .text =
          "All parameters of an untrained captioner, in 64 bits. The gradient of E[log p] is "
          "compared with the estimate for each of the 64 sequences of draws times its probability.",
      .header = {"estimator", "largest difference"}};
  for (double b : {0.0, -9.0, 5.0}) {
    double off = largest_difference(expected_estimate(m, small, all, {.baseline = b}), exact);
    trial.worst = std::max(trial.worst, off);
    table.rows.push_back({fmt::format("b = {:g}", b), fmt::format("{:.1e}", off)});
  }
  trial.forgotten = largest_difference(expected_estimate(m, small, all, {.score_term = false}), exact);
  table.rows.push_back({"without d log p(z)", fmt::format("{:.1e}", trial.forgotten)});
  show(lesson, table);

  std::vector<Variable> by = nn::parameters(m.attention);
  Gradient wanted = exact_gradient(m, small, by);
  report::TablePanel draws{.title = "The mean of many random draws",
                           .text =
                               "For the parameters of the attention: the length of the error divided by the length of "
                               "the true gradient.",
                           .header = {"draws", "REINFORCE", "Gumbel straight-through"}};
  for (int64_t n : {100, 1000, lesson.quick() ? 5000 : 20000}) {
    auto off = [&](Captioner& of) {
      Gradient drawn = drawn_estimate(of, small, nn::parameters(of.attention), -9, n);
      return fmt::format("{:.2f}", length(plus(drawn, wanted, -1)) / length(wanted));
    };
    draws.rows.push_back({std::to_string(n), off(m), off(straight)});
  }
  app::tell("\n   and with random draws, as in training (error divided by the length of the gradient):\n\n");
  show(lesson, draws);
  return trial;
}

// ---- 2  variance ----------------------------------------------------------------------------------------------------
void the_variance(app::Lesson& lesson, const Variances& before, const Variances& after) {
  heading("2  Variance of one estimate: the gradient of the attention, summed over its parameters");
  report::TablePanel table{
      .title = "Variance of the gradient with different baselines",
      .text =
          "The baseline b is 0, the mean reward of many pictures (as the moving mean of training), "
          "or the mean reward of the same picture. 16 pictures, 24 draws each. Reduction: the "
          "variance with b = 0 divided by that with the moving mean.",
      .header = {"captioner", "mean log p", "b = 0", "moving mean", "same picture", "reduction"}};
  for (const auto& [name, v] : {std::pair{"untrained", &before}, {"trained", &after}})
    table.rows.push_back({name, fmt::format("{:.2f}", v->reward), fmt::format("{:.3g}", v->none),
                          fmt::format("{:.3g}", v->moving), fmt::format("{:.3g}", v->own),
                          fmt::format("{:.2g}", v->none / v->moving)});
  show(lesson, table);
}

// ---- 3  captions ----------------------------------------------------------------------------------------------------
// The steps of --quick are too few for REINFORCE to learn anything worth showing.
bool too_short(const app::Lesson& lesson, const Outcome& o) { return lesson.quick() && o.name == "hard, REINFORCE"; }

void the_captions(app::Lesson& lesson, const std::vector<Outcome>& outcomes, const Knobs& k) {
  heading(fmt::format("3  Captions: 400 new pictures with {} shapes each", k.shapes));
  report::TablePanel table{
      .title = "Captions of new pictures",
      .text = fmt::format(
          "Captions: completely right. Words: colour and form words at the right position. Weight: on the shape that a "
          "correct word describes. Other picture: captions right if the model sees another picture (control).{}",
          lesson.quick() ? " The steps of --quick are too few for REINFORCE, which is left out." : ""),
      .header = {"attention", "captions", "words", "weight", "other picture"}};
  report::CurvesPanel curves{.title = "Loss during training",
                             .text = "-log p(y | z) of a caption, mean of 50 batches.",
                             .x_label = "training step",
                             .y_label = "loss per caption, nats"};
  for (const Outcome& o : outcomes) {
    if (too_short(lesson, o)) continue;
    table.rows.push_back({o.name, percent(o.captions.exact), percent(o.captions.words), percent(o.captions.looked),
                          percent(o.shuffled.exact)});
    report::Series series{.name = o.name};
    for (size_t at = 0; at + 50 <= o.losses.size(); at += 50) {
      series.y.push_back(std::accumulate(o.losses.begin() + static_cast<std::ptrdiff_t>(at),
                                         o.losses.begin() + static_cast<std::ptrdiff_t>(at + 50), 0.0) /
                         50);
      series.x.push_back(static_cast<double>(at + 50));
    }
    curves.series.push_back(series);
  }
  show(lesson, table);
  lesson.report().curves(curves);
}

int lesson_16(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("16_hard_and_soft", "Hard and soft attention: how is a choice learned?");
  lesson.knob("shapes", &k.shapes, "shapes of a test picture; training pictures have 1 up to this number")
      .between(1, 3);
  lesson.knob("steps", &k.steps, "training steps, 32 pictures each").between(100, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.knob("entropy", &k.entropy, "REINFORCE: factor of the entropy term").between(0, 1);
  lesson.knob("half", &k.half, "REINFORCE: share of readings that are soft during training").between(0, 1);
  lesson.question(
      {"A captioner reads one patch before each word, drawn according to its attention weights. Afterwards it gets "
       "a reward for the whole caption: log p, about -13 at first. If 13 is added to every reward, the mean of the "
       "estimated gradient is",
       {"the same, and single draws vary much less", "13 times smaller", "wrong, because the reward is not log p"},
       1,
       "The mean of the gradient of log p(z) is 0, so a constant does not change the mean. In a single draw, the "
       "reward multiplies that gradient."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 600);
  app::tell(
      "\n   First, the estimator for hard attention is checked against the exact gradient. Then models with soft, "
      "hard\n"
      "   and no attention learn to describe small pictures of coloured shapes.\n");
  lesson.report().text("What this page shows",
                       "A network describes pictures. Before each word it reads the weighted mean of all patches (soft "
                       "attention) or one patch, drawn according to the weights (hard attention). The weighted mean "
                       "has a derivative. A draw has none; its gradient is estimated from how good the caption was.");
  data::PictureTask task = data::picture_task({.shapes = {1, k.shapes},
                                               .held_out_shapes = {k.shapes, k.shapes},
                                               .parts = {.train = 5000, .validation = 10, .test = 400}});

  Trial trial = the_estimator(lesson, task, k);

  std::vector<Outcome> outcomes;
  std::vector<Captioner> models;
  Variances before, after;
  for (const Kind& kind : kinds()) {
    if (lesson.quick() && (!kind.baseline || kind.reading == "gumbel")) continue;
    models.push_back(make_captioner(kind.reading, task, k, lesson.seed()));
    bool watched = kind.reading == "reinforce" && kind.baseline;
    if (watched) before = measure_variance(models.back(), task, 16, 24);
    outcomes.push_back(learn(
        models.back(), kind.name, task,
        {.steps = k.steps, .rate = k.rate, .baseline = kind.baseline, .entropy = k.entropy, .seed = lesson.seed()}));
    if (watched) after = measure_variance(models.back(), task, 16, 24);
  }
  the_variance(lesson, before, after);
  the_captions(lesson, outcomes, k);

  heading("4  Weights: a new picture, and the attention weights before each word");
  report::PicturePanel panel{.title = "Attention before each word",
                             .text =
                                 "A picture that is not in the training data. Each copy shows the attention weights "
                                 "before one word of the caption."};
  for (size_t which : {size_t{0}, size_t{1}})
    for (size_t i = 0; i < models.size(); ++i)
      if (!too_short(lesson, outcomes[i]))
        panel.readings.push_back(read_picture(models[i], fmt::format("{}, picture {}", outcomes[i].name, which + 1),
                                              task, task.test[which]));
  for (size_t i : {size_t{0}, size_t{1}}) {
    app::tell("   {}{}\n\n", i > 0 ? "\n   " : "", panel.readings[i].name);
    print_reading(panel.readings[i]);
  }
  lesson.report().picture(panel);

  heading("Claims");
  const Outcome &soft = outcomes[0], &hard = outcomes[1], &uniform = outcomes.back();
  lesson.claim({.name = "mean of the estimator against the gradient, largest difference, 64 bits",
                .measured = trial.worst,
                .comparator = "<=",
                .threshold = 1e-10,
                .control = fmt::format("without the term d log p(z): {:.1e}", trial.forgotten)});
  lesson.claim({.name = "untrained captioner: variance without baseline divided by that with the moving mean",
                .measured = before.none / before.moving,
                .comparator = ">=",
                .threshold = 5,
                .control = fmt::format("trained: {:.2g}; untrained, with the mean of the same picture: {:.0f}",
                                       after.none / after.moving, before.none / before.own)});
  const Outcome& reader = lesson.quick() ? soft : hard;  // --quick ends before the hard one has learned
  lesson.claim({.name = reader.name + ": captions right, points above the mean of all patches",
                .measured = reader.captions.exact - uniform.captions.exact,
                .comparator = ">=",
                .threshold = 20,
                .control = fmt::format("soft: {:.0f} points; with another picture: {:.0f} % right",
                                       soft.captions.exact - uniform.captions.exact, reader.shuffled.exact)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_16); }
