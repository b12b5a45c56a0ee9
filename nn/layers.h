// The basic layers of all models: Linear, Embedding, Dropout. Names and layouts are PyTorch's.
#pragma once

#include "nn/module.h"

namespace heed::nn {

// y = x W^T + b       x [.., I] -> y [.., O];  weight [O, I], bias [O]
struct Linear : Module {
  struct Options {
    int64_t in, out;
    bool bias = true;
  };
  Linear(const Options& options, Generator& rng);
  Variable operator()(const Variable& x) const;
  void visit(Visitor& v) {
    v.parameter("weight", weight);
    v.parameter("bias", bias);
  }
  Options options;
  Variable weight, bias;
};

// y = weight[ids]     ids [..] i64 -> y [.., E];  weight [V, E]; the row of `padding` is zero and stays zero
struct Embedding : Module {
  struct Options {
    int64_t vocabulary, width;
    int64_t padding = -1;
    double std = 1;  // the initial values are N(0, std^2)
  };
  Embedding(const Options& options, Generator& rng);
  Variable operator()(const Tensor& ids) const;
  void visit(Visitor& v) { v.parameter("weight", weight); }
  Options options;
  Variable weight;
};

// y = x m / (1 - p) in training, where each element of m is 0 with probability p and otherwise 1; y = x in evaluation
//     (Srivastava et al., JMLR 2014)
struct Dropout : Module {
  struct Options {
    double p = 0;
  };
  Dropout(const Options& options, Generator& seeds);
  Variable operator()(const Variable& x) const;
  void visit(Visitor& v) { v.generator("generator", rng); }
  Options options;
  mutable Generator rng;  // the only member that a call changes
};

}  // namespace heed::nn
