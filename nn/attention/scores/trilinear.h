// The trilinear score ("Bidirectional attention flow", section 2, layer 4): a linear function of the query, the key and
// their product, entry by entry.
//
//   e_ts = w . [q_t; k_s; q_t * k_s] = w_q . q_t + w_k . k_s + (q_t * w_qk) . k_s          w_q, w_k, w_qk [K], learned
//
// The right side never stores [T, S, 3 K]: one number for each query, one for each key, and a matrix product. w_k . k_s
// lets a key be important for every query; w_q . q_t cancels under a softmax.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/scores/one_width.h"
#include "nn/attention/stage.h"
#include "nn/init.h"

namespace heed::nn {

struct TrilinearScore final : Score {
  static constexpr About about{
      .names = {"A12", "trilinear", "BiDAF"},
      .formula = "e = w . [q; k; q * k]",
      .paper = {"Seo et al., ICLR 2017", 2017, 2},
      .idea =
          "Query, key and their product, entry by entry, are joined, and one weight vector turns them into a score. So "
          "the score can depend on the query alone, on the key alone, and on the entries in which both agree. It was "
          "made for answering questions about a text.",
      .wrong = "The joined vectors of all pairs need not be stored: the score is a sum of three products.",
      .shapes = "q [B, T, K], k [B, S, K], w [3 K] -> e [B, T, S]",
      .cost = "B T S K products; 3 K parameters",
      .own = {"is_the_product_with_all_three"},
  };

  using Options = ScoreOptions;
  TrilinearScore(const Options& o, Generator& rng) {
    require_one_width("trilinear", o);
    for (Variable* w : {&of_query, &of_key, &of_both}) *w = uniform_parameter({o.key}, 3 * o.key, rng);
  }
  Variable scores(const Variable& q, const Variable& keys, StageContext&) const override {
    Variable by_key = transpose(sum(keys * of_key, {-1}, true), -2, -1);  // [.., 1, S]
    return sum(q * of_query, {-1}, true) + by_key + inner_products(q * of_both, keys);
  }
  void visit(Visitor& v) override {
    v.parameter("of_query", of_query), v.parameter("of_key", of_key), v.parameter("of_both", of_both);
  }
  Variable of_query, of_key, of_both;  // [K]
};

}  // namespace heed::nn
