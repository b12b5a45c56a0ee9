// Lesson 25: masked words and sentence vectors. An encoder learns from text without labels, and is then used twice.
//
//   1  masked words      which words are masked, and learning to predict them
//   2  few labels        il or elle? The same classifier on the pretrained encoder and on an untrained one
//   3  sentence vectors  [CLS], the mean, and the mean after contrastive training: which one finds the translation?
//                        And the same with hashed attention (Reformer), and with external attention, in the layers
//
// B texts, S words, D width, V vocabulary.
#include "tutorials/common/main.h"

#include "nn/sentence/training.h"
#include "nn/train/progress.h"
#include "tutorials/25_cls_and_masked_words/few_labels.h"
#include "tutorials/25_cls_and_masked_words/finding.h"
#include "tutorials/common/show.h"

using namespace masked_words;
using app::heading, app::show;

namespace {

struct Knobs {
  int64_t epochs = 14, pairs = 8000, labels = 96, passes = 3;
  double rate = 3e-3;
};

// mixers: what takes the place of self-attention in its layers; empty: nothing does.
nn::SentenceEncoder fresh_encoder(const data::ToyCorpus& corpus, uint64_t seed, const std::string& mixers = "") {
  nn::TransformerOptions o{.model = 64,
                           .heads = 4,
                           .inner = 128,
                           .encoder_layers = 2,
                           .activation = "gelu",
                           .norm_first = true,
                           .dropout = 0};
  o.encoder_mixers = mixers;
  return nn::SentenceEncoder({.tokenizer = {text::Tokenizer::Kind::words}, .vocabulary = vocabulary_of(corpus)}, o,
                             seed);
}

// ---- 1  masked words ------------------------------------------------------------------------------------------------
void what_is_hidden(app::Lesson& lesson, const nn::SentenceEncoder& e, const data::MaskingOptions& masking,
                    const data::AlignedPair& pair) {
  heading("1  Masked words");
  report::TablePanel table{.title = "Masked words in four epochs",
                           .text =
                               "One text of two segments in four epochs. Of the words to predict, 80 % become [MASK], "
                               "10 % become another word, and 10 % stay as they are.",
                           .header = {"epoch", "input of the encoder", "words to predict"}};
  auto ids = data::marked(e.marks(), e.pieces(pair.source), e.pieces(pair.target));
  for (int64_t epoch = 1; epoch <= 4; ++epoch) {
    data::MaskedText text = data::mask_words(ids, masking, data::masking_generator(masking, epoch, 0));
    std::string seen, asked;
    for (int64_t id : text.ids) seen += (seen.empty() ? "" : " ") + e.parts.vocabulary.token(id);
    for (int64_t id : text.words) asked += (asked.empty() ? "" : ", ") + e.parts.vocabulary.token(id);
    table.rows.push_back({std::to_string(epoch), seen, asked});
    app::item(fmt::format("epoch {}", epoch), fmt::format("{}   to predict: {}", seen, asked));
  }
  lesson.report().table(table);
  fmt::print("\n");
}

struct Guessing {       // correct words in %
  double pairs, alone;  // with the translation in the second segment; of a sentence alone
  double frequent;      // always answering with the most frequent word
};
Guessing learn_to_guess(app::Lesson& lesson, nn::SentenceEncoder& e, const data::ToyCorpus& corpus,
                        const data::MaskingOptions& masking, const Knobs& k) {
  auto train = texts_of(e, corpus.train), valid = texts_of(e, corpus.validation);
  auto steps = static_cast<int64_t>(data::epoch_batches(train, 64, 0, 0).size()) * k.epochs;
  nn::Progress progress(steps, {.label = "masked words", .unit = "words"});
  report::Series learned{.name = "training"}, checked{.name = "validation"};
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& s) { progress.step({.loss = s.loss, .items = s.tokens}); };
  watcher.on_epoch = [&](const nn::EpochRecord& r) {
    learned.y.push_back(r.train_loss);
    checked.y.push_back(r.valid_loss);
  };
  nn::fit(nn::fit_masked_words(e, masking), train, valid,
          {.epochs = k.epochs, .learning_rate = k.rate, .seed = lesson.seed(), .keep = "last"}, watcher);
  progress.finish();
  lesson.report().curves(
      {.title = "Training on masked words",
       .text = "Mean loss of the words to predict. In the validation texts, the same words are masked in "
               "every epoch.",
       .x_label = "epoch",
       .y_label = "loss, nats per word",
       .series = {learned, checked}});
  std::vector<data::EncodedPair> two, one;
  for (size_t i = 0; i < valid.size(); ++i) (i % 2 ? one : two).push_back(valid[i]);
  int64_t all = 0, most = 0;
  for (int64_t id = e.parts.vocabulary.first_word(); id < e.parts.vocabulary.size(); ++id) {
    all += e.parts.vocabulary.count(id);
    most = std::max(most, e.parts.vocabulary.count(id));
  }
  Guessing g{100 * nn::masked_word_accuracy(e, two, masking), 100 * nn::masked_word_accuracy(e, one, masking),
             100 * static_cast<double>(most) / static_cast<double>(all)};
  app::tell("correct masked words: {:.1f} % with the translation in the second segment, {:.1f} % in a sentence alone\n",
            g.pairs, g.alone);
  return g;
}

