// Infini-attention ("Leave no context behind: efficient infinite context transformers with Infini-attention",
// section 2.1): softmax attention within a segment, and a memory of linear attention for all segments before it.
//
//   local    softmax of q_t . k_s / sqrt(K) over s <= t of the same segment, times v_s
//   memory   f(q_t) M / (f(q_t) . z),  f = elu + 1, M and z of the earlier segments: 0 in the first, where z is 0
//   o_t      sigmoid(g_h) memory + (1 - sigmoid(g_h)) local,     y = o W_o
//
//   after a segment   M <- M + sum_s f(k_s)^T (v_s - f(k_s) M / (f(k_s) . z)),   z <- z + sum_s f(k_s)
//
// `delta=0` leaves out what the memory already returns for the key (the paper's "Linear" beside "Linear + Delta"). All
// words of a segment subtract the same old M. Gates start at 0, since the paper does not say. There are no positions
// here; the paper rotates queries and keys of the local attention only, never those of the memory. K = D / H.
#pragma once

#include "nn/attention/recurrences/block_mixer.h"

namespace heed::nn {

struct InfiniMixer final : BlockMixer {
  struct Settings {
    int64_t segment = 64;
    bool delta = true;
    void fields(OptionFields& f) {
      f("segment", segment, "C, words of a segment", {1, 65536});
      f("delta", delta, "write only what the memory does not return yet");
    }
  };
  static constexpr About about{
      .names = {"K3", "infini", "Infini-attention"},
      .formula = "o = sigmoid(g) f(q) M / (f(q) . z) + (1 - sigmoid(g)) softmax attention within the segment",
      .paper = {"Munkhdalai, Faruqui and Gopal, 2024 (arXiv 2404.07143)", 2024, 4},
      .idea =
          "A text is read in segments, with ordinary attention inside of each. When a segment ends, its keys and "
          "values are added to a matrix of fixed size, from which all later words read. A learned gate of each head "
          "says how much of the past and how much of the segment counts.",
      .wrong =
          "In the first segment the memory is empty, and 0 / 0 must be 0; the gate still applies there. A query reads "
          "the memory before its own segment is written.",
      .cost = "T (4 D^2 + C D + 4 K D) products; 4 D^2 + H parameters; decoding keeps D K + D + 2 C D numbers",
      .own = {"closed_gates_are_attention_in_segments", "memory_has_weights_of_words",
              "delta_matters_from_segment_three", "blocks_count_words", kLinearCost},
  };

  InfiniMixer(const MixerOptions& options, Generator& rng);
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.parameter("gate", gate), v.child("output", output);
  }
  Settings settings;
  Linear query, key, value;
  Variable gate;  // g [H]
  Linear output;

 protected:
  int64_t block() const override { return settings.segment; }
  std::vector<Variable> start(int64_t sentences, DType dtype) const override;  // M, z; keys and values of the segment
  std::vector<Variable> parts(const Variable& x, const Tensor&) const override;
  Variable read(const Piece& piece, std::vector<Variable>& state) const override;
  Variable finished(const Variable&, const Variable& o) const override { return output(o); }
};

}  // namespace heed::nn
