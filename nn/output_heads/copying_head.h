// What CopyNet and the pointer-generator share: scores of the vocabulary, W f + b, and outputs for the words of a
// source that the vocabulary lacks. Names: weight, bias. F width of the features, V vocabulary, V' outputs.
#pragma once

#include <algorithm>
#include <limits>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/output_heads/output_head.h"
#include "tensor/compare.h"

namespace heed::nn {

struct CopyingHead : OutputHead {
  CopyingHead(const OutputHeadOptions& o, Generator& rng)
      : OutputHead(o), words({.in = o.features, .out = o.vocabulary, .bias = o.bias}, rng) {}
  Linear* vocabulary_layer() final { return &words; }
  bool needs_alignment() const final { return true; }
  Tensor source_words(const Tensor& ids) const final { return known_words(ids, options.vocabulary); }
  Tensor target_words(const Tensor& ids, const OutputSource&) const final { return source_words(ids); }
  Tensor writable(const OutputSource& source) const final {  // the vocabulary, and this sentence's unknown words
    int64_t all = outputs(source);
    return logical_or(less(Tensor::arange(all), static_cast<double>(options.vocabulary)),
                      reached(source.ids, source.lengths, all));
  }
  void visit(Visitor& v) override { v.child("", words); }

  Linear words;

 protected:
  int64_t outputs(const OutputSource& source) const { return std::max(options.vocabulary, source.end); }  // V'
  // Scores [.., V] of the vocabulary and of all V' outputs, -inf for words that it lacks, joined in log space with the
  // logarithms [.., V'] of what is copied.
  Variable joined(Variable generated, const Variable& pointed) const {
    Shape lacking = generated.shape();
    lacking[lacking.rank() - 1] = pointed.size(-1) - options.vocabulary;
    if (lacking[lacking.rank() - 1] > 0) {
      Tensor nothing = Tensor::full(lacking, -std::numeric_limits<double>::infinity(), generated.dtype());
      generated = concat({generated, Variable(nothing)}, -1);
    }
    return logsumexp(stack({generated, pointed}, 0), {0});
  }
};

}  // namespace heed::nn
