// Inputs and results that several families of cases share.
#pragma once

#include <vector>

#include "nn/attention/structures/multi_head.h"
#include "nn/cases/build.h"
#include "nn/layers.h"
#include "nn/norm.h"
#include "nn/sequential.h"

namespace heed {

inline Variable both(const nn::MultiHeadOutput& seen) {
  return seen.weights.defined() ? nn::together({seen.output, seen.weights}) : seen.output;
}
inline Variable both(const nn::Attended& seen) { return nn::together({seen.context, seen.weights}); }
// Sentences of 3 and of 2 words. In no_words, the second sentence has none.
inline Tensor words() { return Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}); }
inline Tensor no_words() { return Tensor::from_bools({1, 0, 1, 0, 0, 0}, {2, 3}); }
inline Tensor ids(const std::vector<int64_t>& values, const Shape& shape) { return Tensor::from(values, shape); }

// Modules and functions in a row, one of them a row itself.
struct Perceptron : nn::Module {
  struct Options {
    int64_t in, inner, out;
    double dropout = 0;
  };
  Perceptron(const Options& o, Generator& rng)
      : options(o),
        layers(nn::Linear({.in = o.in, .out = o.inner}, rng), nn::Tanh(), nn::Dropout({.p = o.dropout}, rng),
               nn::Sequential(nn::LayerNorm({.shape = {o.inner}}, rng), nn::GELU()),
               nn::Linear({.in = o.inner, .out = o.out, .bias = false}, rng)) {}
  Variable operator()(const Variable& x) const {
    Call call(*this);
    return call.result("output", layers(x));
  }
  void visit(nn::Visitor& v) { v.child("", layers); }
  Options options;
  nn::Sequential layers;
};

}  // namespace heed
