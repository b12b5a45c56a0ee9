// The blocks of the Set Transformer (section 3.1 of the paper; eq. 6 and 7), for inputs that have no order.
//
// Elements in another order give the same outputs in that order. A set becomes one vector, or a few, by the pooling PMA
// (nn/pooling/multi_head_pooling.h), for which the order has no effect at all.
#pragma once

#include <optional>

#include "autograd/ops.h"
#include "nn/attention/stage.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/feed_forward.h"
#include "nn/init.h"
#include "nn/norm.h"
#include "nn/padding.h"

namespace heed::nn {

inline constexpr About kAboutSetTransformer{
    .names = {"E12", "set_transformer", "SAB, ISAB, PMA"},
    .formula =
        "MAB(X, Y) = norm(H + rows(H)), H = norm(X + multi_head(X, Y, Y));  SAB = MAB(X, X);  ISAB = MAB(X, MAB(I, X))",
    .paper = {"Lee et al., ICML 2019", 2019, 4},
    .idea =
        "Elements of a set attend to each other, and no step depends on their order. With a few learned vectors "
        "between them, which first read the set and are then read by it, the cost grows with the number of elements "
        "and not with its square. A pooling whose queries are learned turns the set into one vector.",
    .wrong = "A position encoding in front of it destroys what it is made for: a set has no order.",
    .shapes = "X [B, T, D] -> [B, T, D]; as a pooling [B, S, D] -> [B, D]",
    .cost = "SAB: 2 T^2 D products; ISAB: 4 T M D; 6 D^2 parameters for each MAB",
    .own = {"elements_permuted_permute_the_output", "sab_by_its_lines", "isab_reads_through_its_points"},
    .exempt = {{"empty_row_reads_zero", "the set itself is added to what was read, and normalised"}},
    .cases = "SetBlock",
    .more = "the vector of --context every_step, and the decoder's first state",
};

struct SetBlockOptions {
  int64_t model, heads;  // D
  int64_t inducing = 0;  // M; 0: SAB
};

struct MultiHeadBlock : Module {  // MAB
  using Options = SetBlockOptions;
  MultiHeadBlock(const Options& o, Generator& rng)
      : options(o),
        attention({.model = o.model, .heads = o.heads}, rng),
        rows({.model = o.model, .inner = o.model}, rng),
        first_norm({.shape = {o.model}}, rng),
        second_norm({.shape = {o.model}}, rng) {}
  // x [B, T, D], y [B, S, D], words of y bool [B, S] -> [B, T, D], weights [B, H, T, S]
  Attended operator()(const Variable& x, const Variable& y, const Tensor& words = {}) const {
    Call call(*this);
    auto [read, weights] = attention(x, y, y, {.words = words, .weights = true});
    Variable h = first_norm(x + read);
    return {call.result("context", second_norm(h + rows(h))), weights};
  }
  void visit(Visitor& v) {
    v.child("attention", attention), v.child("rows", rows);
    v.child("first_norm", first_norm), v.child("second_norm", second_norm);
  }
  Options options;
  MultiHeadAttention attention;
  FeedForward rows;
  LayerNorm first_norm, second_norm;
};

struct SetBlock : Module {  // SAB or ISAB
  using Options = SetBlockOptions;
  SetBlock(const Options& o, Generator& rng) : options(o), outer({.model = o.model, .heads = o.heads}, rng) {
    if (o.inducing == 0) return;
    inner.emplace(SetBlockOptions{.model = o.model, .heads = o.heads}, rng);
    inducing = xavier_parameter({o.inducing, o.model}, rng);
  }
  // x [B, T, D], words bool [B, T]. The weights [B, T, T] are means over the heads; for ISAB the products of the two.
  Attended operator()(const Variable& x_, const Tensor& words = {}) const {
    Call call(*this);
    Variable x = without_padding(x_, words);
    if (!inner) {
      Attended seen = outer(x, x, words);
      return {seen.context, mean(seen.weights, {1})};
    }
    Variable start = expand(unsqueeze(inducing, 0), {x.size(0), options.inducing, options.model});
    Attended summary = (*inner)(start, x, words), seen = outer(x, summary.context);
    return {call.result("context", seen.context), matmul(mean(seen.weights, {1}), mean(summary.weights, {1}))};
  }
  void visit(Visitor& v) {
    v.child("outer", outer);
    if (inner) v.child("inner", *inner);
    v.parameter("inducing", inducing);
  }
  Options options;
  MultiHeadBlock outer;
  std::optional<MultiHeadBlock> inner;
  Variable inducing;  // I [M, D]
};

}  // namespace heed::nn
