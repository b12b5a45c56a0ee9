// The biaffine score ("Deep biaffine attention for neural dependency parsing"): the general score, and a score that a
// key has for every query. In a parser u . k_s says how likely a word is to be the head of any word. As a product of
// [q; 1] and [U; u] k it can be evaluated by every evaluator of products.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/stage.h"
#include "nn/init.h"

namespace heed::nn {

struct BiaffineScore final : Score {
  static constexpr About about{
      .names = {"A13", "biaffine", "deep biaffine"},
      .formula = "e = q U k + u . k",
      .paper = {"Dozat and Manning, ICLR 2017", 2017, 2},
      .idea =
          "It is the general score with a preference for some keys, whatever the query is. In parsing, a word attends "
          "to its head, the word that it depends on, and verbs are heads more often than commas. The preference is a "
          "learned vector that is multiplied with the key.",
      .wrong = "A term that depends on the query alone cancels in the softmax, so only the key has a bias.",
      .shapes = "q [B, T, Q], k [B, S, K], U [Q, K], u [K] -> e [B, T, S]",
      .cost = "B S Q K products once per sentence, then B T S Q; (Q + 1) K parameters",
      .own = {"is_general_with_a_key_bias", "a_number_per_query_cancels"},
  };

  using Options = ScoreOptions;
  BiaffineScore(const Options& o, Generator& rng)
      : weight(uniform_parameter({o.query, o.key}, o.key, rng)), bias(uniform_parameter({o.key}, o.key, rng)) {}
  Variable prepare(const Variable& keys) const override {  // [U; u] k: [.., S, K] -> [.., S, Q + 1]
    Call call(*this);
    return call.result("keys", linear(keys, concat({weight, unsqueeze(bias, 0)}, 0), {}));
  }
  Variable prepare_query(const Variable& q) const override {  // [q; 1]
    Shape one = q.shape();
    one[one.rank() - 1] = 1;
    return concat({q, Variable(Tensor::ones(one, q.dtype()))}, -1);
  }
  Variable scores(const Variable& q, const Variable& prepared, StageContext&) const override {
    return inner_products(prepare_query(q), prepared);
  }
  std::optional<double> product_scale() const override { return 1; }
  void visit(Visitor& v) override { v.parameter("weight", weight), v.parameter("bias", bias); }
  Variable weight, bias;  // U, u
};

}  // namespace heed::nn
