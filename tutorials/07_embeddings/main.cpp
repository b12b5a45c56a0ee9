// Lesson 07: embeddings. Each word gets a vector, learned from the words that occur next to it.
//
//   1  text               sentences, a vocabulary, and pairs of neighbouring words
//   2  training           true neighbours against words drawn at random
//   3  nearest words      before and after training
//   4  one change         shuffled text, no negatives, the window: how many nearest words have the same word class
//   5  chair and tiger    three seeds, and a matrix of cosines
//   6  two dimensions     the first two principal components
//   7  a file             vectors in word2vec's text format, ours or yours
#include <fmt/format.h>

#include <optional>

#include "nn/io/file.h"
#include "tutorials/07_embeddings/pictures.h"
#include "tutorials/07_embeddings/skip_gram.h"
#include "tutorials/common/lesson.h"
#include "tutorials/common/main.h"
#include "tutorials/common/show.h"

using namespace heed;

namespace {

using app::heading, app::show;

constexpr int64_t kNear = 5;  // how many nearest words are counted
const std::vector<std::string> kSentence{"the",  "agreement", "on",     "the", "european", "economic",
                                         "area", "was",       "signed", "in",  "august",   "1992"};
const std::vector<std::string> kContent{"agreement", "european", "economic", "area", "signed", "august", "1992"};

struct Knobs {
  int64_t sentences = 20000, width = 32, epochs = 5, window = 2, negatives = 5;
};
SkipGramTraining training_of(const Knobs& k, const std::string& name) {
  return {.name = name, .epochs = k.epochs, .negatives = k.negatives, .pairs = {.window = k.window}};
}
struct Learned {
  SkipGram model;
  std::vector<double> losses;
};
Learned learn_anew(const Knobs& k, const Text& text, const Sentences& sentences, const SkipGramTraining& t,
                   uint64_t seed) {
  Generator rng(seed, /*offset=*/1 << 20);
  Learned l{SkipGram({.vocabulary = text.words.size(), .width = k.width}, rng), {}};
  l.losses = learn(l.model, text, sentences, t, rng);
  return l;
}
text::WordVectors table_of(const SkipGram& model, const Text& text) {
  text::WordVectors table;
  for (int64_t id = text::Vocabulary::specials; id < text.words.size(); ++id)
    table.words.push_back(text.words.token(id));
  table.vectors = model.centre.weight.value().slice(0, text::Vocabulary::specials, text.words.size());
  return table;
}

Space untrained(const Knobs& k, const Text& text, uint64_t seed) {  // where learn_anew begins
  Generator rng(seed, /*offset=*/1 << 20);
  return Space(table_of(SkipGram({.vocabulary = text.words.size(), .width = k.width}, rng), text));
}
double chair_difference(const Space& space) { return space.cosine("chair", "table") - space.cosine("chair", "tiger"); }

// ---- 1  text --------------------------------------------------------------------------------------------------------
void the_text(const Knobs& k, const Text& text, const WordClasses& classes) {
  heading("1  Text: sentences of a toy grammar, without any information on word classes");
  int64_t with_class = 0;
  for (int64_t id = text::Vocabulary::specials; id < text.words.size(); ++id)
    with_class += !classes.of(text.words.token(id)).empty();
  app::tell("   {} sentences, {} words, {} different ones, of which {} have a class in the lexicon\n",
            text.sentences.size(), text.tokens(), text.words.size() - text::Vocabulary::specials, with_class);
  app::tell("   the first sentence: {}\n", fmt::join(text.words.decode(text.sentences[0]), " "));
  Generator rng(1);
  std::vector<double> all(static_cast<size_t>(text.words.size()), 1e-9);  // so rare that no word is skipped
  std::string pairs;
  int64_t signed_id = text.words.id("signed");
  for (const WordPair& p : neighbours_in({text.words.encode(kSentence)}, all, {.window = k.window}, rng))
    if (p.centre == signed_id) pairs += "  signed -> " + text.words.token(p.other);
  app::tell("\n   {}\n   pairs of its word \"signed\", window {}:{}\n", fmt::join(kSentence, " "), k.window, pairs);
}

// ---- 4  one change --------------------------------------------------------------------------------------------------
struct Measured {
  double same, cosine, difference;
};
struct Shares {
  double before = 0, shuffled = 0, shuffled_difference = 0;  // same class in %; chair's cosines
  double cosine = 0, cosine_alone = 0;                       // mean of all pairs of words, with and without negatives
};
Shares what_matters(app::Lesson& lesson, const Knobs& k, const Text& text, const WordClasses& classes,
                    const Space& before, const Space& after) {
  heading(fmt::format("4  One change at a time: of the {} nearest words of each word, the share with the same class",
                      kNear));
  report::TablePanel panel{
      .title = "One change at a time",
      .text = fmt::format(
          "Each row changes one thing. Same class: share of the {} nearest words of each word, and of the "
          "nearest word only. Mean cosine: of all pairs of words. Last: the cosines of chair and table, chair "
          "and tiger.",
          kNear),
      .header = {"training", "same class", "nearest", "mean cosine", "chair, table", "tiger"}};
  Shares shares;
  auto row = [&](const std::string& name, const Space& space) {
    double same = same_class(space, classes, kNear), cosine = mean_cosine(space);
    panel.rows.push_back({name, fmt::format("{:.1f} %", same), fmt::format("{:.1f} %", same_class(space, classes, 1)),
                          fmt::format("{:.2f}", cosine), fmt::format("{:.2f}", space.cosine("chair", "table")),
                          fmt::format("{:.2f}", space.cosine("chair", "tiger"))});
    return Measured{same, cosine, chair_difference(space)};
  };
  auto variant = [&](const std::string& name, const Sentences& sentences, const SkipGramTraining& t) {
    return row(name, Space(table_of(learn_anew(k, text, sentences, t, lesson.seed()).model, text)));
  };
  SkipGramTraining t = training_of(k, "");
  shares.before = row("none", before).same;
  shares.cosine = row("skip-gram", after).cosine;
  Generator rng(lesson.seed(), /*offset=*/1 << 24);
  t.name = "shuffled text";
  Measured chance = variant("shuffled text", shuffled(text.sentences, rng), t);
  shares.shuffled = chance.same, shares.shuffled_difference = chance.difference;
  t = training_of(k, "no negatives"), t.negatives = 0;
  shares.cosine_alone = variant("no negatives", text.sentences, t).cosine;
  if (!lesson.quick()) {
    for (int64_t window : {1, 5}) {
      t = training_of(k, fmt::format("window {}", window)), t.pairs.window = window;
      variant(t.name, text.sentences, t);
    }
    t = training_of(k, "no word skipped"), t.pairs.often = 1;
    variant("no word skipped", text.sentences, t);
  }
  show(lesson, panel);
  return shares;
}

// ---- 7  a file ------------------------------------------------------------------------------------------------------
void a_file(app::Lesson& lesson, const std::string& path, const std::optional<text::WordVectors>& given,
            const WordClasses& classes, const text::WordVectors& ours) {
  heading("7  A file: vectors in word2vec's text format");
  std::string own = lesson.folder() + "/vectors.txt";
  text::write_word_vectors(own, ours);
  app::tell("   ours are written to {}\n", own);
  if (!given && !path.empty()) {
    text::write_word_vectors(path, ours);
    app::tell("   {} did not exist: ours are written to it\n", path);
  }
  if (!given) return;
  Space space(*given);
  app::tell("   {}: {} words, {} numbers per vector\n\n", path, given->words.size(), given->vectors.size(1));
  show_nearest(lesson, "Nearest words in the file", kContent, space);
  app::tell("\n   of the {} nearest words of each word of our lexicon, {:.1f} % have the same class\n", kNear,
            same_class(space, classes, kNear));
  show_plane(lesson, "Words of the file in the plane", "The first two principal components of the words shown.", space);
}

int lesson_07(int argc, char** argv) {
  Knobs k;
  std::string file;
  app::Lesson lesson("07_embeddings", "Embeddings: word vectors learned from neighbouring words");
  lesson.knob("sentences", &k.sentences, "number of sentences of the toy grammar").between(2000, 60000);
  lesson.knob("width", &k.width, "numbers per vector").between(2, 512);
  lesson.knob("epochs", &k.epochs, "passes over the text").between(1, 100);
  lesson.knob("window", &k.window, "largest distance of a neighbour, in words").between(1, 10);
  lesson.knob("negatives", &k.negatives, "words drawn at random for each true neighbour").between(1, 50);
  lesson.options()
      .add("--embeddings", &file,
           "word vectors in word2vec's text format: read if F exists, otherwise ours are written to F")
      .placeholder("F");
  lesson.question(
      {"A model reads 20,000 sentences and learns a vector for each word. It is never told what a noun or a verb "
       "is. Of the five nearest words of a word, how many have the same word class?",
       {"one or two, as for random vectors", "three", "nearly five"},
       3,
       "Words of one class occur next to the same words, and the vectors are learned from nothing else."});
  lesson.writes("vectors.txt");
  lesson.start(argc, argv);
  std::optional<text::WordVectors> given;
  if (!file.empty() && io::exists(file)) given = text::read_word_vectors(file);
  if (lesson.quick()) k.epochs = std::min<int64_t>(k.epochs, 3);
  lesson.report().text(
      "What this page shows",
      "A network needs numbers, and a text consists of words. Here each word gets a vector, which is trained "
      "to predict the words next to it. Words that are used alike get similar vectors.");
  fmt::print("\n");
  app::item("",
            "Skip-gram learns a vector for each word from the words next to it, with three seeds. Then we look at the "
            "nearest words, and train again with one thing changed at a time.");
  WordClasses classes;
  Text text = read_text(k.sentences, lesson.seed());
  the_text(k, text, classes);

  heading("2  Training: which of these words really occurred next to the centre?");
  Space before = untrained(k, text, lesson.seed());
  Learned learned = learn_anew(k, text, text.sentences, training_of(k, "skip-gram"), lesson.seed());
  app::tell("   mean loss of each epoch: {:.3f}   (without any knowledge: {} log 2 = {:.3f})\n",
            fmt::join(learned.losses, " "), 1 + k.negatives, static_cast<double>(1 + k.negatives) * std::log(2.0));
  text::WordVectors table = table_of(learned.model, text);
  Space after(table);

  heading("3  Nearest words, by the cosine");
  show_nearest(lesson, "Nearest words, before and after training", {"chair", "tiger", "eats", "red", "three"}, after,
               &before);
  app::tell("\n   {}\n\n", fmt::join(kSentence, " "));
  show_nearest(lesson, "Nearest words of the sentence of the course", kContent, after);
  Shares shares = what_matters(lesson, k, text, classes, before, after);

  heading("5  Chair, table, tiger: three seeds, each with its own text and its own random start");
  report::TablePanel seeds{.title = "Chair, table, tiger: three seeds",
                           .header = {"seed", "same class", "cos(chair, table)", "cos(chair, tiger)", "difference"}};
  double least_same = 100, least_difference = 2, least_before = 2;
  for (uint64_t seed = lesson.seed(); seed < lesson.seed() + 3; ++seed) {
    Space space = after, start = before;
    if (seed != lesson.seed()) {
      Text other = read_text(k.sentences, seed);
      SkipGramTraining t = training_of(k, fmt::format("seed {}", seed));
      space = Space(table_of(learn_anew(k, other, other.sentences, t, seed).model, other));
      start = untrained(k, other, seed);
    }
    double same = same_class(space, classes, kNear), difference = chair_difference(space);
    least_same = std::min(least_same, same), least_difference = std::min(least_difference, difference);
    least_before = std::min(least_before, chair_difference(start));
    seeds.rows.push_back({std::to_string(seed), fmt::format("{:.1f} %", same),
                          fmt::format("{:.3f}", space.cosine("chair", "table")),
                          fmt::format("{:.3f}", space.cosine("chair", "tiger")), fmt::format("{:.3f}", difference)});
  }
  show(lesson, seeds);
  fmt::print("\n");
  show_cosines(lesson, "Cosines of fifteen nouns", after);

  heading("6  Two dimensions: the two directions in which the shown words differ most");
  double kept = show_plane(lesson, "Words in the plane, after training",
                           "36 words, projected on the two directions in which they differ most. The other "
                           "directions are not visible: words that look near may be far apart.",
                           after);
  show_plane(lesson, "The same words before training", "Random vectors: the groups are mixed.", before);
  app::tell("   the two dimensions keep {:.0f} % of the variance; report.html shows the picture\n", kept);
  a_file(lesson, file, given, classes, table);

  heading("Claims");
  lesson.claim(
      {.name = fmt::format("of the {} nearest words, those with the same class, in %, minimum of three seeds", kNear),
       .measured = least_same,
       .comparator = ">=",
       .threshold = 90,
       .control = fmt::format("before training: {:.1f}; shuffled text: {:.1f}", shares.before, shares.shuffled)});
  lesson.claim({.name = "cos(chair, table) - cos(chair, tiger), minimum of three seeds",
                .measured = least_difference,
                .comparator = ">=",
                .threshold = 0.3,
                .control = fmt::format("before training: {:.2f}; shuffled text, one seed: {:.2f}", least_before,
                                       shares.shuffled_difference)});
  lesson.claim({.name = "trained without negatives: mean cosine of all pairs of words",
                .measured = shares.cosine_alone,
                .comparator = ">=",
                .threshold = 0.6,
                .control = fmt::format("with {} negatives: {:.2f}", k.negatives, shares.cosine)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return app::run_main(argc, argv, lesson_07); }
