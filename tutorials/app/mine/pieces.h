// The pieces of a model for which a learner's function can be used.
//
//   Pieces pieces = library_pieces();          every piece is the library's
//   part.use(pieces);                          one of them becomes the learner's (part.h)
//   AssembledRecurrent model(options, pieces, rng);     the translator that is made of them (model.h); or the
//   transformer (transformer.h) or the GPT (gpt.h)
//
// Each piece is one function, so a part is replaced where the model is put together, and neither the library nor the
// learner's file changes. The transformer's pieces have the types of the exercises. B batch, S source positions, T
// target positions, N hidden units, A width of an encoder output, D width of the score or of the transformer, V
// vocabulary.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/attention/attention.h"
#include "tutorials/24_encoder/exercises/4_whole_encoder.h"
#include "tutorials/26_transformer/exercises/4_decoder_layer.h"
#include "tutorials/27_decoder/exercises/4_gpt.h"

namespace heed::app {

struct Assembled;  // a translator that is made of them (model.h)

// What attention reads, for one query of each sentence.
struct Lookup {
  Variable query, values;   // [B, N], [B, S, A]
  Variable keys;            // W_k h [B, S, D]; undefined if the piece computes them itself
  Variable W_q, W_k, v;     // [D, N], [D, A], [D]
  Tensor lengths, allowed;  // [B] i64; [B, S] bool, false for padding
};

// The matrices of multi-head attention, [D, D] each, as the library has them: q = x W_q^T.
struct HeadWeights {
  Variable W_q, W_k, W_v, W_o;
  int64_t heads;
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

  // Of a transformer. x [B, T, D] attends to m [B, S, D], where allowed, bool [B, T, S]; at least one in each row.
  std::function<Variable(const Pieces&, const Variable& x, const Variable& m, const HeadWeights&,
                         const Tensor& allowed)>
      multi_head;
  std::function<Tensor(int64_t T, int64_t D)> positions;                 // -> [T, D] f64
  std::function<Variable(const mine::Affine&, const Variable& x)> norm;  // [.., D]
  std::function<Variable(const Pieces&, const mine::Affine& first, const mine::Affine& second, const Variable& x)>
      feed_forward;  // [.., D]
  std::function<Variable(const Pieces&, const std::vector<mine::Parameters>& layers, const mine::Affine& last,
                         const Variable& x, const Tensor& lengths)>
      encoder;                                                                        // [B, S, D]
  std::function<std::vector<int>(int64_t words, int64_t T, int64_t S)> padding_mask;  // [T, S]
  std::function<std::vector<int>(int64_t T)> causal_mask;                             // [T, T]
  std::function<Variable(const mine::SubLayers&, const Variable& x, const Variable& m)> decoder_layer;
  std::function<bool(const Ids& segments, size_t t, size_t s)> packed_mask;                // may t attend to s?
  std::function<Variable(const mine::Gpt&, const Tensor& ids)> gpt;                        // -> [B, T, V]
  std::function<std::vector<double>(const std::vector<double>& p, double top_p)> nucleus;  // of one distribution
};

Pieces library_pieces();

// x W^T + b with the pieces' product and addition; W [O, I], b [O] or undefined.
Variable linear_of(const Pieces& pieces, const Variable& x, const Variable& W, const Variable& b);

// The BLEU of one sentence, 0 to 100, as exercise 13.1 defines it: 0 if the hypothesis has no matching n-gram of one of
// the orders.
double sentence_bleu(const Pieces::Words& hypothesis, const Pieces::Words& reference);

}  // namespace heed::app
