// Lesson 26: the transformer. An encoder reads, a decoder predicts, and only attention moves information between words.
//
//   1  three masks     padding, causal, cross: which query may attend to which key
//   2  translation     English to French and French to English
//   3  the cache       word-by-word decoding gives the numbers of parallel decoding
//   4  "it"            il or elle? The control is a transformer that attends to its own word only
//   5  no causal mask  the loss is lower, and the translations are wrong
//
// B sentences, S source words, T target words, D width, H heads, V vocabulary.
#include "tutorials/common/main.h"

#include "tutorials/26_transformer/pictures.h"
#include "tutorials/common/show.h"

using namespace encdec;
using namespace heed;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t width = 64, heads = 4, layers = 2, sentences = 20000, epochs = 10;
};

Recipe recipe_of(const Knobs& k, uint64_t seed) {
  Recipe r;
  r.model.model = k.width, r.model.inner = 2 * k.width, r.model.heads = k.heads;
  r.model.encoder_layers = r.model.decoder_layers = k.layers;
  r.model.norm_first = true;
  r.model.dropout = 0.05, r.model.attention_dropout = 0;
  r.fit = {.epochs = k.epochs, .batch_size = 64, .learning_rate = 4e-3, .warmup = 200, .seed = seed, .beta2 = 0.98};
  return r;
}

std::string percent(double share) { return fmt::format("{:.1f} %", share); }

// ---- 2  translation -------------------------------------------------------------------------------------------------
struct Way {
  const char* name;
  Grammar grammar;
  Learned learned;
  double greedy = 0, beam = 0, combinations = 0;  // translated without a fault, in %
};
Way learn_a_way(const char* name, data::Direction direction, const Knobs& k, const Recipe& recipe) {
  Grammar g = make_grammar(direction, static_cast<int>(k.sentences));
  Way w{name, g, learn(name, fresh(g, recipe), g, recipe.fit, k.sentences)};
  w.greedy = exact(w.learned.translator, g.corpus.test);
  w.beam = exact(w.learned.translator, g.corpus.test, 4);
  w.combinations = exact(w.learned.translator, g.corpus.test_combinations);
  return w;
}

void it_learns(app::Lesson& lesson, const std::vector<Way>& ways) {
  const nn::TransformerOptions& o = transformer_of(ways[0].learned.translator).options;
  heading(fmt::format("2  Translation: {} + {} layers, D = {}, {} heads, {} sentences, {} epochs", o.encoder_layers,
                      o.decoder_layers, o.model, o.heads, ways[0].grammar.corpus.train.size(),
                      ways[0].learned.history.size()));
  report::TablePanel table{.title = "Translated without a fault",
                           .text =
                               "Share of 1000 test sentences, greedy and with a beam of 4, and of 300 sentences with "
                               "a combination of words that does not occur in training.",
                           .header = {"direction", "parameters", "greedy", "beam 4", "new combinations"}};
  report::CurvesPanel losses{.title = "Validation loss",
                             .text = "Mean over the words of the validation sentences, after each epoch.",
                             .x_label = "epoch",
                             .y_label = "loss, nats per word",
                             .log_y = true};
  for (const Way& w : ways) {
    table.rows.push_back({w.name, std::to_string(nn::count_parameters(w.learned.translator.model)), percent(w.greedy),
                          percent(w.beam), percent(w.combinations)});
    losses.series.push_back({.name = w.name});
    for (const auto& e : w.learned.history) losses.series.back().y.push_back(e.valid_loss);
  }
  show(lesson, table);
  lesson.report().curves(losses);
}

// ---- 3  the cache ---------------------------------------------------------------------------------------------------
CacheCheck the_cache(const Way& w) {
  heading("3  The cache: 100 sentences, word by word with cached keys and values, against all words at once");
  CacheCheck c =
      check_cache(w.learned.translator, {w.grammar.corpus.test.begin(), w.grammar.corpus.test.begin() + 100});
  app::tell("   largest difference of log p           with the cache: {:.1g}   each word alone: {:.1f}\n", c.with,
            c.without);
  app::tell("   words through the decoder, {} steps   with the cache: {}   all words so far, at each step: {}\n",
            c.steps, c.cached_words, c.repeated_words);
  return c;
}

// ---- 4  "it" --------------------------------------------------------------------------------------------------------
struct It {
  double transformer, own_word;              // correct pronouns, in %
  double words_transformer, words_own_word;  // correct words, in %
};
It the_pronoun(app::Lesson& lesson, const Knobs& k, const Way& w, Recipe recipe) {
  const Grammar& g = w.grammar;
  heading(fmt::format("4  \"it\": il or elle, in {} test sentences", g.pronouns.size()));
  recipe.fit.epochs = lesson.quick() ? 1 : 2;
  Learned control = learn("own word", fresh(g, recipe), g, recipe.fit, k.sentences, own_word);
  It it{resolved(w.learned.translator, g.pronouns), resolved(control.translator, g.pronouns, own_word),
        words_right(w.learned.translator, g.corpus.test), words_right(control.translator, g.corpus.test, own_word)};
  if (lesson.quick()) {
    app::tell("   A quick run is too short to learn this. The full run shows it.\n");
    return it;
  }
  show(lesson,
       {.title = "il or elle?",
        .text =
            "The animal didn't cross the street because it was too tired / too wide. With the true translation up to "
            "the pronoun as input (teacher forcing), which of il and elle is more likely? All words: share of correct "
            "predictions in 1000 test sentences, also with teacher forcing.",
        .header = {"model", "il or elle", "all words"},
        .rows = {{"transformer", percent(it.transformer), percent(it.words_transformer)},
                 {"own word only", percent(it.own_word), percent(it.words_own_word)}}});
  fmt::print("\n");
  for (const auto& s : data::showcase_sentences())
    if (s.pair.family == "pronoun")
      app::tell("   {}\n   {}\n", sentence(s.pair.source),
                sentence(w.learned.translator.translate({s.pair.source})[0].target));
  return it;
}

