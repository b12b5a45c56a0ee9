// The toy grammar as a translation task, and a transformer that learns it.
//
// clang-format off
//   exact      Sentences translated without any fault, in %.
//   resolved   Sentences with "it" whose pronoun, il or elle, is the right one, in %. By teacher
//              forcing: the decoder receives the true translation up to the pronoun, and of the two
//              words the one with the larger logit counts.
//   words      Words of the true translation that are predicted from those before them, in %.
// clang-format on
//
// B sentences, S source words, T target words, V vocabulary.
#pragma once

#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/models/translator.h"
#include "nn/train/fit.h"
#include "nn/train/progress.h"
#include "tensor/reduce.h"
#include "tutorials/report/report.h"

namespace encdec {

namespace nn = heed::nn;
namespace data = heed::data;
using heed::Tensor, heed::Variable;

struct Grammar {
  data::ToyCorpus corpus;
  data::AlignedPair agreement;                 // on the European Economic Area; in no training set
  std::vector<data::PronounExample> pronouns;  // of the test part: in no training set
};

inline Grammar make_grammar(data::Direction direction, int train) {
  Grammar g{data::toy_corpus({.direction = direction, .train = train, .test = 1000, .combinations = 300}), {}, {}};
  for (const auto& s : data::showcase_sentences(direction))
    if (std::count(s.pair.source.begin(), s.pair.source.end(), "1992")) g.agreement = s.pair;
  for (const auto& e : data::pronoun_family(direction))
    if (e.split == data::ToySplit::test) g.pronouns.push_back(e);
  return g;
}

// How a batch becomes logits [B, T, V]. The control of this lesson has masks that depend on the links between the words
// of a pair. It therefore receives the pairs, too; the batch contains their indices.
using Forward = Variable (*)(const nn::Transformer&, const data::Batch&, const std::vector<data::AlignedPair>&);
inline Variable as_it_is(const nn::Transformer& model, const data::Batch& b, const std::vector<data::AlignedPair>&) {
  return model(b.source, b.lengths, b.target_in);
}

inline const nn::Transformer& transformer_of(const nn::Translator& t) { return *t.model.as<nn::Transformer>(); }

inline std::vector<data::EncodedPair> encoded(const nn::Translator& t, const std::vector<data::AlignedPair>& pairs) {
  std::vector<data::EncodedPair> out;
  for (const auto& p : pairs) out.push_back(t.encode({p.source, p.target}));
  return out;
}

struct Recipe {
  nn::TransformerOptions model;
  nn::FitOptions fit;
};
inline nn::Translator fresh(const Grammar& g, const Recipe& recipe) {
  std::vector<std::vector<std::string>> source, target;
  for (const auto& p : g.corpus.train) source.push_back(p.source), target.push_back(p.target);
  return {{{}, heed::text::Vocabulary(source), heed::text::Vocabulary(target)},
          nn::paper_of<nn::Transformer>(recipe.model),
          recipe.fit.seed};
}

struct Learned {
  nn::Translator translator;
  std::vector<nn::EpochRecord> history = {};
  std::vector<heed::report::Snapshot> snapshots = {};  // of the agreement, after each epoch
};

inline heed::report::Matrix matrix_of(const nn::Translation& t) {
  return {static_cast<size_t>(t.rows()), static_cast<size_t>(t.columns()), {t.weights.begin(), t.weights.end()}};
}

// The first `sentences` of the training part; the last epoch's parameters are kept.
inline Learned learn(const std::string& name, nn::Translator translator, const Grammar& g, nn::FitOptions fit,
                     int64_t sentences, Forward forward = as_it_is) {
  Learned l{std::move(translator)};
  std::vector<data::AlignedPair> pairs = g.corpus.train;
  pairs.resize(std::min(pairs.size(), static_cast<size_t>(sentences)));
  auto train = encoded(l.translator, pairs);
  std::vector<data::EncodedPair> valid(train.begin(), train.begin() + std::min<std::ptrdiff_t>(200, std::ssize(train)));
  bool plain = forward == as_it_is;
  if (plain) valid = encoded(l.translator, g.corpus.validation);  // `forward` finds a batch's members in the pairs
  nn::FitModel model = nn::fit_model(l.translator.model);
  model.logits = [&](const data::Batch& b) { return forward(transformer_of(l.translator), b, pairs); };
  auto steps = static_cast<int64_t>(data::epoch_batches(train, fit.batch_size, 1, 1).size()) * fit.epochs;
  nn::Progress progress(steps, {.label = name, .unit = "words"});
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& s) { progress.step({.loss = s.loss, .items = s.tokens}); };
  watcher.on_epoch = [&](const nn::EpochRecord& e) {
    if (plain)
      l.snapshots.push_back(
          {fmt::format("epoch {}", e.epoch), matrix_of(l.translator.align({g.agreement.source, g.agreement.target}))});
  };
  fit.keep = "last";
  l.history = nn::fit(model, train, valid, fit, watcher).history;
  progress.finish();
  return l;
}

inline double exact(const nn::Translator& t, const std::vector<data::AlignedPair>& pairs, int64_t beam = 1) {
  std::vector<std::vector<std::string>> sources;
  for (const auto& p : pairs) sources.push_back(p.source);
  auto written = t.translate(sources, {.beam = beam});
  double right = 0;
  for (size_t i = 0; i < pairs.size(); ++i) right += written[i].target == pairs[i].target;
  return 100 * right / static_cast<double>(pairs.size());
}

// Calls see(logits [B, T, V], batch) for all pairs, with teacher forcing.
template <class See>
void by_teacher_forcing(const nn::Translator& t, const std::vector<data::AlignedPair>& pairs, Forward forward,
                        const See& see) {
  heed::NoGrad guard;
  nn::Evaluating evaluating;
  auto ids = encoded(t, pairs);
  for (const auto& members : data::sorted_batches(ids, 100)) {
    data::Batch b = data::make_batch(ids, members);
    see(forward(transformer_of(t), b, pairs).value(), b);
  }
}

inline double resolved(const nn::Translator& t, const std::vector<data::PronounExample>& examples,
                       Forward forward = as_it_is) {
  std::vector<data::AlignedPair> pairs;
  for (const auto& e : examples) pairs.push_back(e.pair);
  int64_t il = t.parts.target.id("il"), elle = t.parts.target.id("elle");
  double right = 0;
  by_teacher_forcing(t, pairs, forward, [&](const Tensor& logits, const data::Batch& b) {
    for (size_t r = 0; r < b.members.size(); ++r) {
      const auto& e = examples[static_cast<size_t>(b.members[r])];
      auto row = static_cast<int64_t>(r);
      right += (logits.at({row, e.pronoun_target, elle}) > logits.at({row, e.pronoun_target, il})) == e.feminine;
    }
  });
  return 100 * right / static_cast<double>(examples.size());
}

inline double words_right(const nn::Translator& t, const std::vector<data::AlignedPair>& pairs,
                          Forward forward = as_it_is) {
  double right = 0, words = 0;
  by_teacher_forcing(t, pairs, forward, [&](const Tensor& logits, const data::Batch& b) {
    Tensor likeliest = argmax(logits, 2);  // [B, T]
    for (int64_t r = 0; r < likeliest.size(0); ++r)
      for (int64_t k = 0; k < std::ssize(pairs[static_cast<size_t>(b.members[static_cast<size_t>(r)])].target); ++k)
        right += likeliest.at({r, k}) == b.target_out.at({r, k}), ++words;
  });
  return 100 * right / words;
}

}  // namespace encdec
