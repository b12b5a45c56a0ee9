// The scores of graph attention networks, where words are nodes and a mask says which are neighbours (Velickovic, eq.
// 3; Brody, "How attentive are graph attention networks?", eq. 7, where the one ranking of gat is called static
// attention). The slope of LeakyReLU below 0 is 0.2 in both papers. gat shares W [A, K] between queries and keys, which
// must have one width; gatv2 has a half of W for each.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/one_width.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"

namespace heed::nn {

struct GatScore final : Score {
  struct Settings {
    int64_t width = 0;
    double slope = 0.2;
    void fields(OptionFields& f) {
      f("width", width, "A, the width of the hidden layer; 0: the query width", {0, 16384});
      f("slope", slope, "of LeakyReLU below 0", {0, 1});
    }
  };
  static constexpr About about{
      .names = {"A14", "gat", "graph attention"},
      .formula = "e = LeakyReLU(a . [W q; W k])",
      .paper = {"Velickovic et al., ICLR 2018", 2018, 4},
      .idea =
          "Query and key are projected, joined and multiplied by a learned vector, and a leaky ReLU follows. Before "
          "the ReLU, the score is the sum of a number that depends on the query and a number that depends on the key. "
          "So all queries agree on which key is the best.",
      .wrong = "The nonlinearity is applied to the sum, so the ranking of the keys is the same for every query.",
      .shapes = "q [B, T, K], k [B, S, K], W [A, K], a [2 A] -> e [B, T, S]",
      .cost = "B (T + S) K A products, then B T S sums; A (K + 2) parameters",
      .own = {"every_query_ranks_the_keys_alike"},
  };

  using Options = ScoreOptions;
  GatScore(const Options& o, Generator& rng)
      : settings(o.settings.as<Settings>()),
        width(width_or(settings.width, o)),
        shared({.in = o.key, .out = width, .bias = false}, rng),
        of_query(uniform_parameter({width}, 2 * width, rng)),
        of_key(uniform_parameter({width}, 2 * width, rng)) {
    require_one_width("gat", o);
  }
  Variable prepare(const Variable& keys) const override {  // g(k): [.., S, 1]
    Call call(*this);
    return call.result("keys", sum(shared(keys) * of_key, {-1}, true));
  }
  Variable scores(const Variable& q, const Variable& prepared, StageContext&) const override {
    return leaky_relu(sum(shared(q) * of_query, {-1}, true) + transpose(prepared, -2, -1), settings.slope);
  }
  void visit(Visitor& v) override {
    v.child("shared", shared);
    v.parameter("of_query", of_query), v.parameter("of_key", of_key);
  }
  Settings settings;
  int64_t width;              // A
  Linear shared;              // W
  Variable of_query, of_key;  // the halves of a, [A]
};

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
