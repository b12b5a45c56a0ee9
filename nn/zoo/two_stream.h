// Two-stream self-attention (XLNet, section 2.3). In an order z, word i may use the words that come before it in z.
//
// rank_i is the place of word i in the order. In the order of the sentence the content stream is causal self-attention.
// A word that is first reads nothing.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/past_properties.cpp use it.
#pragma once

#include "nn/attention/stage.h"
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
  static constexpr About about{
      .names = {"E22", "two_stream", "XLNet"},
      .formula = "h_i <- attention(h_i; h_j with rank_j <= rank_i),  g_i <- attention(g_i; h_j with rank_j < rank_i)",
      .paper = {"Yang et al., NeurIPS 2019", 2019, 4},
      .idea =
          "Each position has two vectors, so that a sentence can be predicted in any order of its words. One contains "
          "its word and is read by others, and one contains only the position and predicts the word. Both are made by "
          "the same attention with the same parameters.",
      .wrong =
          "The word to be predicted must not be in the query of its own position. One stream alone either sees it or "
          "cannot pass it on to the others.",
      .shapes = "h, g [B, T, D], rank [B, T] -> h, g [B, T, D], weights [B, H, T, T]",
      .cost = "7 T D^2 + 4 T^2 D products; 4 D^2 parameters, shared by the streams",
      .own = {"query_stream_does_not_see_its_word", "order_of_the_sentence_is_causal",
              "each_order_sees_what_came_before_in_it"},
      .exempt = {{"empty_row_reads_zero", "it takes a key padding mask, the same for all rows"},
                 {"rows_sum_to_one", "the first word in the order has nothing before it, so its row of weights is 0"}},
      .cases = "TwoStreamAttention",
      .more = "a layer for a model of your own, in C++; no option of heed train has it",
  };

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
