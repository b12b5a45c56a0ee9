// The biaffine score (Dozat and Manning, "Deep biaffine attention for neural dependency parsing", ICLR 2017): the
// general score, and a score that a key has for every query.
//
//   e_ts = q_t U k_s + u . k_s = [q_t; 1] [U; u] k_s          U [Q, K], u [K], learned
//
// In a parser u . k_s says how likely a word is to be anybody's head. A bias on the query's side would be pointless: a
// number that all scores of a row share cancels in the softmax. As a product of [q; 1] and [U; u] k it can be evaluated
// by every evaluator of products.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/dot.h"
#include "nn/init.h"

namespace heed::nn {

struct BiaffineScore final : Score {
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
