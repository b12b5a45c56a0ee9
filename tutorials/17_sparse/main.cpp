// Lesson 17: sparse attention weights. Exact zeros and a derivative: sparsemax, entmax, and their neighbours.
//
//   1  functions   one row of scores, seven normalisers; sparsemax against the enumeration of all supports
//   2  start       a weight of exactly 0 has no gradient: from which scores can the right key still win?
//   3  captions    the pictures of lesson 16, described with each normaliser
//   4  many keys   trained with 16 keys, asked with up to 1024
//
// e: scores, w: weights, S keys, alpha: 1 is softmax, 2 is sparsemax.
#include "tutorials/common/main.h"

#include <numeric>

#include "nn/attention/normalisers/entmax.h"
#include "nn/attention/normalisers/sparsemax.h"
#include "tutorials/16_hard_and_soft/pictures.h"
#include "tutorials/16_hard_and_soft/training.h"
#include "tutorials/17_sparse/finder.h"
#include "tutorials/17_sparse/simplex.h"

using namespace heed;
using namespace sparse;
using hard_soft::Captioner, app::heading, app::show;

namespace {

// What a captioner of lesson 16 reads before each word: how many weights are exactly 0, and what the others are.
struct Reading {
  double zeros = 0;    // in % of all weights: exactly 0
  double patches = 0;  // with a weight above 0, per word
  double sum = 0;      // of the weights of one word
};
Reading reading_of(Captioner& m, const data::PictureTask& task, const std::vector<data::Picture>& pictures) {
  std::vector<int64_t> members(pictures.size());
  std::iota(members.begin(), members.end(), 0);
  heed::nn::set_training(m, false);
  hard_soft::Said said = hard_soft::caption(m, data::picture_batch(task, pictures, members).patches);
  heed::nn::set_training(m, true);
  Reading r;
  double words = 0, all = 0;
  for (size_t t = 0; t < said.weights.size(); ++t)
    for (size_t b = 0; b < pictures.size(); ++b) {
      if (t >= said.words[b].size()) continue;
      ++words;
      for (double w : said.weights[t].select(0, static_cast<int64_t>(b)).contiguous().to_vector()) {
        r.zeros += w == 0, r.patches += w > 0, r.sum += w;
        ++all;
      }
    }
  return {100 * r.zeros / all, r.patches / words, r.sum / words};
}

// ---- 1  functions ---------------------------------------------------------------------------------------------------
struct Projection {
  double fast = 0, clipped = 0;  // largest difference from the enumeration
};
Projection the_functions(app::Lesson& lesson, const Knobs& k) {
  heading("1  Functions: the weights of five keys with the scores 2, 1.5, 1, 0 and -1");
  const Row e{2, 1.5, 1, 0, -1};
  Tensor scores = Tensor::from(e, {1, 5});
  std::vector<Kind> all = kinds(k);
  all.insert(all.begin() + 1, {"entmax 1.25", nn::chosen<nn::EntmaxNormaliser>({.alpha = 1.25})});
  for (Kind& kind : all)
    if (kind.normaliser.name == "top_k") kind = {"top-2", nn::chosen<nn::TopKNormaliser>({.k = 2})};
  report::TablePanel table{.title = "One row of scores, seven normalisers",
                           .text = "The scores are 2, 1.5, 1, 0 and -1. A weight of exactly 0 is written as 0.",
                           .header = {"normaliser", "2", "1.5", "1", "0", "-1", "sum"}};
  Generator rng(lesson.seed());
  for (const Kind& kind : all) {
    std::vector<std::string> row{kind.name};
    double sum = 0;
    for (double w : (*nn::make_normaliser(kind.normaliser, rng))(Variable(scores)).value().to_vector()) {
      row.push_back(w == 0 ? "0" : fmt::format("{:.4f}", w));
      sum += w;
    }
    row.push_back(fmt::format("{:.4f}", sum));
    table.rows.push_back(row);
  }
  show(lesson, table);

  Projection worst;
  for (int i = 0; i < 200; ++i) {  // 200 rows of 8 scores, 255 supports each
    Tensor drawn = Tensor::normal({1, 8}, rng, 0, 1, DType::f64);
    const Row nearest = nearest_by_enumeration(drawn.to_vector());
    worst.fast = std::max(worst.fast, largest_difference(nn::sparsemax(Variable(drawn)).value().to_vector(), nearest));
    worst.clipped = std::max(worst.clipped, largest_difference(clipped_and_divided(drawn.to_vector()), nearest));
  }
  app::tell("\n   200 rows of 8 scores: sparsemax against the nearest of all 255 supports, largest difference {:.0e}\n",
            worst.fast);
  return worst;
}

// ---- 2  start -------------------------------------------------------------------------------------------------------
// A wrong start: the right key has the lower score, and only the gradient can raise it.
//
//   two keys with learned scores e = (0, gap); the right one is the first
//   w = normalise(e),  loss = cross-entropy of the logits 8 w with the right key,  e <- e - 0.1 de
//
// A weight of exactly 0 has no gradient: as long as the other key has the whole weight, nothing moves. alpha-entmax
// gives the whole weight to a key that leads by 1 / (alpha - 1) or more: 1 for sparsemax (alpha 2), 2 for alpha 1.5,
// and never for softmax (alpha 1). "Growing" is the remedy that is measured: alpha starts at 1.05 and grows to 2.
// alpha 1 is softmax. Number of steps until the right key has most of the weight; -1: not within 5000.
int64_t steps_from(double gap, double alpha, bool growing = false) {
  constexpr int64_t kMost = 5000, kGrowth = 500;
  Tensor e = Tensor::from(std::vector<double>{0, gap}, {1, 2}), right = Tensor::from(std::vector<int64_t>{0}, {1});
  for (int64_t step = 0; step <= kMost; ++step) {
    Variable scores(e, Variable::kRequiresGrad);
    const double part = std::min(1.0, static_cast<double>(step) / kGrowth);
    const double now = growing ? 1.05 + part * (alpha - 1.05) : alpha;
    Variable w =
        now == 1 ? softmax(scores, -1) : heed::nn::entmax(scores, Variable(Tensor::scalar(now, heed::DType::f64)));
    if (w.value().at({0, 0}) > 0.5) return step;
    backward(cross_entropy(w * 8.0, right));
    e = sub(e, mul(scores.grad(), 0.1));
  }
  return -1;
}

int64_t the_start(app::Lesson& lesson) {
  heading("2  Start: the right key of two has the lower score. Steps of gradient descent until it has most weight");
  report::TablePanel table{.title = "Steps until the right key wins, by its gap at the start",
                           .text =
                               "Gap: how much higher the score of the wrong key is at the start. Learning rate 0.1, at "
                               "most 5000 steps. Growing: alpha grows from 1.05 to 2 in the first 500 steps.",
                           .header = {"gap", "softmax", "entmax 1.25", "entmax 1.5", "sparsemax", "growing"}};
  auto text = [](int64_t steps) { return steps < 0 ? std::string("never") : std::to_string(steps); };
  int64_t stuck = 0;
  for (double gap : {0.5, 0.9, 1.1, 1.9, 2.1, 3.9, 4.1}) {
    const int64_t sparsemax = steps_from(gap, 2);
    stuck += sparsemax < 0;
    table.rows.push_back({fmt::format("{:g}", gap), text(steps_from(gap, 1)), text(steps_from(gap, 1.25)),
                          text(steps_from(gap, 1.5)), text(sparsemax), text(steps_from(gap, 2, true))});
  }
  show(lesson, table);
  return stuck;
}

// ---- 3  captions ----------------------------------------------------------------------------------------------------
struct Outcome {
  hard_soft::Outcome learned;
  Reading reading;
};

Outcome learn_captions(Captioner& m, const Kind& kind, const data::PictureTask& task, const Knobs& k, uint64_t seed) {
  Outcome out{.learned = hard_soft::learn(m, kind.name, task, {.steps = k.steps, .seed = seed}), .reading = {}};
  out.reading = reading_of(m, task, task.test);
  return out;
}

// ---- 4  many keys ---------------------------------------------------------------------------------------------------
double the_many_keys(app::Lesson& lesson, const Knobs& k, double* symbols) {
  heading("4  Many keys: one look-up, trained with 16 keys and asked with up to 1024");
  report::TablePanel table{
      .title = "Trained with 16 keys, asked with more",
      .text =
          "Symbols: right answers of 1024 queries. Weight: on the right key. Zeros: weights that "
          "are exactly 0, with 1024 keys.",
      .header = {"normaliser", "symbols, 16 keys", "1024 keys", "weight, 16 keys", "64", "256", "1024", "zeros"}};
  report::CurvesPanel curves{.title = "Weight on the right key by the number of keys",
                             .text = "All models were trained with 16 keys.",
                             .x_label = "number of keys",
                             .y_label = "weight on the right key, %",
                             .log_x = true};
  std::vector<Found> soft, sparse;
  for (const Kind& kind : kinds(k)) {
    if (lesson.quick() && kind.name != "softmax" && kind.name != "sparsemax") continue;
    std::vector<Found> f = find(kind, k, lesson.seed());
    if (kind.name == "softmax") soft = f;
    if (kind.name == "sparsemax") sparse = f;
    table.rows.push_back({kind.name, percent(f[0].right), percent(f[3].right), percent(f[0].weight),
                          percent(f[1].weight), percent(f[2].weight), percent(f[3].weight), percent(f[3].zeros)});
    report::Series series{.name = kind.name};
    for (size_t i = 0; i < f.size(); ++i)
      series.x.push_back(static_cast<double>(kSources[i])), series.y.push_back(f[i].weight);
    curves.series.push_back(series);
  }
  show(lesson, table);
  lesson.report().curves(curves);
  *symbols = sparse[3].right - soft[3].right;
  return sparse[3].weight - soft[3].weight;
}

int lesson_17(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("17_sparse", "Sparse attention weights: exact zeros that can be learned");
  lesson.knob("steps", &k.steps, "training steps of part 3, 32 pictures each").between(100, 100000);
  lesson.knob("alpha", &k.alpha, "alpha of entmax in parts 3 and 4").between(1.01, 4);
  lesson.knob("k", &k.k, "positions that top-k keeps in parts 3 and 4").between(1, 64);
  lesson.knob("find_steps", &k.find_steps, "training steps of part 4").between(50, 100000);
  lesson.knob("noise", &k.noise, "noise of the queries of part 4").between(0, 2);
  lesson.question(
      {"Two keys have the scores 0 and 1.2, and the first is the right one. The weights are sparsemax(0, 1.2) = (0, "
       "1). What does gradient descent do with the scores?",
       {"it raises the first, slowly", "nothing: the gradient is exactly 0", "it raises the first at once"},
       2,
       "A weight of exactly 0 stays 0 when its score changes a little, so its derivative is 0. The other weight is 1 "
       "and cannot grow."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 300), k.find_steps = std::min<int64_t>(k.find_steps, 150);
  app::tell(
      "\n   First, the normalisers are compared on one row of scores, and on a start from which some cannot learn.\n"
      "   Then models with each of them describe the pictures of lesson 16, and look up one of 16 to 1024 keys.\n");
  lesson.report().text("What this page shows",
                       "A normaliser turns scores into weights. Softmax gives every position a weight above 0; "
                       "sparsemax and entmax give most positions exactly 0 and have a derivative nevertheless.");
  const Projection projection = the_functions(lesson, k);
  const int64_t stuck = the_start(lesson);

  heading("3  Captions: 400 new pictures with two shapes each");
  const data::PictureTask task = data::picture_task(
      {.shapes = {1, 2}, .held_out_shapes = {2, 2}, .parts = {.train = 5000, .validation = 10, .test = 400}});
  const auto channels = static_cast<int64_t>(data::picture_colours().size() + data::picture_forms().size());
  std::vector<Kind> all = kinds(k);
  all.push_back({"mean of all patches", {}});
  if (lesson.quick()) all.erase(all.begin() + 2, all.end() - 1);
  std::vector<Captioner> models;
  std::vector<Outcome> outcomes;
  report::TablePanel table{
      .title = "Captions with each normaliser",
      .text =
          "Captions: completely right. Zeros: weights that are exactly 0. Patches: with a weight above 0, of 64, per "
          "word. Sum: of the weights of a word. Other picture: captions right if the model sees another picture. The "
          "last two rows are the model trained with softmax, used with its 8 largest weights or with sparsemax.",
      .header = {"normaliser", "captions", "words", "zeros", "patches", "sum", "other picture"}};
  for (const Kind& kind : all) {
    Generator rng(lesson.seed());
    models.emplace_back(hard_soft::CaptionerOptions{.vocabulary = task.words.size(),
                                                    .channels = channels,
                                                    .reading = kind.name.starts_with("mean") ? "uniform" : "soft",
                                                    .normaliser = kind.normaliser},
                        rng);
    outcomes.push_back(learn_captions(models.back(), kind, task, k, lesson.seed()));
  }
  auto add_row = [&](const std::string& name, const hard_soft::Captions& c, const Reading& r, double other) {
    table.rows.push_back({name, percent(c.exact), percent(c.words), percent(r.zeros), fmt::format("{:.1f}", r.patches),
                          fmt::format("{:.2f}", r.sum), percent(other)});
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const hard_soft::Outcome& o = outcomes[i].learned;
    add_row(o.name, o.captions, i + 1 == all.size() ? Reading{.patches = 64, .sum = 1} : outcomes[i].reading,
            o.shuffled.exact);
  }
  // The model that was trained with softmax, used with another normaliser: cut to the 8 largest, or with sparsemax.
  Generator rng(lesson.seed());
  std::vector<Kind> swaps{{"softmax, cut to 8", nn::chosen<nn::TopKNormaliser>({.k = 8})},
                          {"softmax, swapped", {.name = "sparsemax"}}};
  std::unique_ptr<nn::Normaliser> own = std::move(models[0].attention.normaliser);
  for (const Kind& kind : swaps) {
    models[0].attention.normaliser = nn::make_normaliser(kind.normaliser, rng);
    add_row(kind.name, hard_soft::judge(models[0], task, task.test), reading_of(models[0], task, task.test),
            hard_soft::judge(models[0], task, task.test, 1).exact);
  }
  models[0].attention.normaliser = std::move(own);
  show(lesson, table);
  report::PicturePanel panel{.title = "Attention weights before each word",
                             .text = "A picture that is not in the training data. Hatched: exactly 0."};
  for (size_t i : {size_t{1}, size_t{2}, size_t{0}})
    panel.readings.push_back(hard_soft::read_picture(models[i], all[i].name, task, task.test[0]));
  hard_soft::print_reading(panel.readings.back());
  fmt::print("\n");
  hard_soft::print_reading(panel.readings[0]);
  lesson.report().picture(panel);

  double symbols = 0;
  const double weight = the_many_keys(lesson, k, &symbols);

  heading("Claims");
  const Outcome &soft = outcomes[0], &entmax = outcomes[1], &mean = outcomes.back();
  lesson.claim(
      {.name = "sparsemax against the nearest of all 255 supports, largest difference",
       .measured = projection.fast,
       .comparator = "<=",
       .threshold = 1e-12,
       .control = fmt::format("negative scores cut off, the rest divided by its sum: {:.2f}", projection.clipped)});
  lesson.claim({.name = all[1].name + ": weights that are exactly 0, in %",
                .measured = entmax.reading.zeros,
                .comparator = ">=",
                .threshold = 80,
                .control = fmt::format("softmax: {:.1f}", soft.reading.zeros)});
  lesson.claim({.name = all[1].name + ": captions right, points above softmax",
                .measured = entmax.learned.captions.exact - soft.learned.captions.exact,
                .comparator = ">=",
                .threshold = -6,
                .control = fmt::format("mean of all patches: {:.1f}; with another picture: {:.1f} % right",
                                       mean.learned.captions.exact - soft.learned.captions.exact,
                                       entmax.learned.shuffled.exact)});
  lesson.check({.name = "sparsemax: starts of seven from which the right key never wins",
                .measured = static_cast<double>(stuck),
                .comparator = "==",
                .threshold = 5,
                .control = "those with a gap above 1; softmax: 0"});
  lesson.check({.name = "1024 keys: weight on the right key, points of sparsemax above softmax",
                .measured = weight,
                .comparator = ">=",
                .threshold = 30,
                .control = fmt::format("right symbols, points above softmax: {:.1f}", symbols)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_17); }
