// The score of graph attention networks, where words are nodes and a mask says which are neighbours (eq. 3 of the
// paper). It ranks the keys alike for every query, which is called static attention (see gatv2.h). The slope of
// LeakyReLU below 0 is 0.2 in the paper. Queries and keys share W [A, K] and must have one width.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scores/one_width.h"
#include "nn/attention/scores/score.h"
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

}  // namespace heed::nn
