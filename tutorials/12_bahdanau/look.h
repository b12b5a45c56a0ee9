// Additive attention step by step, and three measurements of attention weights.
//
//   e_s = v . tanh(W_q q + W_k h_s + b)  q: the decoder's state s_{t-1} [B, N]; h: annotations [B, S, A]
//   w   = softmax(e)                     one weight per position, [B, S]
//   c   = sum_s w_s h_s                  the context [B, A]
//
// Bahdanau, Cho and Bengio, ICLR 2015, section 3.1 and appendix A.1.2. B: sequences, S: positions, A: width of an
// annotation, N: units of the decoder.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/scores/additive.h"
#include "nn/models/bahdanau.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/common/copy_contest.h"

namespace bahdanau {

using heed::Tensor, heed::Variable;
namespace data = heed::data;
namespace nn = heed::nn;

struct Look {
  Variable weights, context;  // [B, S], [B, A]
};
inline Look look(const Variable& q, const Variable& h, const Variable& W_q, const Variable& W_k, const Variable& b,
                 const Variable& v) {
  Variable hidden = tanh(unsqueeze(linear(q, W_q, {}), 1) + linear(h, W_k, b));  // [B, S, width]
  Variable e = sum(hidden * v, {-1});                                            // [B, S]
  Variable w = softmax(e, -1);
  return {w, sum(unsqueeze(w, -1) * h, {1})};
}

// The largest difference of weights and context: look() and the library's attention at the first step of a batch.
inline double difference(const nn::Bahdanau& model, const data::Batch& b) {
  heed::NoGrad guard;
  auto [source, state] = model.encode(b.source, b.lengths);
  const auto& score = dynamic_cast<const nn::AdditiveScore&>(*model.attention.score);
  Variable q = model.decoder.top(state);
  nn::Attended theirs = model.attention(unsqueeze(q, 1), source);
  Look ours = look(q, source.values, score.query.weight, score.key.weight, score.key.bias, score.v);
  return std::max(amax(abs((ours.weights - squeeze(theirs.weights, 1)).value())).item(),
                  amax(abs((ours.context - squeeze(theirs.context, 1)).value())).item());
}

// By how much the weights of the first step change, at most, when one key is changed: 1 is added to each number of the
// annotation at `place`, in every sequence.
inline double change_by_a_key(const nn::Bahdanau& model, const data::Batch& b, int64_t place) {
  heed::NoGrad guard;
  auto [source, state] = model.encode(b.source, b.lengths);
  Variable q = unsqueeze(model.decoder.top(state), 1);
  std::vector<Variable> places = unstack(source.values, 1);
  Variable& one = places[static_cast<size_t>(place)];
  one = one + Variable(Tensor::scalar(1));
  Variable other = stack(places, 1);
  nn::Memory changed = model.attention.remember(other, other, b.lengths);
  return amax(abs((model.attention(q, source).weights - model.attention(q, changed).weights).value())).item();
}

// How often, in %, the largest weight is on the symbol before the written one, on the written one, on the one after.
inline std::array<double, 3> where_it_looks(const nn::EncoderDecoder& model,
                                            const std::vector<data::EncodedPair>& pairs) {
  heed::NoGrad guard;
  std::array<double, 3> counts{};
  double steps = 0;
  for (const auto& members : data::sorted_batches(pairs, 100)) {
    data::Batch b = data::make_batch(pairs, members);
    Variable weights;
    model(b.source, b.lengths, b.target_in, &weights);
    Tensor heaviest = argmax(weights.value(), 2);  // [B, T]
    for (int64_t r = 0; r < heaviest.size(0); ++r)
      for (int64_t t = 0; t + 1 < heaviest.size(1); ++t, ++steps)  // without the end mark
        if (auto off = static_cast<int64_t>(heaviest.at({r, t})) - t; off >= -1 && off <= 1)
          ++counts[static_cast<size_t>(off + 1)];
  }
  for (double& c : counts) c *= 100 / steps;
  return counts;
}

}  // namespace bahdanau
