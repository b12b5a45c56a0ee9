// You only cache once (YOCO, "decoder-decoder"): the lower half of the layers keeps states of constant size, and all
// layers of the upper half read one set of keys and values, made from what the lower half gives. m: the first layer of
// the upper half, h its input.
//
//   layers < m    gated retention: S_t = a_t S_(t-1) + k_t^T v_t, o_t = q_t S_t, log a_t = log sigmoid(x W_a) / 16
//                 y = (silu(x W_g) norm(o)) W_o        a_t one number a head, q and k turned, k / sqrt(K), norm a head
//   layer m       k = turn(rms(h) g W_k), v = rms(h) g W_v        once, for layer m and all after it
//   layers >= m   y = softmax(turn(x W_q) k^T / sqrt(K)) v W_o    each with queries of its own; causal
//
// The stack calls a mixer with its normalised input, so h is normalised twice here. Nothing has a bias. Turns are
// rotary, of neighbouring pairs, by the angles of retention.h, as in the authors' program: the last is exactly 1 /
// 10000. There q, k, v, a and the gate of the lower half begin Xavier uniform times 2^-2.5, their W_o times 1/2; so
// they do here, and the upper half as PyTorch's layers. In an encoder retention is read in both directions and nothing
// is hidden. A layer that is in no stack is the first of the upper half. The authors also allow a sliding window as the
// lower half. B batch, T words, S words so far, D width of the model, H heads, K = D / H.
#pragma once

#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/attention/recurrences/recurrent_mixer.h"
#include "nn/norm.h"

namespace heed::nn {

struct GatedRetention final : RecurrentMixer {  // a layer of the lower half
  GatedRetention(const MixerOptions& options, int64_t chunk, Generator& rng);
  DecayedSums words_of(const Variable& x, int64_t first) const;
  void visit(Visitor& v) override {
    v.child("query", query), v.child("key", key), v.child("value", value);
    v.child("decay", decay), v.child("gate", gate), v.child("output", output);
  }
  Linear query, key, value, decay, gate, output;  // decay [H, D], the others [D, D]
  int64_t chunk;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

struct YocoMixer final : Mixer {
  struct Settings {
    int64_t lower = -1;
    int64_t chunk = 64;
    void fields(OptionFields& f) {
      f("lower", lower, "m, first layers, with gated retention; -1: half of all", {-1, 1000});
      f("chunk", chunk, "C, words that retention reads by one matrix product", {1, 1048576});
    }
  };
  static constexpr About about{
      .names = {"K15", "yoco", "YOCO", "decoder-decoder"},
      .formula = "lower half: gated retention; upper half: softmax(q k^T / sqrt(K)) v, k, v = rms(h) W of the middle h",
      .paper = {"Sun et al., NeurIPS 2024", 2024, 4},
      .idea =
          "The lower half of a decoder reads the text with states that do not grow. Its result is projected to keys "
          "and values once, and every layer of the upper half reads these. So the cache of a long text has one layer, "
          "and of a prompt the upper half is needed for the last word only.",
      .wrong =
          "The shared keys and values are made from the output of the lower half, before any layer of the upper half "
          "has changed it. They are causal there too: a word reads those of earlier words and its own.",
      .cost =
          "(6 T D^2 + 2 T D (C + K)) below and 2 T D^2 + 2 T^2 D above; decoding keeps 2 T D once, D K a layer below",
      .own = {"upper_layers_read_the_middle", "a_last_word_needs_no_others_above", "the_lower_half_keeps_one_matrix"},
  };

  YocoMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  bool passes() const override { return true; }
  void visit(Visitor& v) override;
  MixerOptions options;
  std::unique_ptr<GatedRetention> retention;  // of a lower layer, which has nothing else
  std::unique_ptr<RMSNorm> norm;              // of layer m
  std::unique_ptr<Linear> k_proj, v_proj;     // of layer m
  std::unique_ptr<Linear> q_proj, out_proj;   // of an upper layer

 private:
  Variable keys_of(const Variable& x, int64_t first) const;  // turned keys, and values: [B, n, 2 D]
  Mixed read(const Variable& x, const Variable& kv, const MixerInput& in) const;
};

}  // namespace heed::nn
