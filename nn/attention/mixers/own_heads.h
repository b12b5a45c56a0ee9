// A mixer that is multi-head attention with a change of its own: it projects, calls `read` for the contexts, and
// projects again. The parameters and their layout are those of nn/attention/structures/multi_head.h (in_proj_weight and
// so on), so that each of these mixers can be compared with ordinary attention by copying them.
//
//   [q; k; v] = x W + b,   y = [read(q_h, k_h, v_h)]_h W_o + b_o
//
// A causal mixer without a method for one word at a time computes all words again at each step: exact, and T times as
// much work (input_memory.h). B batch, T words, D width, H heads, K = D / H.
#pragma once

#include "nn/attention/attend.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct OwnHeads {
  Variable x;               // [B, T, D], 0 at padding
  Variable q, k, v;         // [B, H, T, K]
  Tensor words = {};        // key padding mask, bool [B, T], or undefined
  Tensor allowed = {};      // words, and not later ones if causal: bool, broadcasts to [B, H, T, T], or undefined
  Variable scores() const;  // q k^T / sqrt(K), [B, H, T, T]
};

struct OwnHeadsMixer : Mixer {
  Mixed mix(const Variable& x, const MixerInput& in) const final;
  void visit(Visitor& v) override {
    v.parameter("in_proj_weight", in_proj_weight), v.parameter("in_proj_bias", in_proj_bias);
    v.child("out_proj", out_proj);
  }
  OwnHeads heads_of(const Variable& x, const Tensor& words) const;
  MixerOptions options;
  Variable in_proj_weight, in_proj_bias;  // [3 D, D], [3 D]
  Linear out_proj;

 protected:
  OwnHeadsMixer(const MixerOptions& o, const char* name, Generator& rng);
  virtual Attended read(const OwnHeads& heads) const = 0;  // context [B, H, T, K], weights of the words
};

}  // namespace heed::nn
