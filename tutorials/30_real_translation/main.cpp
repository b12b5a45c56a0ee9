// Lesson 30: real translation. Four translators of the years 2014 to 2017 are trained on the same sentences: one
// vector, one vector at every step, attention, and attention alone.
//
//   1  the sentences   the user's files or the toy grammar; splitting into pieces of words, and joining them
//   2  the ladder      four translators by the trainer of ./heed train: validation, early stopping, averaging, beam
//   3  by length       BLEU of short and long sentences, and four translations of the same sentence
//
//   ./heed run 30 --src train.de --tgt train.en --valid-src val.de --valid-tgt val.en --max-minutes 20
#include "tutorials/common/main.h"

#include <algorithm>

#include "tutorials/30_real_translation/ladder.h"
#include "tutorials/common/output.h"
#include "tutorials/common/show.h"

using namespace ladder;
using namespace heed;
using heed::app::heading, heed::app::show;

namespace {

std::string figure(double x) { return fmt::format("{:.1f}", x); }
std::string sentence(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

void declare(app::Lesson& lesson, Plan& plan) {
  app::Options& o = lesson.options();
  o.add("--src", &plan.files.source, "train on your own files: the source sentences, one per line").placeholder("F");
  o.add("--tgt", &plan.files.target, "the target sentences, line by line").placeholder("F");
  o.add("--valid-src", &plan.files.valid_source, "source sentences for validation").placeholder("F");
  o.add("--valid-tgt", &plan.files.valid_target, "target sentences for validation").placeholder("F");
  o.add("--max-minutes", &plan.minutes, "minutes of training per model; 0: no limit").at_least(0);
  o.add("--limit", &plan.limit, "read only the first N training pairs; 0: all of them").at_least(0);
  lesson.knob("sentences", &plan.sentences, "sentences of the built-in grammar").between(1000, 20000);
  lesson.knob("hidden", &plan.hidden, "built-in grammar: units of the recurrent translators").between(8, 512);
  lesson.knob("epochs", &plan.epochs, "built-in grammar: passes over the sentences").between(1, 100);
  lesson
      .knob("average", &plan.average,
            "built-in grammar: epochs whose parameters are averaged for the transformer; 1: no averaging")
      .between(1, 100);
  lesson.knob("patience", &plan.patience, "epochs without a better validation loss before stopping").between(1, 100);
}

void require_files(const app::TrainFiles& f) {
  int given = !f.source.empty() + !f.target.empty() + !f.valid_source.empty() + !f.valid_target.empty();
  if (given != 0 && given != 4)
    throw InputError(fmt::format(
        "30_real_translation: --src, --tgt, --valid-src and --valid-tgt go together; got {} of them", given));
}

// ---- 1  the sentences -----------------------------------------------------------------------------------------------
app::TranslateData read(const Plan& plan) {
  if (!plan.built_in()) return app::read_data(plan.files, options_of(kRungs[3], plan));
  app::DataOptions grammar;
  grammar.limit = plan.sentences, grammar.seed = static_cast<uint64_t>(plan.seed);
  app::TranslateData d = app::load_translate_data(grammar);
  d.validation.resize(200);
  d.tests.front().pairs.resize(500);
  return d;
}

struct Pieces {
  int64_t changed = 0;  // sentences that change if they are split into pieces and joined again
  double words = 0, pieces = 0;
};
Pieces the_sentences(app::Lesson& lesson, const Plan& plan, const app::TranslateData& d) {
  heading(fmt::format("1  The sentences: {}, {} to train with, {} for validation", d.description, d.train.size(),
                      d.validation.size()));
  nn::Translator t = fresh_translator(options_of(kRungs[3], plan), d);
  Pieces p;
  for (const auto* part : {&d.train, &d.validation})
    for (const auto& pair : *part)
      for (const auto* words : {&pair.source, &pair.target}) {
        std::vector<std::string> pieces = t.parts.bpe->segment(*words);
        p.changed += t.parts.bpe->join(pieces) != *words;
        p.words += static_cast<double>(words->size()), p.pieces += static_cast<double>(pieces.size());
      }
  app::tell("   {} merges, one vocabulary of {} pieces for both languages, {:.2f} pieces per word\n",
            t.parts.bpe->merges(), t.parts.source.size(), p.pieces / p.words);
  const auto& shown = d.validation[0];
  app::tell("   {}\n   {}\n", sentence(shown.source), sentence(t.parts.bpe->segment(shown.source)));
  lesson.report().text(
      "The sentences",
      fmt::format("From {}, {} pairs are used for training. The transformer reads and writes pieces of words: `{}` "
                  "becomes `{}`.",
                  d.description, d.train.size(), sentence(shown.source), sentence(t.parts.bpe->segment(shown.source))));
  return p;
}

// ---- 2  the ladder --------------------------------------------------------------------------------------------------
void the_ladder(app::Lesson& lesson, const std::vector<Climbed>& all, const app::TranslateData& d) {
  const app::HeldOut& asked = d.tests.front();
  report::TablePanel table{
      .title = "The ladder",
      .text = fmt::format("BLEU of {} {}. Perplexity: on validation sentences, per word; for the transformer per piece "
                          "of a word, so it cannot be compared with the others. Published: the series of B. Trevett on "
                          "Multi30k German to English, test2016, lower case, greedy, 10 epochs each.",
                          asked.pairs.size(), asked.name),
      .header = {"model", "parameters", "best epoch", "perplexity", "greedy", "beam 5", "published"}};
  report::CurvesPanel curves{.title = "Validation BLEU",
                             .text = "After each epoch, with greedy decoding.",
                             .x_label = "epoch",
                             .y_label = "BLEU"};
  report::BarsPanel bars{.title = "Measured here",
                         .text = fmt::format("BLEU of {}, greedy decoding.", asked.name),
                         .y_label = "BLEU",
                         .series = {{"measured here", {}}}};
  report::BarsPanel published{
      .title = "Published on Multi30k",
      .text =
          "BLEU of test2016, greedy decoding, from the series of B. Trevett. Data and test set "
          "differ from what is measured here: compare the order of the models, and not the heights.",
      .y_label = "BLEU",
      .series = {{"published, test2016", {}}}};
  for (const Climbed& c : all) {
    table.rows.push_back({c.rung.name, std::to_string(nn::count_parameters(c.translator.model)),
                          c.bleus.empty() ? "none finished" : fmt::format("{} of {}", c.best_epoch, c.bleus.size()),
                          fmt::format("{:.2f}", c.perplexity), figure(c.score.greedy), figure(c.score.beam),
                          fmt::format("{:.2f}", c.rung.published)});
    curves.series.push_back({.name = c.rung.name, .y = c.bleus});
    bars.labels.push_back(c.rung.name), bars.series[0].values.push_back(c.score.greedy);
    published.labels.push_back(c.rung.name), published.series[0].values.push_back(c.rung.published);
  }
  show(lesson, table);
  const Climbed& top = all.back();
  if (top.not_averaged)
    app::tell("\n   BLEU of the transformer, greedy: mean of several epochs {:.1f}, last step alone {:.1f}\n",
              top.score.greedy, *top.not_averaged);
  std::string minutes;
  for (const Climbed& c : all) minutes += fmt::format("  {} {:.1f}", c.rung.name, c.minutes);
  app::tell("\n   minutes of training:{}\n", minutes);
  lesson.report().bars(bars);
  lesson.report().bars(published);
  lesson.report().curves(curves);
}

// ---- 3  by length ---------------------------------------------------------------------------------------------------
// BLEU of short, medium and long sentences: thirds by the number of source words.
void by_length(app::Lesson& lesson, const std::vector<Climbed>& all, const app::TranslateData& d) {
  const auto& pairs = d.tests.front().pairs;
  std::vector<size_t> order(pairs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return pairs[a].source.size() < pairs[b].source.size(); });
  report::TablePanel table{
      .title = "BLEU by length",
      .text = "The sentences in three groups of equal size, by their number of source words; beam 5.",
      .header = {"model"}};
  size_t n = pairs.size();
  for (size_t third = 0; third < 3; ++third)
    table.header.push_back(fmt::format("{} to {} words", pairs[order[third * n / 3]].source.size(),
                                       pairs[order[(third + 1) * n / 3 - 1]].source.size()));
  for (const Climbed& c : all) {
    table.rows.push_back({c.rung.name});
    for (size_t third = 0; third < 3; ++third) {
      std::vector<text::TokenPair> part;
      std::vector<nn::Translation> written;
      for (size_t i = third * n / 3; i < (third + 1) * n / 3; ++i)
        part.push_back(pairs[order[i]]), written.push_back(c.score.written[order[i]]);
      table.rows.back().push_back(figure(app::bleu_of(written, part)));
    }
  }
  heading("3  By length");
  show(lesson, table);
  report::TablePanel samples{.title = "The same sentences by all models", .header = {"", "", ""}};
  fmt::print("\n");
  for (size_t at : {n / 2, n * 9 / 10, n - 1}) {
    const auto& pair = pairs[order[at]];
    samples.rows.push_back({"source", sentence(pair.source)});
    samples.rows.push_back({"reference", sentence(pair.target)});
    for (const Climbed& c : all) samples.rows.push_back({c.rung.name, sentence(c.score.written[order[at]].words)});
  }
  samples.header = {"", "sentence"};
  for (const auto& row : samples.rows) app::item(fmt::format("{:<14}", row[0]), row[1]);
  lesson.report().table(samples);
}

int lesson_30(int argc, char** argv) {
  Plan plan;
  app::Lesson lesson("30_real_translation", "Real translation: from one vector to the transformer");
  declare(lesson, plan);
  lesson.question(
      {"On the 29,000 pairs of Multi30k, a decoder with one vector reached a BLEU of 13.8. How much did "
       "attention, with recurrent networks, add?",
       {"about 3 points", "about 15 points", "about 40 points"},
       2,
       "In the same series, attention had 28.3 and the transformer 36.5."});
  lesson.start(argc, argv);
  require_files(plan.files);
  app::tell(
      "\n   Four translators are trained on the same sentences: one vector, one vector at every step, attention, and "
      "a\n"
      "   transformer. Validation, early stopping and beam search are used as for real text; BLEU compares the "
      "results.\n");
  plan.seed = static_cast<int64_t>(lesson.seed());
  if (lesson.quick() && plan.built_in())
    plan.sentences = std::min<int64_t>(plan.sentences, 6000), plan.epochs = std::min<int64_t>(plan.epochs, 6);
  app::TranslateData data = read(plan);
  for (const auto& note : data.notes) app::say(note);
  Pieces pieces = the_sentences(lesson, plan, data);
  heading(fmt::format("2  The ladder: four models, tested with {} {}", data.tests.front().pairs.size(),
                      data.tests.front().name));
  std::vector<Climbed> all;
  for (const Rung& rung : kRungs) {
    std::string folder = lesson.folder() + "/" + rung.name;
    std::replace(folder.end() - std::ssize(rung.name), folder.end(), ' ', '_');
    std::optional<Climbed> climbed = climb(rung, plan, data, folder);
    if (!climbed) return 130;  // what was trained is saved, and the same command continues it
    all.push_back(std::move(*climbed));
  }
  the_ladder(lesson, all, data);
  by_length(lesson, all, data);

  heading("Claims");
  lesson.check({.name = "sentences changed by splitting into pieces and joining again",
                .measured = static_cast<double>(pieces.changed),
                .comparator = "==",
                .threshold = 0,
                .control = fmt::format("{:.2f} pieces per word", pieces.pieces / pieces.words)});
  const double least[] = {0, 10, 10, 1};
  for (size_t i = 1; i < all.size() && plan.built_in(); ++i)
    lesson.claim({.name = fmt::format("BLEU, beam 5: {} minus {}, in points", all[i].rung.name, all[i - 1].rung.name),
                  .measured = all[i].score.beam - all[i - 1].score.beam,
                  .comparator = ">=",
                  .threshold = lesson.quick() ? 5.0 : least[i],
                  .control = fmt::format("{:.1f} and {:.1f}; published {:.1f} and {:.1f}", all[i].score.beam,
                                         all[i - 1].score.beam, all[i].rung.published, all[i - 1].rung.published)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_30); }
