// A classifier with attention pooling, over one of two encoders, and its training.
//
// clang-format off
//   x_i = E[word_i]                                              [B, T, E]
//   h_i = [LSTM forward; LSTM backward](x)     BiLSTM            [B, T, 2N]
//       = tanh(W x_i)                          embeddings: h_i depends on no other word
//   w   = softmax_i(v . tanh(U h_i)),  or 1 / T in a model with uniform weights          [B, T]
//   y   = u . (sum_i w_i h_i) + b  =  sum_i w_i z_i,   z_i = u . h_i + b                 [B]
// clang-format on
//
// sigmoid(y) is the probability of "good". z_i would be the answer if word i had all the weight. Bahdanau's
// score with a learned query in place of the decoder state, as in Jain and Wallace (NAACL 2019), section 2.
#pragma once

#include <functional>
#include <optional>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/padding.h"
#include "nn/recurrent/lstm.h"
#include "nn/train/progress.h"
#include "tensor/compare.h"
#include "tutorials/29_explain/reviews.h"

namespace explain {

namespace nn = heed::nn;
using heed::Variable;

struct ClassifierOptions {
  bool recurrent = true;  // BiLSTM, or embeddings
  bool uniform = false;   // all weights are 1 / T
  int64_t vocabulary = 0, embedding = 16, hidden = 16, attention = 16;
};

struct Read {
  Variable x, h;     // [B, T, E], [B, T, 2N]
  Variable weights;  // [B, T], 0 for padding
  Variable answer;   // y [B]
};

struct Classifier : nn::Module {
  using Options = ClassifierOptions;
  Classifier(const Options& o, Generator& rng)
      : options(o),
        embedding({.vocabulary = o.vocabulary, .width = o.embedding}, rng),
        keys({2 * o.hidden, o.attention}, rng),
        query({o.attention, 1, false}, rng),
        output({2 * o.hidden, 1}, rng) {
    if (o.recurrent)
      lstm.emplace(nn::LSTMOptions{.input = o.embedding, .hidden = o.hidden, .bidirectional = true}, rng);
    if (!o.recurrent) alone.emplace(nn::Linear::Options{o.embedding, 2 * o.hidden}, rng);
  }

  Read operator()(const Batch& batch) const { return read(embedding(batch.ids), batch.lengths); }
  Read read(const Variable& x, const Tensor& lengths) const {
    Tensor mask = nn::length_mask(lengths, x.size(1));  // [B, T]
    Variable h = lstm ? (*lstm)(x, lengths).annotations : tanh((*alone)(x));
    Variable scores = squeeze(query(tanh(keys(h))), 2);  // [B, T]
    if (options.uniform) scores = scores.detach() * 0.0;
    nn::Attended seen = nn::attend(unsqueeze(scores, 1), h, mask.unsqueeze(1));
    return {x, h, squeeze(seen.weights, 1), squeeze(output(squeeze(seen.context, 1)), 1)};
  }
  // The answer with other weights [B, T] over the same encoder outputs.
  Variable answer_with(const Variable& weights, const Variable& h) const {
    return squeeze(output(squeeze(matmul(unsqueeze(weights, 1), h), 1)), 1);
  }

  void visit(nn::Visitor& v) {
    v.child("embedding", embedding);
    if (lstm) v.child("lstm", *lstm);
    if (alone) v.child("alone", *alone);
    v.child("keys", keys);
    v.child("query", query);
    v.child("output", output);
  }
  Options options;
  nn::Embedding embedding;
  std::optional<nn::LSTM> lstm;
  std::optional<nn::Linear> alone;
  nn::Linear keys, query, output;
};

// Reviews classified correctly, in %, given the answers [B].
inline double percent_right(const Tensor& answers, const Tensor& labels) {
  Tensor right = heed::equal(heed::greater(answers, 0), heed::greater(labels, 0.5));
  return 100 * heed::mean(right.to(heed::DType::f64)).item();
}
inline double percent_right(const Classifier& m, const Batch& batch) {
  heed::NoGrad guard;
  return percent_right(m(batch).answer.value(), batch.labels);
}

struct Training {
  std::string label;
  int64_t steps = 500, batch = 32;
  double rate = 5e-3;
  uint64_t seed = 1;
};
// Adam on random batches. `loss_of` is the loss of a batch and of the numbers of its reviews; by default that of the
// labels. Gives the losses.
using LossOf = std::function<Variable(const Batch&, const std::vector<int64_t>&)>;
inline std::vector<double> train(Classifier& m, const Task& task, const Training& t, LossOf loss_of = {}) {
  if (!loss_of)
    loss_of = [&m](const Batch& b, const std::vector<int64_t>&) { return bce_with_logits_loss(m(b).answer, b.labels); };
  Generator rng(t.seed, 1ull << 40);
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = t.rate});
  nn::Progress progress(t.steps, {.label = t.label, .unit = "reviews"});
  std::vector<double> losses;
  for (int64_t s = 0; s < t.steps; ++s) {
    std::vector<int64_t> members;
    std::vector<Review> reviews;
    for (int64_t i = 0; i < t.batch; ++i) {
      members.push_back(rng.below(std::ssize(task.train)));
      reviews.push_back(task.train[static_cast<size_t>(members.back())]);
    }
    adam.zero_grad();
    Variable loss = loss_of(batch_of(task.words, reviews), members);
    backward(loss);
    nn::clip_grad_norm(adam.parameters(), 1);
    adam.step();
    losses.push_back(loss.item());
    progress.step({.loss = losses.back(), .items = t.batch});
  }
  progress.finish();
  return losses;
}

}  // namespace explain
