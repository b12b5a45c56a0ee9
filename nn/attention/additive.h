// Additive attention, the first there was (Bahdanau, Cho, Bengio, ICLR 2015, section 3.1 and appendix A.1.2):
//
//   e_ts = v^T tanh(W q_t + U k_s + b)
//
// How well does key s answer query t? A small network with one hidden layer of width A is asked, for every pair. U k_s
// does not depend on the query: it is projected once a sentence (`prepare`), not once a step. B batch, T queries, S
// keys, A width of the hidden layer.
#pragma once

#include "nn/attention/attend.h"
#include "nn/layers.h"

namespace heed::nn {

struct AdditiveAttention : Module {
  struct Options {
    int64_t query, key, width;
  };
  AdditiveAttention(const Options& options, Generator& rng);

  Variable prepare(const Variable& keys) const;                           // [B, S, key] -> [B, S, A]
  Variable score(const Variable& query, const Variable& prepared) const;  // [B, T, query], [B, S, A] -> [B, T, S]
  Attended operator()(const Variable& query, const Variable& prepared, const Variable& values,
                      const Tensor& allowed) const;

  void visit(Visitor& visitor) {
    visitor.child("query", query);
    visitor.child("key", key);
    visitor.parameter("v", v);
  }
  Options options;
  Linear query, key;  // W without a bias, U with b
  Variable v;         // [A]
};

}  // namespace heed::nn