// ---- 5  no causal mask ----------------------------------------------------------------------------------------------
struct Trial {
  std::string name;
  double loss = 0, exact = 0;  // of a validation word, with teacher forcing; test sentences without a fault, in %
  std::string agreement;
};
// The same training twice, with the causal mask and without.
std::vector<Trial> it_breaks(app::Lesson& lesson, const Knobs& k, const Grammar& g, Recipe recipe) {
  heading("5  A decoder trained without the causal mask");
  recipe.fit.epochs = 3, recipe.fit.batch_size = 32;
  int64_t sentences = std::min<int64_t>(k.sentences, lesson.quick() ? 2500 : 6000);
  std::vector<Trial> trials;
  for (bool masked : {false, true}) {
    nn::Translator t = fresh(g, recipe);
    const char* name = masked ? "with the causal mask" : "no causal mask";
    Learned l = learn(name, masked ? std::move(t) : without_causal_mask(std::move(t)), g, recipe.fit, sentences);
    trials.push_back({name, l.history.back().valid_loss, exact(l.translator, g.corpus.test),
                      sentence(l.translator.translate({g.agreement.source})[0].target)});
  }
  report::TablePanel table{
      .title = "Without the causal mask",
      .text = fmt::format("{} sentences, {} epochs. Loss: nats per word of the validation sentences, with "
                          "teacher forcing. Without a fault: test sentences that the decoder "
                          "translates by itself.",
                          sentences, recipe.fit.epochs),
      .header = {"decoder", "loss", "without a fault", "translation of \"the agreement ..\""}};
  for (const Trial& t : trials)
    table.rows.push_back({t.name, fmt::format("{:.3f}", t.loss), percent(t.exact), t.agreement});
  show(lesson, table);
  return trials;
}

int lesson_26(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("26_transformer", "The transformer: translating with attention alone");
  lesson.knob("width", &k.width, "model width D").between(8, 512);
  lesson.knob("heads", &k.heads, "heads of each attention").between(1, 16);
  lesson.knob("layers", &k.layers, "layers of the encoder, and of the decoder").between(1, 8);
  lesson.knob("sentences", &k.sentences, "training sentences").between(500, 20000);
  lesson.knob("epochs", &k.epochs, "passes over the training sentences").between(1, 100);
  lesson.question(
      {"A decoder is trained without its causal mask: each word may attend to later words. What happens?",
       {"it learns as before, a little slower", "its loss is lower, and it cannot translate",
        "its loss does not fall at all"},
       2,
       "The next word is the answer. In training the decoder copies it; in use there is nothing to copy yet."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.sentences = std::min<int64_t>(k.sentences, 4000), k.epochs = std::min<int64_t>(k.epochs, 5);
  app::tell(
      "\n   A transformer learns to translate between English and French sentences of a toy grammar. Then we look at "
      "its\n"
      "   masks, its cache and its heads, and train a decoder without the causal mask to see what goes wrong.\n");
  Recipe recipe = recipe_of(k, lesson.seed());
  std::vector<Way> ways;
  ways.push_back(learn_a_way("english-french", data::Direction::en_fr, k, recipe));
  if (!lesson.quick()) ways.push_back(learn_a_way("french-english", data::Direction::fr_en, k, recipe));
  three_masks(lesson, ways[0].learned.translator, ways[0].grammar);
  it_learns(lesson, ways);
  the_agreement(lesson, ways[0].learned, ways[0].grammar);
  CacheCheck cache = the_cache(ways[0]);
  It it = the_pronoun(lesson, k, ways[0], recipe);
  if (!lesson.quick()) the_heads_of_it(lesson, ways[0].learned.translator);  // needs a model that resolves "it"
  word_by_word(lesson, ways[0].learned.translator);
  std::vector<Trial> trials = it_breaks(lesson, k, ways[0].grammar, recipe);
  const Trial &broken = trials[0], &mended = trials[1];

  heading("Claims");
  for (const Way& w : ways)
    lesson.claim({.name = fmt::format("{}: test sentences without a fault, in %", w.name),
                  .measured = w.greedy,
                  .comparator = ">=",
                  .threshold = lesson.quick() ? 20.0 : 99.0,
                  .control = fmt::format("no causal mask: {:.1f}", broken.exact)});
  lesson.check({.name = "log p, cached against parallel decoding, largest difference",
                .measured = cache.with,
                .comparator = "<=",
                .threshold = 1e-5,
                .control = cache.without});
  if (!lesson.quick())
    lesson.claim({.name = "\"it\" correctly translated as il or elle, in %",
                  .measured = it.transformer,
                  .comparator = ">=",
                  .threshold = 98,
                  .control = it.own_word});
  lesson.check({.name = "own word only: il or elle, points away from chance",
                .measured = std::abs(it.own_word - 50),
                .comparator = "<=",
                .threshold = 3,
                .control = fmt::format("correct in all words: {:.0f} %", it.words_own_word)});
  lesson.check({.name = "no causal mask: validation loss divided by the loss with the mask",
                .measured = broken.loss / mended.loss,
                .comparator = "<=",
                .threshold = lesson.quick() ? 0.95 : 0.6,
                .control = fmt::format("{:.3f} and {:.3f}", broken.loss, mended.loss)});
  lesson.check({.name = "no causal mask: sentences without a fault, in %",
                .measured = broken.exact,
                .comparator = "<=",
                .threshold = 1,
                .control = mended.exact});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_26); }
