// p(word) = softmax(W features + b) over the vocabulary: the output of nearly every decoder.
//
//   features [.., F] -> W features + b [.., V]          weight [V, F], bias [V]
#pragma once

#include "nn/layers.h"
#include "nn/output_heads/output_head.h"

namespace heed::nn {

struct SoftmaxHead final : OutputHead {
  SoftmaxHead(const OutputHeadOptions& o, Generator& rng)
      : OutputHead(o), words({.in = o.features, .out = o.vocabulary, .bias = o.bias}, rng) {}

  Variable operator()(const Variable& features, const Variable&, const OutputSource&) const override {
    Call call(*this);
    return call.result("output", words(features));
  }
  Linear* vocabulary_layer() override { return &words; }
  void visit(Visitor& v) override { v.child("", words); }  // its parameters are output.weight and output.bias

  Linear words;
};

}  // namespace heed::nn