// ---- 2  few labels --------------------------------------------------------------------------------------------------
struct Labels {
  double pretrained, scratch;
};
Labels from_few_labels(app::Lesson& lesson, const nn::SentenceEncoder& pretrained, const nn::SentenceEncoder& fresh,
                       const Knobs& k) {
  heading("2  Few labels");
  report::BarsPanel bars{.title = "il or elle?",
                         .text =
                             "Correct test sentences after training with this number of labelled sentences. Chance "
                             "is 50 %. Knowing only the nouns, or only the adjective, gives 50 % as well.",
                         .x_label = "labelled sentences",
                         .y_label = "correct, %",
                         .series = {{.name = "pretrained"}, {.name = "from scratch"}}};
  report::TablePanel table{.title = "il or elle? The same numbers", .header = {"labels", "pretrained", "from scratch"}};
  Labels last{};
  for (int64_t labels : {k.labels / 4, k.labels / 2, k.labels}) {
    Question q = il_or_elle(labels, lesson.seed());
    auto right = [&](const nn::SentenceEncoder& from) {
      nn::SentenceEncoder e = copy_of(from);
      return learn_labels(e, q, {.seed = lesson.seed()});
    };
    last = {right(pretrained), right(fresh)};
    bars.labels.push_back(std::to_string(labels));
    bars.series[0].values.push_back(last.pretrained);
    bars.series[1].values.push_back(last.scratch);
    table.rows.push_back(
        {std::to_string(labels), fmt::format("{:.1f} %", last.pretrained), fmt::format("{:.1f} %", last.scratch)});
  }
  lesson.report().bars(bars);
  show(lesson, table);
  return last;
}

// ---- 3  one vector --------------------------------------------------------------------------------------------------
struct Found {
  double cls, mean, contrastive, scratch;  // accuracy at 1, in %
  double hashed, hashed_fresh;  // hashed attention without pretraining: after contrastive training, and before
};
Found who_finds(app::Lesson& lesson, const nn::SentenceEncoder& pretrained, const nn::SentenceEncoder& fresh,
                const data::ToyCorpus& corpus, const Knobs& k) {
  heading("3  One vector per sentence");
  Sides test;
  for (const auto& p : corpus.test) test.english.push_back(p.source), test.french.push_back(p.target);
  std::vector<data::AlignedPair> some(corpus.train.begin(), corpus.train.begin() + std::ssize(corpus.train) / 2);
  auto contrasted = [&](const nn::SentenceEncoder& from) {
    nn::SentenceEncoder e = copy_of(from);
    nn::fit(nn::fit_contrastive(e, "mean", {.temperature = 0.05, .symmetric = true}), pairs_of(e, some),
            pairs_of(e, corpus.validation),
            {.epochs = k.passes, .learning_rate = 2e-3, .warmup = 50, .seed = lesson.seed(), .keep = "last"});
    return e;
  };
  nn::SentenceEncoder after = contrasted(pretrained), from_scratch = contrasted(fresh);
  report::TablePanel table{
      .title = "Translations found",
      .text = fmt::format("For each English sentence: is its translation the nearest of {} French test sentences? "
                          "MRR is the mean of 1 / rank of the translation.",
                          test.french.size()),
      .header = {"sentence vector", "nearest", "MRR"}};
  report::BarsPanel bars{.title = "Translations found, by sentence vector",
                         .text = "English test sentences whose translation has the nearest vector.",
                         .y_label = "found, %",
                         .series = {{.name = "translation is the nearest"}}};
  auto row = [&](const std::string& name, const nn::SentenceEncoder& e, const std::string& pooling) {
    nn::Retrieval r = find(e, test, pooling);
    table.rows.push_back({name, fmt::format("{:.1f} %", 100 * r.accuracy), fmt::format("{:.3f}", r.mrr)});
    bars.labels.push_back(name);
    bars.series[0].values.push_back(100 * r.accuracy);
    return 100 * r.accuracy;
  };
  Found f{};
  f.cls = row("pretrained [CLS]", pretrained, "cls");
  f.mean = row("pretrained mean", pretrained, "mean");
  row("pretrained maximum", pretrained, "max");
  row("untrained mean", fresh, "mean");
  f.contrastive = row("contrastive mean", after, "mean");
  row("contrastive [CLS]", after, "cls");
  f.scratch = row("contrastive mean, no pretraining", from_scratch, "mean");
  if (!lesson.quick()) {  // other attention, no pretraining
    nn::SentenceEncoder hashed = fresh_encoder(corpus, lesson.seed(), "reformer");
    f.hashed = row("contrastive mean, hashed attention", contrasted(hashed), "mean");
    f.hashed_fresh = row("untrained mean, hashed attention", hashed, "mean");
    row("contrastive mean, external attention", contrasted(fresh_encoder(corpus, lesson.seed(), "external")), "mean");
  }
  lesson.report().bars(bars);
  show(lesson, table);
  some_neighbours(lesson, pretrained, after, test);
  after.pooling = "mean";
  after.save(lesson.folder() + "/model.safetensors");
  app::tell("the encoder after contrastive training is saved: ./heed embed --model {}\n", lesson.folder());
  return f;
}

