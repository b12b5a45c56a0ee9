// A layer of a graph attention network (eqs. 1 to 6 of the paper; with the scores of Brody et al., ICLR 2022): each
// node of a graph attends to its neighbours, and to nothing else. A node without neighbours, which is possible without
// self-loops, gets 0. The value of a node is the product with the matrix that its score uses (in gatv2, with that of
// the neighbour). N nodes, I input width, D width of a head.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/set_properties.cpp use it.
#pragma once

#include <optional>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scores/gat.h"
#include "nn/attention/scores/gatv2.h"
#include "nn/attention/stage.h"
#include "nn/made_if.h"
#include "tensor/compare.h"

namespace heed::nn {

struct GraphAttentionOptions {
  int64_t input, width;  // I, D
  int64_t heads = 1;     // H
  bool v2 = false;       // the score gatv2
  bool average = false;  // of the heads, before elu
  bool self_loops = true;
};

struct GraphAttention : Module {
  static constexpr About about{
      .names = {"E23", "graph_attention", "GAT layer"},
      .formula = "a_ij = softmax over the neighbours j of i of the score gat or gatv2;  y_i = elu(sum_j a_ij W h_j)",
      .paper = {"Velickovic et al., ICLR 2018", 2018, 4},
      .idea =
          "A node of a graph attends to its neighbours, and the edges are the attention mask. On a complete graph it "
          "is self-attention with an additive score. Several heads are joined, or averaged in the last layer.",
      .wrong =
          "The adjacency matrix needs ones on its diagonal, or a node does not see itself. In the score of the first "
          "paper all nodes rank their neighbours alike.",
      .shapes = "h [B, N, I], edges [N, N] -> y [B, N, H D], weights [B, H, N, N]",
      .cost = "H N^2 scores (dense, whatever the edges) and H N I D products; H D (I + 2) parameters",
      .own = {"nodes_permuted_permute_the_output", "a_complete_graph_is_dense_attention", "only_neighbours_are_read",
              "heads_are_joined_or_averaged"},
      .exempt = {kMasksPairs},
      .cases = "GraphAttention",
      .more = "a layer for graphs, in C++; words as nodes: --score gat or gatv2 with a scope",
  };

  using Options = GraphAttentionOptions;
  GraphAttention(const Options& o, Generator& rng) : options(o) {
    ScoreOptions score{
        .query = o.input, .key = o.input, .settings = {{"width", static_cast<double>(o.width)}, {"slope", 0.2}}};
    for (int64_t h = 0; h < o.heads; ++h)
      o.v2 ? void(second.emplace_back(score, rng)) : void(first.emplace_back(score, rng));
  }
  // h [B, N, I], edges bool [N, N] or [B, N, N]: may row i attend to column j? Undefined: a complete graph. -> y
  // [B, N, H D], or [B, N, D] of the average; weights [B, H, N, N]
  Attended operator()(const Variable& h, const Tensor& edges = {}) const {
    Call call(*this);
    Tensor allowed = edges.defined() && edges.rank() == 2 ? edges.unsqueeze(0) : edges;
    if (allowed.defined() && options.self_loops)
      allowed = logical_or(allowed, Tensor::eye(h.size(1), DType::boolean).unsqueeze(0));
    std::vector<Variable> read, weights;
    for (size_t i = 0; i < static_cast<size_t>(options.heads); ++i) {
      Attended seen =
          options.v2 ? one(second[i], h, second[i].key(h), allowed) : one(first[i], h, first[i].shared(h), allowed);
      read.push_back(seen.context), weights.push_back(seen.weights);
    }
    Variable all = options.average ? mean(stack(read, 0), {0}) : concat(read, -1);
    return {call.result("context", elu(all)), call.result("weights", stack(weights, 1))};
  }
  void visit(Visitor& v) {
    for (size_t i = 0; i < first.size(); ++i) v.child("head_" + std::to_string(i), first[i]);
    for (size_t i = 0; i < second.size(); ++i) v.child("head_" + std::to_string(i), second[i]);
  }
  Options options;
  std::vector<GatScore> first;     // one of the two lists has H entries
  std::vector<Gatv2Score> second;  // and the other none

 private:
  static Attended one(const Score& score, const Variable& h, const Variable& values, const Tensor& allowed) {
    return attend(score(h, score.prepare(h)), values, allowed);
  }
};

}  // namespace heed::nn
