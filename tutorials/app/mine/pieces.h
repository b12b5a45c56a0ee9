// The pieces of a translator for which a learner's function can be used.
//
//   Pieces pieces = library_pieces();          every piece is the library's
//   part.use(pieces);                          one of them becomes the learner's (part.h)
//   Assembled model(options, pieces, rng);     the translator that is made of them (model.h)
//
// Each piece is one function, so a part is replaced where the translator is put together, and neither the library nor
// the learner's file changes. B batch, S source positions, T target positions, N hidden units, A width of an encoder
// output, D width of the score, V vocabulary.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/attention/attention.h"

namespace heed::app {

struct Assembled;  // the translator that is made of them (model.h)

// What attention reads, for one query of each sentence.
struct Lookup {
  Variable query, values;   // [B, N], [B, S, A]
  Variable keys;            // W_k h [B, S, D]; undefined if the piece computes them itself
  Variable W_q, W_k, v;     // [D, N], [D, A], [D]
  Tensor lengths, allowed;  // [B] i64; [B, S] bool, false for padding
};

// One row of a batch for training: <s> y_1 .. y_n, y_1 .. y_n </s>, and 1 where the loss counts.
struct ForcedRow {
  std::vector<int64_t> input, target, mask;  // [T] each
};

struct Pieces {
  using Ids = std::vector<int64_t>;
  using Words = std::vector<std::string>;
  using Update = std::function<void(double learning_rate)>;  // one step of an optimiser, from the gradients

  std::function<Variable(const Variable& x, const Variable& w)> product;  // [.., M, K] [K, N] -> [.., M, N]
  std::function<Variable(const Variable& x, const Variable& b)> add;      // with broadcasting
  std::function<Variable(const Variable& e)> softmax;                     // along the last axis; -inf becomes 0
  std::function<Variable(const Variable& x)> log_p;                       // logits -> logits or log-probabilities
  std::function<Variable(const Variable& a, const Variable& b, const Variable& h)> gru;  // -> h' [B, N]
  std::function<nn::Attended(const Pieces&, const Lookup&)> attend;                      // context [B, A], weights
  bool computes_keys = false;                                                   // attend computes the keys itself
  std::function<Variable(const Variable& logits, const Tensor& targets)> loss;  // mean over the words
  std::function<void(const std::vector<NamedVariable>& parameters, double limit)> clip;  // of their gradients
  std::function<Update(const std::vector<NamedVariable>& parameters)> optimiser;
  std::function<ForcedRow(const Ids& symbols, size_t T)> force;
  // source [1, S] i64, lengths [1] i64 -> at most `limit` words, without </s>
  std::function<Ids(const Assembled& model, const Tensor& source, const Tensor& lengths, int64_t limit)> greedy;
  std::function<Ids(const Assembled& model, const Tensor& source, const Tensor& lengths, int64_t limit, size_t width)>
      beam;
  std::function<double(const Words& hypothesis, const Words& reference)> bleu;  // of one sentence, 0 to 100
};

Pieces library_pieces();

// x W^T + b with the pieces' product and addition; W [O, I], b [O] or undefined.
Variable linear_of(const Pieces& pieces, const Variable& x, const Variable& W, const Variable& b);

// The BLEU of one sentence, 0 to 100, as exercise 13.1 defines it: 0 if the hypothesis has no matching n-gram of one of
// the orders.
double sentence_bleu(const Pieces::Words& hypothesis, const Pieces::Words& reference);

}  // namespace heed::app
