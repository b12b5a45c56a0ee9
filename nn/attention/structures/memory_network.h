// The end-to-end memory network (section 2 of the paper) answers a question about a story in K "hops".
//
//   m_i = sum_j l_j * A x_ij + T_A(i)          the key of sentence i                                   [D]
//   c_i = sum_j l_j * C x_ij + T_C(i)          its value
//   u   = sum_j l_j * B q_j                    the question
//   p   = softmax_i(u . m_i),  o = sum_i p_i c_i,  u <- u + o                          one hop
//   logits = W u                               the answer, after the last hop                          [V]
//
//   adjacent     A of hop k + 1 is C of hop k;  B = A of hop 1;  W = C of hop K: K + 1 matrices in all
//   layer_wise   all hops share A and C, B and W are their own, and u <- H u + o
//
// l_j is the position encoding of nn/pool.h (section 4.1), or 1 for a bag of words. T(i) is a learned vector for the
// age of a sentence: row 0 is the last sentence of its story. Id 0 is padding; a sentence without words is not attended
// to.
#pragma once

#include <optional>

#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"

namespace heed::nn {

// One read with queries u [B, T, D], keys m [B, S, D] and values c [B, S, V] -> o [B, T, V], p [B, T, S]. The score is
// the plain product. allowed bool, broadcastable to [B, T, S].
Attended memory_read(const Variable& u, const Variable& m, const Variable& c, const Tensor& allowed = {});

struct MemoryNetworkOptions {
  int64_t vocabulary;       // V, with 0 for padding
  int64_t width = 20;       // D
  int64_t hops = 3;         // K
  int64_t sentences = 50;   // M at most; 0: no vectors for the age of a sentence
  bool layer_wise = false;  // the tying
  bool bag = false;         // l_j = 1
};

struct MemoryAnswer {
  Variable logits;   // [B, V]
  Variable state;    // u after the last hop [B, D]
  Variable weights;  // p of each hop [B, K, M]
};

struct MemoryNetwork : Module {
  static constexpr About about{
      .names = {"E9", "memory_network", "MemN2N", "end-to-end memory network"},
      .formula = "p = softmax_i(u . m_i),  o = sum_i p_i c_i,  u <- u + o;  K hops, m and c from the same sentences",
      .paper = {"Sukhbaatar et al., NIPS 2015", 2015, 2},
      .idea =
          "The sentences of a story are turned into keys and values, and a question reads them several times. What one "
          "read found is added to the question of the next, so the model can follow a chain of facts. A vector for the "
          "age of a sentence tells it which of two facts is the newer.",
      .wrong =
          "With adjacent tying the values of one hop are the keys of the next, and the last values are the output "
          "matrix. A program that gives each hop two matrices of its own has another model.",
      .shapes =
          "story [B, M, L], question [B, L'] -> logits [B, V], weights [B, K, M]; as a pooling [B, S, D] -> [B, D]",
      .cost = "2 K M D products per question; (K + 1) V D parameters (adjacent), or 4 V D + D^2 (layer-wise)",
      .own = {"keys_may_be_permuted", "queries_may_be_permuted", "mask_is_minus_infinity", "hop_without_values_is_idle",
              "adjacent_hops_share_matrices", "layer_wise_hops_share_matrices", "order_of_sentences_is_their_age",
              "padding_of_stories_is_absent", "hops_follow_a_chain"},
      .cases = "MemoryNetwork",
      .more =
          "the hops over the encoder's words, with a learned question; stories of sentences, as in the paper, are read "
          "by nn::MemoryNetwork",
  };

  using Options = MemoryNetworkOptions;
  MemoryNetwork(const Options& options, Generator& rng);
  // story [B, M, L] and question [B, L'] of ids. ValueError for more sentences than there are ages.
  MemoryAnswer operator()(const Tensor& story, const Tensor& question) const;
  void visit(Visitor& v);
  Options options;
  std::vector<Embedding> tables;          // adjacent: A^1, C^1 = A^2, .., C^K; layer_wise: A, C, B      each [V, D]
  std::vector<Variable> ages;             // T of each table that reads sentences [M, D]
  std::optional<Linear> between, answer;  // H [D, D] and W [V, D] of layer_wise

 private:
  Variable sentences(size_t table, const Tensor& ids) const;  // [.., L] -> [.., D]
};

}  // namespace heed::nn
