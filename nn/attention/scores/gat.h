// The scores of graph attention networks, where words are nodes and a mask says which are neighbours:
//
// clang-format off
//   gat     e_ts = LeakyReLU(a . [W q_t; W k_s])    Velickovic et al., "Graph attention networks",
//                                                   ICLR 2018, eq. 3
//   gatv2   e_ts = a . LeakyReLU(W [q_t; k_s])      Brody, Alon and Yahav, "How attentive are graph
//                                                   attention networks?", ICLR 2022, eq. 7
// clang-format on
//
// In gat the product with a is a sum, f(q_t) + g(k_s), and LeakyReLU is increasing. So the order of the keys by their
// scores is that of g(k_s), the same for every query: the best key of one query is the best of all (Brody et al. call
// this static attention). gatv2 applies a after the nonlinearity, as additive attention does, and can rank the keys
// differently for each query. The slope of LeakyReLU below 0 is 0.2 in both papers. gat shares W [A, K] between queries
// and keys, which must have one width; gatv2 has a half of W for each. A hidden width, a [2 A] and [A].
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/one_width.h"
#include "nn/init.h"
#include "nn/layers.h"

namespace heed::nn {

struct GatScore final : Score {
  using Options = ScoreOptions;
  GatScore(const Options& o, Generator& rng)
      : shared({.in = o.key, .out = hidden_width(o), .bias = false}, rng),
        of_query(uniform_parameter({hidden_width(o)}, 2 * hidden_width(o), rng)),
        of_key(uniform_parameter({hidden_width(o)}, 2 * hidden_width(o), rng)),
        slope(o.settings.number("slope")) {
    require_one_width("gat", o);
  }
  Variable prepare(const Variable& keys) const override {  // g(k): [.., S, 1]
    Call call(*this);
    return call.result("keys", sum(shared(keys) * of_key, {-1}, true));
  }
  Variable scores(const Variable& q, const Variable& prepared, StageContext&) const override {
    return leaky_relu(sum(shared(q) * of_query, {-1}, true) + transpose(prepared, -2, -1), slope);
  }
  void visit(Visitor& v) override {
    v.child("shared", shared);
    v.parameter("of_query", of_query), v.parameter("of_key", of_key);
  }
  Linear shared;              // W
  Variable of_query, of_key;  // the halves of a, [A]
  double slope;
};

struct Gatv2Score final : Score {
  using Options = ScoreOptions;
  Gatv2Score(const Options& o, Generator& rng)
      : query({.in = o.query, .out = hidden_width(o), .bias = false}, rng),
        key({.in = o.key, .out = hidden_width(o), .bias = false}, rng),
        a(uniform_parameter({hidden_width(o)}, hidden_width(o), rng)),
        slope(o.settings.number("slope")) {}
  Variable prepare(const Variable& keys) const override {  // [.., S, A]
    Call call(*this);
    return call.result("keys", key(keys));
  }
  Variable scores(const Variable& q, const Variable& prepared, StageContext&) const override {
    Variable hidden = leaky_relu(unsqueeze(query(q), -2) + unsqueeze(prepared, -3), slope);  // [.., T, S, A]
    return sum(hidden * a, {-1});
  }
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key);
    v.parameter("a", a);
  }
  Linear query, key;  // the halves of W
  Variable a;         // [A]
  double slope;
};

}  // namespace heed::nn
