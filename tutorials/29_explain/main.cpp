// Lesson 29: does attention explain? Reviews whose reason is known, and three measures of how important a word is.
//
//   1  task       the strongest opinion of a review decides its class
//   2  reason     four classifiers and two with uniform weights: which measure finds the deciding word?
//   3  agreement  attention against gradient and leave-one-out, by Kendall's tau; random weights as a control
//   4  others     permuted weights, equal weights, and the weights of an adversary with the same answer
//
// B reviews, T words; "BiLSTM" and "embeddings" are the encoders below the same attention pooling.
#include "tutorials/common/main.h"

#include "tutorials/29_explain/importance.h"
#include "tutorials/29_explain/other_weights.h"
#include "tutorials/common/show.h"

using namespace explain;
using namespace heed;
using app::heading, app::show;

namespace {

// One review coloured three times: by attention, by gradient and by leave-one-out.
// Each measure is divided by its largest value, so that all three have the same scale.
heed::report::RunningSentence coloured(const std::string& measure, const Review& r, Ranking by) {
  double largest = by[static_cast<size_t>(top(by))];
  for (double& x : by) x = largest > 0 ? x / largest : 0;
  heed::report::RunningSentence out{.words = r.words, .weights = by};
  out.name = measure;
  return out;
}

heed::report::RunningText colouring(const std::string& model, const Review& r, const Ranking& attention,
                                    const Ranking& gradient, const Ranking& left_out) {
  std::string reason = r.words[static_cast<size_t>(r.reason)];
  return {.name = fmt::format("{}: \"{}\" decides", model, reason),
          .sentences = {coloured("attention", r, attention), coloured("gradient", r, gradient),
                        coloured("leave-one-out", r, left_out)}};
}

struct Knobs {
  int64_t steps = 500, hidden = 16, tests = 200;
  double rate = 5e-3;
};

// A trained classifier and its measurements.
struct Outcome {
  std::string name;
  bool recurrent = true, uniform = false;
  double right = 0;
  std::vector<Ranking> attention = {}, gradient = {}, whole_gradient = {}, norm = {}, left_out = {}, random = {};
  double found(const std::vector<Ranking>& by, const Task& task) const { return percent_found(by, task.test); }
  OtherWeights other = {};
};

std::string percent(double value) { return fmt::format("{:.0f} %", value); }
std::string hundredths(double value) { return fmt::format("{:.2f}", std::abs(value) < 0.005 ? 0.0 : value); }

// ---- 1  task --------------------------------------------------------------------------------------------------------
void the_task(const Task& task) {
  heading("1  Task: the strongest opinion decides");
  for (size_t i = 0; i < 3; ++i) {
    const Review& r = task.test[i];
    std::string line;
    for (const std::string& word : r.words) line += word + " ";
    app::item(r.label ? "good" : "bad",
              fmt::format("{}(the reason: {})", line, r.words[static_cast<size_t>(r.reason)]));
  }
}

Outcome measure(const std::string& name, const Classifier& m, const Task& task, uint64_t seed) {
  Outcome out{.name = name, .recurrent = m.options.recurrent, .uniform = m.options.uniform};
  out.right = percent_right(m, batch_of(task.words, task.test));
  std::vector<Importance> all = importance(m, task.words, task.test);
  out.attention = each(all, &Importance::attention);
  out.gradient = each(all, &Importance::gradient);
  out.whole_gradient = each(all, &Importance::whole_gradient);
  out.norm = each(all, &Importance::norm);
  out.left_out = each(all, &Importance::left_out);
  out.random = random_like(out.attention, seed);
  out.other = other_weights(m, task.words, task.test, seed);
  return out;
}

// ---- 2  reason ------------------------------------------------------------------------------------------------------
void the_reason(app::Lesson& lesson, const std::vector<Outcome>& outcomes, const Task& task) {
  heading("2  Reason: is the deciding word the most important one?");
  report::TablePanel table{
      .title = "Which measure finds the deciding word",
      .text =
          "The share of new reviews in which the deciding word is the most important one. Right: reviews that are "
          "classified correctly. Training 2 differs in the initial parameters and in the order of the reviews.",
      .header = {"classifier", "right", "attention", "gradient", "leave-one-out"}};
  for (const Outcome& o : outcomes)
    table.rows.push_back({o.name, fmt::format("{:.1f} %", o.right),
                          o.uniform ? "" : percent(o.found(o.attention, task)), percent(o.found(o.gradient, task)),
                          percent(o.found(o.left_out, task))});
  show(lesson, table);
}

// ---- 3  agreement ---------------------------------------------------------------------------------------------------
// The mean over the trainings with this encoder and learned weights.
double mean_agreement(const std::vector<Outcome>& outcomes, bool recurrent, std::vector<Ranking> Outcome::*a,
                      std::vector<Ranking> Outcome::*b) {
  double total = 0, count = 0;
  for (const Outcome& o : outcomes)
    if (o.recurrent == recurrent && !o.uniform) total += agreement(o.*a, o.*b), ++count;
  return total / count;
}
// Between the attention weights of the two trainings.
double between_trainings(const std::vector<Outcome>& outcomes, bool recurrent) {
  std::vector<const Outcome*> of;
  for (const Outcome& o : outcomes)
    if (o.recurrent == recurrent && !o.uniform) of.push_back(&o);
  return agreement(of[0]->attention, of[1]->attention);
}

void the_agreement(app::Lesson& lesson, const std::vector<Outcome>& outcomes) {
  heading("3  Agreement: Kendall's tau of two measures, mean over the new reviews");
  report::TablePanel table{
      .title = "Agreement of two measures (Kendall's tau)",
      .text =
          "1: the same order of the words; 0: as random numbers; -1: the opposite order. Mean of both trainings. "
          "The gradient holds the weights constant, unless it says \"through the weights, too\".",
      .header = {"measures", "BiLSTM", "embeddings"}};
  using Rankings = std::vector<Ranking> Outcome::*;
  struct Pair {
    std::string name;
    Rankings a, b;
  };
  for (const Pair& p : std::vector<Pair>{
           {"attention, gradient", &Outcome::attention, &Outcome::gradient},
           {"attention, gradient through the weights, too", &Outcome::attention, &Outcome::whole_gradient},
           {"attention, norm of that gradient", &Outcome::attention, &Outcome::norm},
           {"attention, leave-one-out", &Outcome::attention, &Outcome::left_out},
           {"gradient, leave-one-out", &Outcome::gradient, &Outcome::left_out},
           {"control: random weights, gradient", &Outcome::random, &Outcome::gradient},
           {"control: the gradient as weights, gradient", &Outcome::gradient, &Outcome::gradient}})
    table.rows.push_back({p.name, hundredths(mean_agreement(outcomes, true, p.a, p.b)),
                          hundredths(mean_agreement(outcomes, false, p.a, p.b))});
  table.rows.push_back({"attention of training 1, attention of training 2",
                        hundredths(between_trainings(outcomes, true)), hundredths(between_trainings(outcomes, false))});
  show(lesson, table);

  report::CurvesPanel curves{.title = "Agreement of attention and gradient, review by review",
                             .text = "The reviews are sorted by their tau. Training 1.",
                             .x_label = "share of reviews, %",
                             .y_label = "Kendall's tau"};
  for (const Outcome& o : outcomes) {
    if (o.uniform || o.name.ends_with("2")) continue;
    report::Series series{.name = o.recurrent ? "BiLSTM" : "embeddings"};
    for (size_t i = 0; i < o.attention.size(); ++i) {
      series.y.push_back(kendall_tau(o.attention[i], o.gradient[i]));
      series.x.push_back(100 * static_cast<double>(i + 1) / static_cast<double>(o.attention.size()));
    }
    std::sort(series.y.begin(), series.y.end());
    curves.series.push_back(series);
  }
  lesson.report().curves(curves);
}

// ---- 4  others ------------------------------------------------------------------------------------------------------
void the_others(app::Lesson& lesson, const std::vector<Outcome>& outcomes) {
  heading("4  Other weights over the same encoder outputs");
  report::TablePanel table{
      .title = "Other weights",
      .text =
          "Permuted (the weights in random order, 100 times per review) and equal (each weight is 1 / T): the share of "
          "reviews whose class changes. Divergence, at most log 2 = 0.69: of the adversary's weights, which differ "
          "as much as possible and give exactly the same answer. Moved: the share of reviews in which its "
          "largest weight is on another word.",
      .header = {"classifier", "permuted", "equal", "divergence", "moved"}};
  for (const Outcome& o : outcomes)
    if (!o.uniform)
      table.rows.push_back({o.name, percent(o.other.flipped), percent(o.other.equal), hundredths(o.other.distance),
                            percent(o.other.moved)});
  show(lesson, table);
}

int lesson_29(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("29_explain", "Does attention explain? Weights, gradients, and other weights");
  lesson.knob("steps", &k.steps, "training steps, 32 reviews each").between(20, 100000);
  lesson.knob("hidden", &k.hidden, "units of the LSTM in each direction").between(2, 256);
  lesson.knob("tests", &k.tests, "new reviews on which everything is measured").between(20, 2000);
  lesson.knob("rate", &k.rate, "Adam's learning rate").between(1e-5, 1);
  lesson.question(
      {"Two classifiers with a BiLSTM and attention are trained on the same reviews and get nearly all new reviews "
       "right. They differ in their initial parameters only. For each review, the words are sorted by attention "
       "weight. "
       "The orders of the two classifiers",
       {"are nearly the same, because the reason is the same", "agree about as well as attention and gradient do",
        "have little in common (tau below 0.45)"},
       3,
       "Tau counts every pair of words, and training orders the many words that do not matter by chance. Often even "
       "the word with the largest weight differs."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 300), k.tests = std::min<int64_t>(k.tests, 60);
  app::tell(
      "\n   Classifiers with attention learn whether a review is good or bad, and the word that decides is known.\n"
      "   Then attention weights are compared with gradients, with words left out, and with other weights.\n");
  lesson.report().text("What this page shows",
                       "Classifiers with attention learn whether a review is good or bad; the word that decides is "
                       "known. Three measures of how important each word is are compared: attention, gradient and "
                       "leave-one-out.");
  Task task = make_task(4000, k.tests);
  the_task(task);
  fmt::print("\n");

  std::vector<Outcome> outcomes;
  report::RunningPanel colours{.title = "One review, three colourings",
                               .text =
                                   "Each measure is divided by its largest value. The deciding word is in the name "
                                   "of the text.",
                               .texts = {}};
  for (bool recurrent : {true, false})
    for (int training : {1, 2, 3}) {
      bool uniform = training == 3;
      if (lesson.quick() && uniform) continue;
      std::string name = fmt::format("{}, {}", recurrent ? "BiLSTM" : "embeddings",
                                     uniform ? "uniform weights" : fmt::format("training {}", training));
      uint64_t seed = lesson.seed() + (training == 2 ? 100 : 0);
      Generator rng(seed);
      Classifier m({.recurrent = recurrent, .uniform = uniform, .vocabulary = task.words.size(), .hidden = k.hidden},
                   rng);
      train(m, task, {.label = name, .steps = k.steps, .rate = k.rate, .seed = seed});
      outcomes.push_back(measure(name, m, task, lesson.seed()));
      const Outcome& o = outcomes.back();
      for (size_t i : {size_t{0}, size_t{1}, size_t{2}})
        if (!uniform)
          colours.texts.push_back(colouring(name, task.test[i], o.attention[i], o.gradient[i], o.left_out[i]));
    }
  lesson.report().running(colours);
  the_reason(lesson, outcomes, task);
  the_agreement(lesson, outcomes);
  the_others(lesson, outcomes);

  heading("Claims");
  auto tau = [&](bool recurrent, std::vector<Ranking> Outcome::*a, std::vector<Ranking> Outcome::*b) {
    return mean_agreement(outcomes, recurrent, a, b);
  };
  double with = tau(true, &Outcome::attention, &Outcome::gradient);
  double without = tau(false, &Outcome::attention, &Outcome::gradient);
  lesson.claim({.name = "agreement of attention and gradient: embeddings minus BiLSTM, in tau",
                .measured = without - with,
                .comparator = ">=",
                .threshold = 0.2,
                .control = fmt::format("embeddings: {:.2f}; BiLSTM: {:.2f}; random weights: {:.2f} and {:.2f}", without,
                                       with, tau(false, &Outcome::random, &Outcome::gradient),
                                       tau(true, &Outcome::random, &Outcome::gradient))});
  lesson.claim({.name = "BiLSTM: agreement of gradient and leave-one-out minus that of attention and gradient, in tau",
                .measured = tau(true, &Outcome::gradient, &Outcome::left_out) - with,
                .comparator = ">=",
                .threshold = 0.1,
                .control = fmt::format("attention and attention of the other training: {:.2f}",
                                       between_trainings(outcomes, true))});
  double off = 0, worst = 100, random = 0;
  for (const Outcome& o : outcomes) {
    if (!o.uniform) off = std::max(off, o.other.off), worst = std::min(worst, o.right);
    random = std::max(random, std::abs(agreement(o.random, o.gradient)));
  }
  lesson.check(
      {.name = "adversary: largest change of the answer, a logit",
       .measured = off,
       .comparator = "<=",
       .threshold = 1e-9,
       .control = fmt::format("permuted weights change the probability by {:.2f}", outcomes[0].other.permuted)});
  lesson.check(
      {.name = "random weights: agreement with the gradient, largest of all classifiers, in tau",
       .measured = random,
       .comparator = "<=",
       .threshold = lesson.quick() ? 0.1 : 0.05,
       .control = fmt::format("the gradient as weights: {:.2f}", tau(true, &Outcome::gradient, &Outcome::gradient))});
  lesson.check({.name = "reviews classified correctly with learned weights, the worst of four, in %",
                .measured = worst,
                .comparator = ">=",
                .threshold = lesson.quick() ? 80.0 : 95.0,
                .control = lesson.quick() ? ""
                                          : fmt::format("uniform weights: BiLSTM {:.1f}, embeddings {:.1f}",
                                                        outcomes[2].right, outcomes[5].right)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_29); }
