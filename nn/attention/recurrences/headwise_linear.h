// A linear map that is block-diagonal: the features are cut into n blocks, and each block is mapped by a matrix of its
// own. It has D^2 / n parameters. xLSTM makes queries, keys and values in blocks of four features, and its gates in
// blocks of a head. D features, n blocks.
#pragma once

#include "nn/module.h"

namespace heed::nn {

struct HeadwiseLinear : Module {
  struct Options {
    int64_t features, blocks;
    double std;  // the initial values are N(0, std^2)
  };
  HeadwiseLinear(const Options& options, Generator& rng);  // ValueError unless the number of blocks divides D
  Variable operator()(const Variable& x) const;            // [B, T, D] -> [B, T, D]
  void visit(Visitor& v) { v.parameter("weight", weight); }
  Options options;
  Variable weight;  // [n, D / n, D / n], each matrix as that of a Linear
};

}  // namespace heed::nn
