// Self-attention that knows the relation of each pair of words (relation-aware self-attention: Shaw, section 3.1; with
// labels of a graph: RAT-SQL).
//
// The labels are given: edges of a parse tree, columns of a table, or distances, which makes it Shaw's position
// encoding. a and b are tables [L, W] with a row for each label, shared by the heads. Neither is copied to all pairs:
// q_t . a_l is computed for all L labels and selected by label(t, s), and the weights are added up by label before the
// product with b.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/other_keys_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"

namespace heed::nn {

struct EdgeAttentionOptions {
  int64_t model, heads, labels;  // D, H, L
};

struct EdgeAttention : Module {
  static constexpr About about{
      .names = {"E26h", "edge_labels", "relation-aware self-attention", "graph transformer"},
      .formula = "e_ts = q_t . (k_s + a_l) / sqrt(W),  c_t = sum_s w_ts (v_s + b_l),  l = label(t, s)",
      .paper = {"Shaw, Uszkoreit and Vaswani, NAACL 2018; Wang et al., ACL 2020", 2018, 4},
      .idea =
          "The relation of two words, such as an edge of a parse tree, has a vector that is added to the key and "
          "another that is added to the value. So a word can look for its subject by the edge and not by the word. "
          "With distances as labels it is the relative position encoding of Shaw and colleagues.",
      .wrong = "The label of a pair has a direction. An edge from t to s and one from s to t need two labels.",
      .shapes = "x [B, T, D], labels [B, T, T] -> [B, T, D], weights [B, H, T, T]",
      .cost = "4 T D^2 + 2 T^2 D + 2 T L D products; 4 D^2 + 2 L W parameters",
      .own = {"no_relations_is_plain_attention", "distances_as_labels_are_shaw", "labels_by_the_loop"},
      .exempt = {kMasksPairs},
      .cases = "EdgeAttention",
      .more =
          "a layer for a model of your own, in C++; no option of heed train has it; distances as labels are --position "
          "shaw",
  };

  using Options = EdgeAttentionOptions;
  EdgeAttention(const Options& o, Generator& rng)
      : options(o),
        input({.in = o.model, .out = 3 * o.model, .bias = false}, rng),
        output({.in = o.model, .out = o.model, .bias = false}, rng),
        of_key(normal_parameter({o.labels, o.model / o.heads}, 0.1, rng)),
        of_value(normal_parameter({o.labels, o.model / o.heads}, 0.1, rng)) {}
  // x [B, T, D], labels i64 [B, T, T], allowed bool, broadcastable to [B, T, T] -> [B, T, D], weights [B, H, T, T]
  Attended operator()(const Variable& x, const Tensor& labels, const Tensor& allowed = {}) const {
    Call call(*this);
    int64_t B = x.size(0), T = x.size(1), H = options.heads, W = options.model / H;
    std::vector<Variable> parts = chunk(input(x), 3, -1);
    for (Variable& part : parts) part = transpose(reshape(part, {B, T, H, W}), 1, 2);
    Tensor at = labels.unsqueeze(1).expand({B, H, T, T}).contiguous();
    Variable by_label = gather(matmul(parts[0], transpose(of_key, 0, 1)), at);  // [B, H, T, L] -> [B, H, T, T]
    Variable e = (matmul(parts[0], transpose(parts[1], 2, 3)) + by_label) / std::sqrt(static_cast<double>(W));
    Attended seen = attend(e, parts[2], AttendOptions{.allowed = allowed});
    Variable c = seen.context + matmul(scatter_add(seen.weights, at, options.labels), of_value);
    Variable y = output(reshape(transpose(c, 1, 2), {B, T, options.model}));
    return {call.result("context", y), call.result("weights", seen.weights)};
  }
  void visit(Visitor& v) {
    v.child("input", input), v.child("output", output);
    v.parameter("of_key", of_key), v.parameter("of_value", of_value);
  }
  Options options;
  Linear input, output;       // W_q, W_k, W_v stacked; W_o
  Variable of_key, of_value;  // a, b [L, W]
};

}  // namespace heed::nn
