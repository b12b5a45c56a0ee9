// Lesson 16: hard and soft attention. Look at one place, or at the mean of all: and how is a choice learned?
//
//   1  the estimator   a choice has no derivative; the score function, held to the sum over all choices
//   2  the variance    right on average, wild in each draw: what a baseline takes away, before and after training
//   3  the captions    pictures of 8 x 8 patches put into words, five ways of reading them
//   4  the looks       where each word looked
//
// B pictures, S = 64 patches, T words; z the patch that was chosen, b the baseline.
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
                                     {"hard, no baseline", "reinforce", false},
                                     {"hard, Gumbel", "gumbel"},
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

// ---- 1  the estimator -----------------------------------------------------------------------------------------------
struct Trial {
  double worst = 0, forgotten = 0;  // largest differences from the gradient: the estimator's, that without the score
};

Trial the_estimator(app::Lesson& lesson, const data::PictureTask& task, const Knobs& k) {
  heading("1  The estimator: 4 patches, 3 words, all 64 ways to look");
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
  report::TablePanel table{.title = "The estimator's expectation, by counting",
                           .text =
                               "All parameters of a new captioner, in f64; the gradient of E[log p] differentiated "
                               "as it stands, beside the estimator of every choice times its probability.",
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
  report::TablePanel draws{.title = "The mean of many draws, for the attention's parameters",
                           .text = "The length of the error over the length of the gradient.",
                           .header = {"draws", "REINFORCE", "Gumbel straight-through"}};
  for (int64_t n : {100, 1000, lesson.quick() ? 5000 : 20000}) {
    auto off = [&](Captioner& of) {
      Gradient drawn = drawn_estimate(of, small, nn::parameters(of.attention), -9, n);
      return fmt::format("{:.2f}", length(plus(drawn, wanted, -1)) / length(wanted));
    };
    draws.rows.push_back({std::to_string(n), off(m), off(straight)});
  }
  fmt::print("\n   and by drawing, as training does it:\n\n");
  show(lesson, draws);
  return trial;
}

// ---- 2  the variance ------------------------------------------------------------------------------------------------
void the_variance(app::Lesson& lesson, const Variances& before, const Variances& after) {
  heading("2  The variance of one estimate: the attention's gradient, summed over its parameters");
  report::TablePanel table{.title = "What a baseline takes away",
                           .text =
                               "b is 0, the mean reward of many pictures (what a moving mean has), or the mean of "
                               "the same picture. 16 pictures, 24 draws each.",
                           .header = {"captioner", "mean log p", "b = 0", "moving mean", "own mean", "0 over moving"}};
  for (const auto& [name, v] : {std::pair{"new", &before}, {"trained", &after}})
    table.rows.push_back({name, fmt::format("{:.2f}", v->reward), fmt::format("{:.3g}", v->none),
                          fmt::format("{:.3g}", v->moving), fmt::format("{:.3g}", v->own),
                          fmt::format("{:.2g}", v->none / v->moving)});
  show(lesson, table);
}

// ---- 3  the captions ------------------------------------------------------------------------------------------------
void the_captions(app::Lesson& lesson, const std::vector<Outcome>& outcomes, const Knobs& k) {
  heading(fmt::format("3  The captions: 400 new pictures of {} shapes", k.shapes));
  report::TablePanel table{.title = "Captions of pictures that were not trained",
                           .text =
                               "Right from end to end; colours and forms right; the weight on the shape of which "
                               "such a word speaks; and asked about another picture, the control.",
                           .header = {"reading", "captions", "words", "looks at its shape", "other picture"}};
  report::CurvesPanel curves{.title = "Loss during training",
                             .text = "-log p(y | z) of a caption, means of 50 batches.",
                             .x_label = "step",
                             .y_label = "loss a caption"};
  for (const Outcome& o : outcomes) {
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
  lesson.knob("shapes", &k.shapes, "shapes of a tested picture; trained are 1 to so many").between(1, 3);
  lesson.knob("steps", &k.steps, "steps of training, 32 pictures each").between(100, 100000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.knob("entropy", &k.entropy, "REINFORCE: weighs the entropy of the weights").between(0, 1);
  lesson.knob("half", &k.half, "REINFORCE: the share of looks that read softly").between(0, 1);
  lesson.question(
      {"A captioner looks at one patch before each word, drawn by its weights. A reward says afterwards how "
       "good the caption was: log p, about -13 at first. If 13 is added to every reward, the mean of the "
       "gradient is",
       {"the same, and its draws are far calmer", "13 times smaller", "wrong: the reward is not log p"},
       1,
       "The mean of d log p(z) is 0, so a constant changes nothing in the mean. In one draw it is a "
       "factor of everything."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 600);
  lesson.report().text("What this page shows",
                       "A network says what is on a picture. Before each word it looks: at the mean of all patches, "
                       "weighed (soft), or at one patch, drawn by the weights (hard). The soft look is learned by its "
                       "derivative. A draw has none; its gradient is estimated from how well the caption went.");
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

  heading("4  The looks: a new picture, and the weights before each word");
  report::PicturePanel panel{.title = "Attention before each word",
                             .text = "A picture that was not trained; each copy shows the weights before its word."};
  for (size_t which : {size_t{0}, size_t{1}})
    for (size_t i = 0; i < models.size(); ++i)
      panel.readings.push_back(
          read_picture(models[i], fmt::format("{}, picture {}", outcomes[i].name, which + 1), task, task.test[which]));
  for (size_t i : {size_t{0}, size_t{1}}) {
    fmt::print("   {}{}\n\n", i > 0 ? "\n   " : "", panel.readings[i].name);
    print_reading(panel.readings[i]);
  }
  lesson.report().picture(panel);

  heading("Claims");
  const Outcome &soft = outcomes[0], &hard = outcomes[1], &uniform = outcomes.back();
  lesson.claim({.name = "estimator's exact expectation against the gradient, largest difference, f64",
                .measured = trial.worst,
                .comparator = "<=",
                .threshold = 1e-10,
                .control = fmt::format("without d log p(z): {:.1e}", trial.forgotten)});
  lesson.claim({.name = "new captioner: variance without a baseline over that with the moving mean",
                .measured = before.none / before.moving,
                .comparator = ">=",
                .threshold = 5,
                .control = fmt::format("trained: {:.2g}; new, with the picture's own mean: {:.0f}",
                                       after.none / after.moving, before.none / before.own)});
  const Outcome& reader = lesson.quick() ? soft : hard;  // --quick ends before the hard one has learned
  lesson.claim({.name = reader.name + ": captions right, in points above the mean of all patches",
                .measured = reader.captions.exact - uniform.captions.exact,
                .comparator = ">=",
                .threshold = 20,
                .control = fmt::format("soft: {:.0f} points; another picture: {:.0f} % right",
                                       soft.captions.exact - uniform.captions.exact, reader.shuffled.exact)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_16); }
