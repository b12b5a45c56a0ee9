// Lesson 13: say it, score it. A model gives probabilities; a sentence must be found, and judged.
//
//   1  the search     greedy, a beam, and every sentence there is, on models small enough for it
//   2  two writers    one trained on the true words only, one that practises on its own
//   3  the gap        what true history hides: accuracy and loss with the model's own history
//   4  beams          wider beams, length penalty, sampling
//   5  coverage       what a source word that nothing looked at costs
//   6  the score      perplexity, and BLEU by hand
#include <fmt/format.h>

#include "nn/data/tasks_sequences.h"
#include "nn/io/file.h"
#include "tutorials/13_search_and_score/decoding.h"
#include "tutorials/13_search_and_score/riddle.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace heed;

namespace {

using app::heading, app::show;

struct Knobs {
  int64_t steps = 1000, hidden = 48, longest = 10, beam = 4;
  double floor = 0;
};
std::string percent(double value) { return fmt::format("{:.1f} %", value); }

// ---- 1  the search --------------------------------------------------------------------------------------------------
struct Found {
  int64_t riddles = 0, greedy = 0, two = 0, all = 0;  // in how many the best sentence was found
};
Found the_search(app::Lesson& lesson) {
  constexpr int64_t kWords = 3, kLongest = 4;
  auto everything = static_cast<int64_t>(std::pow(kWords + 1, kLongest));  // V^T, </s> among the V
  heading(fmt::format("1  The search: random models with {} words and </s>, sentences of at most {} words", kWords,
                      kLongest));
  Found found{.riddles = 100};
  report::TablePanel panel{.title = "Searches held against the truth",
                           .text = "In how many of 100 random models the best of all 121 sentences was found.",
                           .header = {"length penalty", "greedy", "beam 2", "beam 4", "beam 8",
                                      fmt::format("beam {}", everything)}};
  for (double alpha : {0.0, 1.0}) {
    panel.rows.push_back({fmt::format("{:g}", alpha)});
    for (int64_t beam : {int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, everything}) {
      int64_t right = 0;
      for (int64_t i = 0; i < found.riddles; ++i) {
        Riddle riddle{.words = kWords, .seed = lesson.seed() * 1000 + static_cast<uint64_t>(i)};
        nn::Hypothesis best = exhaustive(riddle, kLongest, alpha);
        RiddleSearch model(riddle);
        nn::Hypothesis got = nn::beam_search(model, beam, {.max_lengths = {kLongest}, .length_penalty = alpha}).at(0);
        right += got.tokens == best.tokens && std::abs(got.score - best.score) <= 1e-12;
      }
      panel.rows.back().push_back(std::to_string(right));
      if (beam == 1) found.greedy += right;
      if (beam == 2) found.two += right;
      if (beam == everything) found.all += right;
    }
  }
  found.riddles *= 2;
  show(lesson, panel);
  return found;
}

data::Task make_task(const Knobs& k, uint64_t seed) {
  return data::copy_task({.symbols = 10, .lengths = {4, k.longest},
                          .parts = {.train = 10000, .validation = 500, .test = 1000, .seed = seed}});
}
nn::Seq2Seq make_writer(const Knobs& k, const data::Task& task, const std::string& context, uint64_t seed) {
  Generator rng(seed, /*offset=*/1 << 20);
  return nn::Seq2Seq({.source_vocabulary = task.source.size(), .target_vocabulary = task.target.size(),
                      .embedding = 32, .hidden = k.hidden, .context = context, .dropout = 0}, rng);
}

// ---- 3  the gap -----------------------------------------------------------------------------------------------------
struct Gap {
  std::string name;
  ByPlace truth, own;
  double points() const { return truth.percent() - own.percent(); }
};

int lesson_13(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("13_search_and_score", "Say it, score it: search, perplexity, BLEU, and a model's own mistakes");
  lesson.knob("steps", &k.steps, "steps of training").between(100, 100000);
  lesson.knob("hidden", &k.hidden, "units of encoder and decoder").between(4, 512);
  lesson.knob("longest", &k.longest, "symbols of the longest sequence").between(5, 40);
  lesson.knob("beam", &k.beam, "of the coverage table").between(1, 64);
  lesson.knob("floor", &k.floor, "where scheduled sampling ends: the share of true words").between(0, 1);
  lesson.start(argc, argv);
  Found found = the_search(lesson);

  data::Task task = make_task(k, lesson.seed());
  Pairs train = task.encode(task.train), test = task.encode(task.test);
  std::vector<nn::Seq2Seq> writers;
  std::vector<Gap> gaps;
  for (const std::string name : {"true words only", "scheduled sampling", "with attention"}) {
    Generator rng(lesson.seed(), 1 << 24);
    writers.push_back(make_writer(k, task, name == "with attention" ? "attention" : "initial_state", lesson.seed()));
    Practice p{.name = name, .steps = name == "with attention" ? k.steps / 5 : k.steps};
    if (name == "scheduled sampling")
      p.truth = [&](int64_t s) { return nn::linear_decay(s, 1.0 / static_cast<double>(k.steps), k.floor); };
    practise(writers.back(), train, p, rng);
    gaps.push_back({name, with_history(writers.back(), test, 1), with_history(writers.back(), test, 0)});
    const Gap& g = gaps.back();
    fmt::print("{}: true {:.3f} {:.1f}, own {:.3f} {:.1f}\n", name, g.truth.mean_loss(), g.truth.percent(),
               g.own.mean_loss(), g.own.percent());
  }
  Pairs some(test.begin(), test.begin() + 200);
  auto refs = references_of(task, some);
  for (size_t w : {0, 1})
    for (double alpha : {0.0, 1.0})
      for (int64_t beam : {1, 2, 4, 16}) {
        Written out = write(writers[w], task, some, beam_of(beam, {.max_lengths = {40}, .length_penalty = alpha}));
        fmt::print("{} alpha {} beam {}: log p {:.3f} exact {:.1f} words {:.2f} bleu {:.2f} hand {:.2f}\n", w, alpha, beam,
                   out.log_p, out.exact, out.words, library_bleu(out.sentences, refs), bleu_by_hand(out.sentences, refs).score());
      }
  data::Task longer = data::copy_task({.symbols = 10, .lengths = {4, k.longest}, .held_out_lengths = {k.longest + 2, k.longest + 6},
                          .parts = {.train = 100, .validation = 500, .test = 200, .seed = lesson.seed()}});
  Pairs far = longer.encode(longer.test);
  for (double alpha : {0.0, 1.0})
    for (double beta : {0.0, 0.1, 0.3, 1.0, 3.0}) {
      Written out = write(writers[2], longer, far, beam_of(k.beam, {.max_lengths = {40}, .length_penalty = alpha, .coverage_penalty = beta}));
      fmt::print("coverage alpha {} beta {}: exact {:.1f} words {:.2f} bleu {:.2f}\n", alpha, beta, out.exact, out.words, library_bleu(out.sentences, references_of(longer, far)));
    }
  fmt::print("{} {} {} {}\n", found.riddles, found.greedy, found.two, found.all);
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_13); }
