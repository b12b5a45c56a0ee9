// Training of classifiers and taggers, and their accuracy on new documents.
#pragma once

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/train/progress.h"
#include "tensor/reduce.h"
#include "tutorials/21_hierarchical/readers.h"

namespace hierarchy {

struct Training {
  int64_t steps = 600, batch = 32;
  double rate = 3e-3;
  uint64_t seed = 1;
};
struct Score {  // in %, of documents
  double right = 0;
  double found = -1;   // the deciding sentence has the largest weight; -1: the model has no weights
  double weight = -1;  // the mean weight of the deciding sentence
  double beside = -1;  // of the errors: predicted is the class word of the sentence before or after the deciding one
};
struct Outcome {
  std::string name;
  int64_t parameters = 0;
  Score test, far;                                 // documents as long as in training, and longer ones
  std::vector<double> losses = {}, measured = {};  // measured: validation accuracy in %, every 50 steps
};

inline data::DocumentBatch all_of(const data::DocumentTask& task, const std::vector<data::Document>& documents) {
  std::vector<int64_t> members;
  for (size_t i = 0; i < documents.size(); ++i) members.push_back(static_cast<int64_t>(i));
  return document_batch(task, documents, members);
}

inline double share(const Tensor& true_where) { return 100 * mean(true_where.to(heed::DType::f64)).item(); }

inline double percent_right(const Classifier& m, const data::DocumentBatch& batch) {
  heed::NoGrad guard;
  return share(equal(argmax(m(batch).value(), 1), batch.labels));
}

// Adam on random batches. `loss_of` computes the loss of a batch; `after` is called every 50 steps.
template <class M, class Loss, class After>
std::vector<double> train(M& m, const std::string& name, const data::DocumentTask& task, const Training& t,
                          const Loss& loss_of, const After& after) {
  heed::Generator rng(t.seed, 1ull << 40);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = name, .unit = "documents"});
  std::vector<double> losses;
  for (int64_t s = 1; s <= t.steps; ++s) {
    std::vector<int64_t> members;
    for (int64_t i = 0; i < t.batch; ++i) members.push_back(rng.below(static_cast<int64_t>(task.train.size())));
    data::DocumentBatch batch = document_batch(task, task.train, members);
    adam.zero_grad();
    Variable loss = loss_of(batch);
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    losses.push_back(loss.item());
    progress.step({.loss = losses.back(), .items = t.batch});
    if (s % 50 == 0) after();
  }
  progress.finish();
  return losses;
}

// Of the documents with a wrong prediction, in %: those in which a sentence next to the deciding one contains the class
// word that was predicted.
inline double named_beside(const Tensor& named, const data::DocumentBatch& batch) {
  int64_t M = batch.words.size(1), L = batch.words.size(2), wrong = 0, beside = 0;
  constexpr int64_t c0 = data::Symbols::specials + 1;  // the id after that of "verdict"
  for (int64_t b = 0; b < named.size(0); ++b) {
    int64_t word = named.data<int64_t>()[b], cue = batch.cue_sentence.data<int64_t>()[b];
    if (word == batch.labels.data<int64_t>()[b]) continue;
    bool found = false;
    for (int64_t m : {cue - 1, cue + 1})
      for (int64_t l = 0; l < L && m >= 0 && m < M; ++l)
        found = found || batch.words.data<int64_t>()[(b * M + m) * L + l] == c0 + word;
    ++wrong;
    beside += found;
  }
  return wrong > 0 ? 100 * static_cast<double>(beside) / static_cast<double>(wrong) : -1;
}

inline Score score(const Classifier& m, const data::DocumentBatch& batch) {
  heed::NoGrad guard;
  Score out{.right = percent_right(m, batch)};
  out.beside = named_beside(argmax(m(batch).value(), 1), batch);
  Tensor w = m.reader(batch).sentences;  // [B, M]
  if (!w.defined()) return out;
  out.found = share(equal(argmax(w, 1), batch.cue_sentence));
  double total = 0;
  for (int64_t b = 0; b < w.size(0); ++b) total += w.at({b, batch.cue_sentence.data<int64_t>()[b]});
  out.weight = 100 * total / static_cast<double>(w.size(0));
  return out;
}

inline Outcome learn(Classifier& m, const data::DocumentTask& task, const data::DocumentTask& far, const Training& t) {
  Outcome out{.name = m.reader.options.kind, .parameters = nn::count_parameters(m), .test = {}, .far = {}};
  data::DocumentBatch validation = all_of(task, task.validation);
  out.losses = train(
      m, out.name, task, t, [&](const data::DocumentBatch& b) { return cross_entropy(m(b), b.labels); },
      [&] { out.measured.push_back(percent_right(m, validation)); });
  out.test = score(m, all_of(task, task.test));
  out.far = score(m, all_of(far, far.test));
  return out;
}

// Correct tags in % of the class words of the test documents.
inline double learn_tags(Tagger& m, const std::string& name, const data::DocumentTask& task, const Training& t) {
  auto tags_of = [](const data::DocumentBatch& b) {
    return b.tags.reshape({b.tags.size(0) * b.tags.size(1), b.tags.size(2)});
  };
  train(
      m, name, task, t, [&](const data::DocumentBatch& b) { return cross_entropy(m(b), tags_of(b)); }, [] {});
  heed::NoGrad guard;
  data::DocumentBatch test = all_of(task, task.test);
  Tensor tags = tags_of(test), counts = greater(tags, 0);  // class words: 1 or 2
  Tensor right = equal(argmax(m(test).value(), 2), tags);
  return 100 * sum(mul(right.to(heed::DType::f64), counts.to(heed::DType::f64))).item() /
         sum(counts.to(heed::DType::f64)).item();
}

}  // namespace hierarchy
