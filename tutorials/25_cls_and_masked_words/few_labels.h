// A linear classifier on a sentence encoder. Both are trained together, from few labelled sentences.
#pragma once

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/pool.h"
#include "tensor/compare.h"
#include "tensor/reduce.h"
#include "tutorials/25_cls_and_masked_words/texts.h"

namespace masked_words {

// A copy with parameters of its own, so that training it does not change the original.
inline nn::SentenceEncoder copy_of(const nn::SentenceEncoder& e) {
  nn::SentenceEncoder copy(e.parts, e.model.options, 0);
  nn::load_state(copy.model, nn::save_state(e.model), "the copy");
  copy.pooling = e.pooling;
  return copy;
}

struct FewLabels {
  int64_t steps = 150, batch = 16;
  double rate = 1e-3;
  std::string pooling = "cls";
  bool whole = true;  // false: only the classifier is trained
  uint64_t seed = 1;
};

// Correct test sentences in %, after training on q.few.
inline double learn_labels(nn::SentenceEncoder& e, const Question& q, const FewLabels& f) {
  Generator rng(f.seed, 1ull << 43);
  nn::Linear output({.in = e.model.options.model, .out = 2}, rng);
  auto logits = [&](const std::vector<Labelled>& from, const std::vector<int64_t>& members) {
    std::vector<std::vector<int64_t>> ids;
    for (int64_t m : members) ids.push_back(e.encode(from[static_cast<size_t>(m)].words));
    data::Batch batch = data::make_source_batch(ids);
    nn::Annotations a = e.annotate(batch.source, batch.lengths);
    return output(nn::pool(f.pooling, a.x, a.words));
  };
  auto labels = [](const std::vector<Labelled>& from, const std::vector<int64_t>& members) {
    std::vector<int64_t> out;
    for (int64_t m : members) out.push_back(from[static_cast<size_t>(m)].label);
    return Tensor::from(out, {std::ssize(out)});
  };
  std::vector<NamedVariable> parameters = nn::named_parameters(output);
  if (f.whole)
    for (auto& p : nn::named_parameters(e.model.reader)) parameters.push_back(p);
  nn::Adam adam(parameters, {.learning_rate = f.rate});
  nn::set_training(e.model, true);
  std::vector<int64_t> order(q.few.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  for (int64_t s = 0, at = 0; s < f.steps; ++s, at += f.batch) {
    if (s == 0 || at + f.batch > std::ssize(order)) at = 0, rng.shuffle(order);
    std::vector<int64_t> members(order.begin() + at, order.begin() + std::min(at + f.batch, std::ssize(order)));
    adam.zero_grad();
    nn::zero_grad(e.model);
    backward(cross_entropy(logits(q.few, members), labels(q.few, members)));
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
  }
  nn::set_training(e.model, false);
  NoGrad guard;
  std::vector<int64_t> all(q.test.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  Tensor predicted = argmax(logits(q.test, all).value(), 1);
  return 100 * mean(heed::equal(predicted, labels(q.test, all)).to(DType::f64)).item();
}

}  // namespace masked_words
