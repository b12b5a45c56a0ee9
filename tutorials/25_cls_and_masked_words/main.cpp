// Lesson 25: [CLS] and masked words. A reader that learns from text alone, and what its sentence vectors are worth.
//
//   1  masked words     what is hidden, and learning to guess it
//   2  few labels       il or elle? The same classifier on the reader that has guessed words, and on a fresh one
//   3  one vector       [CLS], the mean, and the mean after contrastive training: who finds the translation?
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

nn::SentenceEncoder fresh_encoder(const data::ToyCorpus& corpus, uint64_t seed) {
  nn::TransformerOptions o{.model = 64,
                           .heads = 4,
                           .inner = 128,
                           .encoder_layers = 2,
                           .activation = "gelu",
                           .norm_first = true,
                           .dropout = 0};
  return nn::SentenceEncoder({.tokenizer = {text::Tokenizer::Kind::words}, .vocabulary = vocabulary_of(corpus)}, o,
                             seed);
}

// ---- 1  masked words ------------------------------------------------------------------------------------------------
void what_is_hidden(app::Lesson& lesson, const nn::SentenceEncoder& e, const data::MaskingOptions& masking,
                    const data::AlignedPair& pair) {
  heading("1  Masked words");
  report::TablePanel table{.title = "Masked words in four epochs",
                           .text =
                               "One text of two segments as the reader sees it in four epochs, and what it is asked "
                               "for. The word asked for may stand there all the same, or another in its place.",
                           .header = {"epoch", "the reader sees", "asked for"}};
  auto ids = data::marked(e.marks(), e.pieces(pair.source), e.pieces(pair.target));
  for (int64_t epoch = 1; epoch <= 4; ++epoch) {
    data::MaskedText text = data::mask_words(ids, masking, data::masking_generator(masking, epoch, 0));
    std::string seen, asked;
    for (int64_t id : text.ids) seen += (seen.empty() ? "" : " ") + e.parts.vocabulary.token(id);
    for (int64_t id : text.words) asked += (asked.empty() ? "" : ", ") + e.parts.vocabulary.token(id);
    table.rows.push_back({std::to_string(epoch), seen, asked});
    app::item(fmt::format("epoch {}", epoch), fmt::format("{}   asked for: {}", seen, asked));
  }
  lesson.report().table(table);
  fmt::print("\n");
}

struct Guessing {
  double pairs, alone, frequent;  // words named rightly, in %: two segments, one, and always the most frequent word
};
Guessing learn_to_guess(app::Lesson& lesson, nn::SentenceEncoder& e, const data::ToyCorpus& corpus,
                        const data::MaskingOptions& masking, const Knobs& k) {
  auto train = texts_of(e, corpus.train), valid = texts_of(e, corpus.validation);
  auto steps = static_cast<int64_t>(data::epoch_batches(train, 64, 0, 0).size()) * k.epochs;
  nn::Progress progress(steps, {.label = "guessing", .unit = "words"});
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
  lesson.report().curves({.title = "Training on masked words",
                          .text = "Loss of a word asked for, in nats. Validation texts hide the same words each time.",
                          .x_label = "epoch",
                          .y_label = "loss",
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
  fmt::print("words named rightly: {:.1f} % with the translation beside, {:.1f} % in a sentence alone\n", g.pairs,
             g.alone);
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
                             "Test sentences named rightly, in %, after training on so many labelled ones. Chance "
                             "is 50 %, and so is knowing all nouns, or the adjective, alone.",
                         .x_label = "labels",
                         .y_label = "right, %",
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
};
Found who_finds(app::Lesson& lesson, const nn::SentenceEncoder& pretrained, const nn::SentenceEncoder& fresh,
                const data::ToyCorpus& corpus, const Knobs& k) {
  heading("3  One vector a sentence");
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
      .text = fmt::format("Of {} French test sentences the one whose vector is nearest to the English sentence's.",
                          test.french.size()),
      .header = {"vectors", "first", "MRR"}};
  report::BarsPanel bars{.title = "Translations found, by sentence vector",
                         .text = "The translation stands first, in % of the test sentences.",
                         .y_label = "first, %",
                         .series = {{.name = "accuracy at 1"}}};
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
  row("pretrained max", pretrained, "max");
  row("fresh mean", fresh, "mean");
  f.contrastive = row("contrastive mean", after, "mean");
  row("contrastive [CLS]", after, "cls");
  f.scratch = row("contrastive, fresh", from_scratch, "mean");
  lesson.report().bars(bars);
  show(lesson, table);
  some_neighbours(lesson, pretrained, after, test);
  after.pooling = "mean";
  after.save(lesson.folder() + "/model.safetensors");
  fmt::print("the contrastive encoder is saved: ./heed embed --model {}\n", lesson.folder());
  return f;
}

int lesson_25(int argc, char** argv) {
  Knobs k;
  app::Lesson lesson("25_cls_and_masked_words", "[CLS] and masked words: reading learned from text, and its vectors");
  lesson.knob("epochs", &k.epochs, "of guessing hidden words").between(1, 1000);
  lesson.knob("pairs", &k.pairs, "sentence pairs without labels").between(1000, 20000);
  lesson.knob("labels", &k.labels, "labelled sentences").between(16, 2000);
  lesson.knob("passes", &k.passes, "epochs of contrastive training, over half of the pairs").between(1, 100);
  lesson.knob("rate", &k.rate, "peak of the learning rate while guessing").between(1e-5, 1);
  lesson.question(
      {"A reader has learned to guess hidden words of English and French sentences that stand side by side. "
       "Now it reads one sentence at a time. For an English sentence, whose vector is nearest to that of "
       "its translation most often?",
       {"[CLS], which stands for the sentence", "the mean over the words", "neither, before more training"},
       3,
       "Nobody ever asked for near vectors. Contrastive training asks for just that."});
  lesson.start(argc, argv);
  if (lesson.quick()) k.pairs = std::min<int64_t>(k.pairs, 4000), k.epochs = std::min<int64_t>(k.epochs, 5);
  lesson.report().text("What this page shows",
                       "A reader guesses hidden words. What it has learned is used twice: for a question with few "
                       "labelled answers, and for one vector a sentence.");
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
  lesson.claim({.name = "hidden words named rightly, the translation beside, in %",
                .measured = guessed.pairs,
                .comparator = ">=",
                .threshold = lesson.quick() ? 20.0 : 55.0,
                .control = fmt::format("a sentence alone: {:.1f}; always the most frequent word: {:.1f}", guessed.alone,
                                       guessed.frequent)});
  if (!lesson.quick())
    lesson.claim({.name = "il or elle from few labels: pretrained, in points above from scratch",
                  .measured = labels.pretrained - labels.scratch,
                  .comparator = ">=",
                  .threshold = 20,
                  .control = fmt::format("pretrained: {:.1f}; from scratch: {:.1f}; chance: 50", labels.pretrained,
                                         labels.scratch)});
  lesson.claim({.name = "translations found: contrastive mean, in points above pretrained [CLS] and mean",
                .measured = found.contrastive - std::max(found.cls, found.mean),
                .comparator = ">=",
                .threshold = lesson.quick() ? 30.0 : 50.0,
                .control = fmt::format("[CLS]: {:.1f}; mean: {:.1f}; contrastive without pretraining: {:.1f}",
                                       found.cls, found.mean, found.scratch)});
  return lesson.finish();
}

}  // namespace

int main(int argc, char** argv) { return heed::app::run_main(argc, argv, lesson_25); }
