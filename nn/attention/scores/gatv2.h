// The second score of graph attention networks ("How attentive are graph attention networks?", eq. 7), with one half of
// W for queries and one for keys. The slope of LeakyReLU below 0 is 0.2 in the paper.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/score.h"
#include "nn/init.h"
#include "nn/layers.h"

namespace heed::nn {

struct Gatv2Score final : Score {
  struct Settings {
    int64_t width = 0;
    double slope = 0.2;
    void fields(OptionFields& f) {
      f("width", width, "A, the width of the hidden layer; 0: the query width", {0, 16384});
      f("slope", slope, "of LeakyReLU below 0", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"A14b", "gatv2", "dynamic graph attention"},
      .formula = "e = a . LeakyReLU(W [q; k])",
      .paper = {"Brody, Alon and Yahav, ICLR 2022", 2022, 4},
      .idea =
          "The leaky ReLU acts on the hidden layer and the learned vector comes after it. Now the ranking of the keys "
          "can depend on the query. It is additive attention with another nonlinearity.",
      .wrong =
          "It differs from gat only in the order of two operations. But gat cannot learn a ranking of the keys that "
          "depends on the query.",
      .shapes = "q [B, T, Q], k [B, S, K], W [A, Q + K], a [A] -> e [B, T, S]",
      .cost = "B T S A products, all kept for the backward pass; A (Q + K + 1) parameters",
      .own = {"queries_may_rank_the_keys_differently"},
  };

  using Options = ScoreOptions;
  Gatv2Score(const Options& o, Generator& rng)
      : settings(o.settings.as<Settings>()),
        width(width_or(settings.width, o)),
        query({.in = o.query, .out = width, .bias = false}, rng),
        key({.in = o.key, .out = width, .bias = false}, rng),
        a(uniform_parameter({width}, width, rng)) {}
  Variable prepare(const Variable& keys) const override {  // [.., S, A]
    Call call(*this);
    return call.result("keys", key(keys));
  }
  Variable scores(const Variable& q, const Variable& prepared, StageContext&) const override {
    Variable hidden = leaky_relu(unsqueeze(query(q), -2) + unsqueeze(prepared, -3), settings.slope);  // [.., T, S, A]
    return sum(hidden * a, {-1});
  }
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key);
    v.parameter("a", a);
  }
  Settings settings;
  int64_t width;      // A
  Linear query, key;  // the halves of W
  Variable a;         // [A]
};

}  // namespace heed::nn
