// Two-stream self-attention (XLNet: Yang et al., NeurIPS 2019, section 2.3): a language model that predicts the words
// of a sentence in any order. In an order z, word i may use the words that come before it in z.
//
//   content  h_i <- attention(query h_i, keys and values h_j of all j with rank_j <= rank_i)      it sees itself
//   query    g_i <- attention(query g_i, keys and values h_j of all j with rank_j <  rank_i)      it does not
//
// rank_i is the place of word i in the order. g knows where it is but not which word is there, so word i is predicted
// from g_i; h_i is what the others read. Both streams share all parameters. In the order of the sentence the content
// stream is causal self-attention. A word that is first reads nothing. B batch, T words, D width, H heads.
#pragma once

#include "nn/attention/structures/multi_head.h"
#include "tensor/compare.h"

namespace heed::nn {

struct TwoStreamOptions {
  int64_t model, heads;  // D, H
  bool bias = true;
};

struct TwoStreams {
  Variable content, query;                  // h, g [B, T, D]
  Variable content_weights, query_weights;  // [B, H, T, T]
};

struct TwoStreamAttention : Module {
  using Options = TwoStreamOptions;
  TwoStreamAttention(const Options& o, Generator& rng)
      : options(o), attention({.model = o.model, .heads = o.heads, .bias = o.bias}, rng) {}
  // h, g [B, T, D]; rank i64 [B, T] or [1, T]: distinct numbers in each row; words bool [B, T]
  TwoStreams operator()(const Variable& h, const Variable& g, const Tensor& rank, const Tensor& words = {}) const {
    Call call(*this);
    Tensor of_key = rank.unsqueeze(1), of_query = rank.unsqueeze(2);  // [B, 1, T], [B, T, 1]
    MultiHeadOutput content = attention(h, {.words = words, .allowed = less_equal(of_key, of_query), .weights = true});
    MultiHeadOutput query = attention(g, h, h, {.words = words, .allowed = less(of_key, of_query), .weights = true});
    return {call.result("content", content.output), call.result("output", query.output), content.weights,
            query.weights};
  }
  void visit(Visitor& v) { v.child("attention", attention); }
  Options options;
  MultiHeadAttention attention;
};

}  // namespace heed::nn
