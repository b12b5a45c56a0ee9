// Lesson 13: decoding and scoring. A model gives the probability of the next word. Which sentence should it write, and
// how good is what it writes?
//
//   1  search           greedy, beam and exhaustive search, on models small enough for all three
//   2  training         decoders trained with true words only, and with scheduled sampling
//   3  exposure bias    accuracy and loss under teacher forcing and in free running
//   4  beam search      beam width, length penalty, sampling
//   5  coverage         a penalty for source words that received little attention
//   6  scores           perplexity and BLEU by hand
#include <fmt/format.h>

#include "nn/data/tasks/sequences.h"
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
  double floor = 0.75;
};
std::string percent(double value) { return fmt::format("{:.1f} %", value); }

// ---- 1  search ------------------------------------------------------------------------------------------------------
struct Found {
  int64_t riddles = 0, greedy = 0, two = 0, all = 0;  // searches, and how many of them found the best sentence
};
Found the_search(app::Lesson& lesson) {
  constexpr int64_t kWords = 3, kLongest = 4;
  auto everything = static_cast<int64_t>(std::pow(kWords + 1, kLongest));  // V^T; </s> is one of the V words
  heading(
      fmt::format("1  Search: random models with {} words and </s>, sentences of at most {} words", kWords, kLongest));
  Found found{.riddles = 100};
  report::TablePanel panel{
      .title = "How often each search finds the best sentence",
      .text = "Number of random models, of 100, in which the search found the best of all 121 possible sentences.",
      .header = {"length penalty", "greedy", "beam 2", "beam 4", "beam 8", fmt::format("beam {}", everything)}};
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

// ---- 3  exposure bias -----------------------------------------------------------------------------------------------
void the_gap(app::Lesson& lesson, const data::Task& task, const Pairs& some, const std::vector<Writer>& writers) {
  heading("3  Exposure bias: teacher forcing (true input words) against free running (the model's own words)");
  report::TablePanel panel{.title = "Teacher forcing and free running",
                           .text =
                               "Teacher, free: correct symbols on the test set under teacher forcing and in free "
                               "running, each compared with "
                               "the true symbol at the same position, and the loss per symbol. Gap: their difference "
                               "in points. Exact, BLEU: "
                               "sequences written by greedy search.",
                           .header = {"trained with", "teacher", "loss", "free", "loss", "gap", "exact", "BLEU"}};
  report::CurvesPanel curves{
      .title = "Correct symbols at each position",
      .text =
          "True words: trained with true words only. To 0, to 0.75: scheduled sampling. Teacher: under teacher "
          "forcing the next input is right again after a mistake. Free: in free running the model "
          "continues from its own mistake.",
      .x_label = "position in the sequence",
      .y_label = "correct symbols, %"};
  for (const Writer& w : writers) {
    Written out = write(*w.model, task, some, beam_of(1, {.max_lengths = {40}}));
    panel.rows.push_back({w.name, percent(w.truth.percent()), fmt::format("{:.2f}", w.truth.mean_loss()),
                          percent(w.own.percent()), fmt::format("{:.2f}", w.own.mean_loss()),
                          fmt::format("{:.1f}", w.gap()), percent(out.exact),
                          fmt::format("{:.1f}", library_bleu(out.sentences, references_of(task, some)))});
    if (&w == &writers.back()) continue;  // with attention the two curves are equal
    std::string name = w.name.starts_with("scheduled ") ? w.name.substr(10) : "true words";  // short, for a narrow page
    curves.series.push_back(by_place(name + ", teacher", w.truth));
    curves.series.push_back(by_place(name + ", free", w.own));
  }
  show(lesson, panel);
  fmt::print("\n");
  show(report::plot(
      {{"teacher forcing", by_place("", writers[0].truth).y}, {"free running", by_place("", writers[0].own).y}},
      {.console = app::console(),
       .title = "Trained with true words only: correct symbols at each position, %",
       .height = 9,
       .first = "position 1",
       .last = fmt::format("position {}", writers[0].own.count.size())}));
  lesson.report().curves(curves);
}

// ---- 4  beam search -------------------------------------------------------------------------------------------------
std::vector<Written> the_beams(app::Lesson& lesson, const data::Task& task, const Pairs& some, const Writer& writer) {
  std::vector<Words> references = references_of(task, some);
  double words = 0;
  for (const Words& r : references) words += static_cast<double>(r.size()) / static_cast<double>(references.size());
  heading(fmt::format("4  Beam search: {} sequences by the first model; their references have {:.2f} words on average",
                      some.size(), words));
  report::TablePanel panel{.title = "Beam width, length penalty and sampling",
                           .text = fmt::format("The model trained with true words only. References have {:.2f} words "
                                               "on average. Exact: the share of sequences that are exactly right.",
                                               words),
                           .header = {"search", "length penalty", "mean log p", "words", "exact", "BLEU"}};
  std::vector<Written> all;
  auto row = [&](const std::string& name, const std::string& alpha, const SearchOne& search) {
    Written out = write(*writer.model, task, some, search);
    panel.rows.push_back({name, alpha, fmt::format("{:.3f}", out.log_p), fmt::format("{:.2f}", out.words),
                          percent(out.exact), fmt::format("{:.1f}", library_bleu(out.sentences, references))});
    all.push_back(out);
  };
  row("greedy", "", beam_of(1, {.max_lengths = {40}}));
  for (double alpha : {0.0, 1.0})
    for (int64_t beam : lesson.quick() ? std::vector<int64_t>{4} : std::vector<int64_t>{2, 4, 16, 64})
      row(fmt::format("beam {}", beam), fmt::format("{:g}", alpha),
          beam_of(beam, {.max_lengths = {40}, .length_penalty = alpha}));
  Generator rng(lesson.seed());
  for (double temperature : {0.5, 1.0})
    row(fmt::format("sampled, temperature {:g}", temperature), "", [&](nn::SearchModel& model, size_t) {
      return nn::sample(model, {.max_lengths = {40}, .temperature = temperature}, rng).at(0);
    });
  show(lesson, panel);
  return all;
}

// ---- 5  coverage ----------------------------------------------------------------------------------------------------
void the_coverage(app::Lesson& lesson, const Knobs& k, const Writer& writer) {
  data::Task task = data::copy_task({.symbols = 10,
                                     .lengths = {4, k.longest},
                                     .held_out_lengths = {k.longest + 2, k.longest + 6},
                                     .parts = {.train = 0, .validation = 0, .test = 100, .seed = lesson.seed()}});
  Pairs far = task.encode(task.test);
  heading(fmt::format("5  Coverage: the model with attention on {} to {} symbols; it was trained on at most {}",
                      k.longest + 2, k.longest + 6, k.longest));
  report::TablePanel panel{.title = "Coverage penalty",
                           .text = fmt::format("The model with attention, on sequences longer than those of its "
                                               "training. Beam width {}.",
                                               k.beam),
                           .header = {"coverage penalty", "mean log p", "words", "BLEU"}};
  for (double beta : {0.0, 0.2, 1.0, 3.0}) {
    Written out = write(*writer.model, task, far, beam_of(k.beam, {.max_lengths = {40}, .coverage_penalty = beta}));
    panel.rows.push_back({fmt::format("{:g}", beta), fmt::format("{:.3f}", out.log_p), fmt::format("{:.2f}", out.words),
                          fmt::format("{:.1f}", library_bleu(out.sentences, references_of(task, far)))});
  }
  show(lesson, panel);
}

// ---- 6  scores ------------------------------------------------------------------------------------------------------
void the_perplexity(const data::Task& task, const Writer& writer) {
  Pairs one = task.encode(std::vector<data::AlignedPair>{task.test[0]});
  ByPlace p = with_true_words(*writer.model, one);
  double product = 1;
  std::string factors;
  for (double loss : p.loss) product *= std::exp(-loss), factors += fmt::format(" {:.3f}", std::exp(-loss));
  app::tell(
      "   probabilities of the reference {} and of its end mark:\n   p ={}   perplexity = (their product)^(-1/{}) = "
      "{:.3f}\n",
      fmt::join(task.test[0].target, " "), factors, p.loss.size(),
      std::pow(product, -1 / static_cast<double>(p.loss.size())));
  app::tell(
      "   over the test set: {:.3f} = exp({:.3f}); a model that knows nothing has {}, one for each possible word\n\n",
      std::exp(writer.truth.mean_loss()), writer.truth.mean_loss(), task.target.classes() + 1);
}
Bleu the_bleu(app::Lesson& lesson, const std::vector<Words>& references, const std::vector<Written>& outputs) {
  Words reference{"l'", "accord", "sur",   "la", "zone", "économique", "européenne",
                  "a",  "été",    "signé", "en", "août", "1992"};
  Words guess{"l'", "accord", "sur", "la", "zone", "européenne", "était", "signé", "en", "août", "1992"};
  Words parrot{"la", "la", "la", "la", "la", "la", "la", "la", "la", "la", "la", "la", "la"};
  app::tell("   reference    {}\n   hypothesis   {}\n\n", fmt::join(reference, " "), fmt::join(guess, " "));
  BleuByHand b = bleu_by_hand({guess}, {reference});
  report::TablePanel panel{.title = "BLEU by hand",
                           .text =
                               "A guess at the translation of \"the agreement on the European Economic Area was "
                               "signed in August 1992\": p_n is the share of its runs of n words that also occur "
                               "in the reference.",
                           .header = {"n", "runs of n words", "found in the reference", "p_n"}};
  for (size_t n = 0; n < 4; ++n)
    panel.rows.push_back({std::to_string(n + 1), fmt::format("{:g}", b.totals[n]), fmt::format("{:g}", b.matches[n]),
                          fmt::format("{:.4f}", b.matches[n] / b.totals[n])});
  show(lesson, panel);
  app::tell("\n   brevity penalty exp(1 - {:g} / {:g}) = {:.4f}; BLEU by hand {:.4f}, by the library {:.4f}\n",
            b.reference, b.hypothesis, std::exp(1 - b.reference / b.hypothesis), b.score(),
            library_bleu({guess}, {reference}));
  app::tell("   \"la la la ..\": {:g} of {:g} words count without clipping, {:g} with clipping\n",
            bleu_by_hand({parrot}, {reference}, {.clip = false}).matches[0], 13.0,
            bleu_by_hand({parrot}, {reference}).matches[0]);
  Bleu worst;
  worst.compare({guess}, {reference}), worst.compare({parrot}, {reference});
  worst.compare({{"l'", "accord"}}, {reference});
  for (const Written& out : outputs) worst.compare(out.sentences, references);
  std::string hypothesis = lesson.folder() + "/greedy.txt", wanted = lesson.folder() + "/reference.txt";
  write_lines(hypothesis, outputs[0].sentences), write_lines(wanted, references);
  app::tell("   BLEU of the written files: ./heed score --hyp {} --ref {} --tokenize none\n", hypothesis, wanted);
  return worst;
}

int lesson_13(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("13_search_and_score", "Decoding and scoring: beam search, perplexity, BLEU");
  lesson.knob("steps", &k.steps, "training steps").between(100, 100000);
  lesson.knob("hidden", &k.hidden, "width of encoder and decoder").between(4, 512);
  lesson.knob("longest", &k.longest, "length of the longest training sequence").between(5, 40);
  lesson.knob("beam", &k.beam, "beam width in the table of coverage penalties").between(1, 64);
  lesson.knob("floor", &k.floor, "share of true input words at the end of the gentle schedule").between(0, 1);
  lesson.question(
      {"A model was trained to predict the next word after the true previous words. On new sentences it "
       "predicts about three of four words correctly. Now its input words are its own predictions. Compared "
       "with before, it predicts at the right positions",
       {"as many words", "about a third fewer", "hardly any"},
       2,
       "After its first wrong word, the model has an input that never occurred in training."});
  lesson.writes("greedy.txt");
  lesson.writes("reference.txt");
  lesson.start(argc, argv);
  if (lesson.quick()) k.steps = std::min<int64_t>(k.steps, 600);
  app::tell(
      "\n   First, searches on tiny random models are compared with the best of all sentences. Then a few\n"
      "   encoder-decoders learn to copy short sequences, and their free running, search and scores are measured.\n");
  lesson.report().text("What this page shows",
                       "A model gives the probability of each next word. Finding a probable sentence is the task of a "
                       "search, and judging the result needs a score. In training the model never sees what its own "
                       "mistakes lead to; the gap between teacher forcing and free running measures what that costs.");
  Found found = the_search(lesson);

  heading("2  Training: models that copy symbols through one fixed vector, stopped before they can do it well");
  data::Task task = data::copy_task({.symbols = 10,
                                     .lengths = {4, k.longest},
                                     .parts = {.train = 10000, .validation = 0, .test = 1000, .seed = lesson.seed()}});
  std::vector<Writer> writers;
  auto one_vector = [&](const std::string& name, double last_truth) {
    const WriterOptions o{.hidden = k.hidden, .steps = k.steps, .last_truth = last_truth};
    writers.push_back(train_writer<nn::Sutskever>(task, name, o, lesson.seed()));
  };
  one_vector("true words only", 1);
  one_vector("scheduled to 0", 0);
  if (!lesson.quick()) one_vector(fmt::format("scheduled to {:g}", k.floor), k.floor);
  writers.push_back(
      train_writer<nn::Bahdanau>(task, "attention", {.hidden = k.hidden, .steps = k.steps / 4}, lesson.seed()));
  Pairs test = task.encode(task.test), some(test.begin(), test.begin() + (lesson.quick() ? 100 : 300));
  app::tell("   {} models trained\n", writers.size());
  const Writer &plain = writers[0], &scheduled = writers[1], &attends = writers.back();
  the_gap(lesson, task, some, writers);
  std::vector<Written> outputs = the_beams(lesson, task, some, plain);
  if (!lesson.quick()) the_coverage(lesson, k, attends);  // after so few steps the penalty has no effect
  heading("6  Scores: perplexity and BLEU by hand");
  the_perplexity(task, plain);
  Bleu bleu = the_bleu(lesson, references_of(task, some), outputs);

  heading("Claims");
  lesson.claim(
      {.name = fmt::format("a beam of width V^T finds the best of all sentences, in searches of {}", found.riddles),
       .measured = static_cast<double>(found.all),
       .comparator = "==",
       .threshold = static_cast<double>(found.riddles),
       .control = fmt::format("greedy: {}; beam 2: {}", found.greedy, found.two)});
  lesson.check(
      {.name = fmt::format("BLEU by hand against the library, largest difference over {} outputs", outputs.size() + 3),
       .measured = bleu.difference,
       .comparator = "<=",
       .threshold = 1e-9,
       .control = fmt::format("without clipping: {:.2f}; without brevity penalty: {:.2f}", bleu.unclipped,
                              bleu.without_brevity)});
  lesson.claim({.name = "trained with true words only: teacher forcing minus free running, in points",
                .measured = plain.gap(),
                .comparator = ">=",
                .threshold = 12,
                .control = fmt::format("with attention: {:.1f}", attends.gap())});
  lesson.claim({.name = "scheduled sampling to 0: its gap divided by that gap",
                .measured = scheduled.gap() / plain.gap(),
                .comparator = "<=",
                .threshold = 0.5,
                .control = fmt::format("its loss under teacher forcing: {:.2f}; with true words only: {:.2f}",
                                       scheduled.truth.mean_loss(), plain.truth.mean_loss())});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_13); }
