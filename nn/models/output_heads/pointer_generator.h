// The pointer-generator network (See, Liu and Manning, ACL 2017, eqs. 8 and 9): write a word from the vocabulary, or
// copy one from the source.
//
//   g    = sigmoid(w . features + b)                              the probability of generating      [.., 1]
//   P(w) = g P_vocabulary(w) + (1 - g) sum_{s : x_s = w} a_s                                         [.., V']
//
// a is the attention of this step, x the source words. The outputs are the extended vocabulary: the V words, then the
// source words that the vocabulary lacks, which can only be copied. The result is log P, added up in log space:
//
//   log P = logaddexp(log g + log P_vocabulary, log(1 - g) + log sum_{s : x_s = w} a_s)
//
// so a saturated gate loses no digits. V' = V plus the largest number of unknown words that a sentence of the batch
// has. Names: weight, bias and gate.weight, gate.bias. F width of the features, V vocabulary.
#pragma once

#include <algorithm>
#include <limits>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/models/output_heads/output_head.h"

namespace heed::nn {

struct PointerGenerator final : OutputHead {
  PointerGenerator(const OutputHeadOptions& o, Generator& rng)
      : OutputHead(o),
        words({.in = o.features, .out = o.vocabulary, .bias = o.bias}, rng),
        gate({.in = o.features, .out = 1}, rng) {}

  Variable operator()(const Variable& features, const Variable& alignment, const OutputSource& source) const override {
    Call call(*this);
    int64_t V = options.vocabulary, extended = std::max(V, source.end);
    Variable copy = copied(alignment, source.ids, extended);           // [.., V']
    Variable z = call.result("gate", gate(features));                  // [.., 1], log g - log(1 - g)
    Variable generated = log_softmax(words(features)) - softplus(-z);  // [.., V], log g + log P_vocabulary
    Variable pointed = log(copy + kUnreached) - softplus(z);           // [.., V']
    if (extended > V) generated = concat({generated, nothing(generated.shape(), extended - V, z.dtype())}, -1);
    return call.result("output", logsumexp(stack({generated, pointed}, 0), {0}));
  }
  Linear* vocabulary_layer() override { return &words; }
  bool needs_alignment() const override { return true; }
  Tensor source_words(const Tensor& ids) const override { return known_words(ids, options.vocabulary); }
  Tensor target_words(const Tensor& ids, const OutputSource&) const override { return source_words(ids); }
  void visit(Visitor& v) override {
    v.child("", words);
    v.child("gate", gate);
  }

  Linear words, gate;

 private:
  static Variable nothing(Shape shape, int64_t width, DType dtype) {  // log 0 for what the vocabulary lacks
    shape[shape.rank() - 1] = width;
    return Variable(Tensor::full(shape, -std::numeric_limits<double>::infinity(), dtype));
  }
};

}  // namespace heed::nn