int lesson_25(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("25_cls_and_masked_words",
                     "Masked words and sentence vectors: what an encoder learns from text without labels");
  lesson.knob("epochs", &k.epochs, "epochs of predicting masked words").between(1, 1000);
  lesson.knob("pairs", &k.pairs, "sentence pairs to pretrain with").between(1000, 20000);
  lesson.knob("labels", &k.labels, "largest number of labelled sentences").between(16, 2000);
  lesson.knob("passes", &k.passes, "epochs of contrastive training, over half of the pairs").between(1, 100);
  lesson.knob("rate", &k.rate, "highest learning rate of pretraining").between(1e-5, 1);
  lesson.question(
      {"An encoder has learned to predict masked words in English and French sentences side by side. Now it "
       "reads one sentence at a time. Which of its vectors makes an English sentence most similar to its "
       "translation?",
       {"[CLS], which represents the sentence", "the mean over the words", "neither, before more training"},
       3,
       "Nothing in predicting words asks for similar vectors. Contrastive training asks for exactly that."});
  lesson.writes("model.safetensors");
  lesson.start(argc, argv);
  if (lesson.quick()) k.pairs = std::min<int64_t>(k.pairs, 4000), k.epochs = std::min<int64_t>(k.epochs, 5);
  app::tell(
      "\n   An encoder learns to predict masked words of {} sentence pairs. Then it is used twice: for a question\n"
      "   with few labelled answers, and for sentence vectors that find translations.\n",
      k.pairs);
  data::ToyCorpus corpus = data::toy_corpus(
      {.train = static_cast<int>(k.pairs), .validation = 200, .test = 500, .combinations = 0, .seed = lesson.seed()});
  nn::SentenceEncoder encoder = fresh_encoder(corpus, lesson.seed()), fresh = copy_of(encoder);
  data::MaskingOptions masking = encoder.masking();
  masking.seed = lesson.seed();
  what_is_hidden(lesson, encoder, masking, data::pronoun_family()[0].pair);
  Guessing guessed = learn_to_guess(lesson, encoder, corpus, masking, k);
  Labels labels = lesson.quick() ? Labels{} : from_few_labels(lesson, encoder, fresh, k);
  Found found = who_finds(lesson, encoder, fresh, corpus, k);

  heading("Claims");
  lesson.claim({.name = "masked words predicted with the translation given, in %",
                .measured = guessed.pairs,
                .comparator = ">=",
                .threshold = lesson.quick() ? 20.0 : 55.0,
                .control = fmt::format("sentence alone: {:.1f}; always the most frequent word: {:.1f}", guessed.alone,
                                       guessed.frequent)});
  if (!lesson.quick())
    lesson.claim({.name = "il or elle from few labels: pretrained minus from scratch, in points",
                  .measured = labels.pretrained - labels.scratch,
                  .comparator = ">=",
                  .threshold = 20,
                  .control = fmt::format("pretrained: {:.1f}; from scratch: {:.1f}; chance: 50", labels.pretrained,
                                         labels.scratch)});
  lesson.claim({.name = "translations found: contrastive mean minus the better of pretrained [CLS] and mean, in points",
                .measured = found.contrastive - std::max(found.cls, found.mean),
                .comparator = ">=",
                .threshold = lesson.quick() ? 30.0 : 50.0,
                .control = fmt::format(
                    "pretrained [CLS]: {:.1f}; pretrained mean: {:.1f}; contrastive without pretraining: {:.1f}",
                    found.cls, found.mean, found.scratch)});
  if (!lesson.quick())
    lesson.check(
        {.name = "translations found without pretraining: dense minus hashed attention, in points",
         .measured = found.scratch - found.hashed,
         .comparator = "<=",
         .threshold = 3,
         .control = fmt::format("hashed: {:.1f}; hashed, untrained: {:.1f}", found.hashed, found.hashed_fresh)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_25); }
