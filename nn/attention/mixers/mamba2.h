// Mamba-2 (Dao and Gu, "Transformers are SSMs: generalized models and efficient algorithms through structured state
// space duality", ICML 2024, section 7): a state space model whose decay is one number for each head is
// attention with a decaying mask, without a softmax.
//
// clang-format off
//   h_t = a_t h_(t-1) + d_t B_t^T x_t       d_t = softplus(u W_d + bias), a_t = exp(-exp(A) d_t);
//                                           h [N, P] for each head
//   o_t = C_t h_t + D x_t                   D [H]: a path past the state
//   y   = norm(o * silu(z)) W_o             [z; x; B; C] = u W of the input u, E features in x, z
//
//   matrix form: o = (L * C B^T)(d x),  L_ts = a_(s+1) .. a_t for s <= t
// clang-format on
//
// So C is the query, B the key and d x the value, and all heads share queries and keys (as in multi-query attention,
// whose keys and values are shared). x, B and C pass a short convolution first. Recurrent, parallel and chunkwise:
// decayed_sums.h. The authors draw A and the first step sizes at random; here A begins at 1 in every head, and the
// steps are spread over the heads. B batch, T words, D width, E inner width, H heads, P = E / H, N width of the state.
#pragma once

#include "nn/attention/mixers/decayed_sums.h"
#include "nn/attention/mixers/recurrent_mixer.h"
#include "nn/attention/mixers/short_convolution.h"
#include "nn/layers.h"

namespace heed::nn {

struct Mamba2Mixer final : RecurrentMixer {
  Mamba2Mixer(const MixerOptions& options, Generator& rng);
  // From x, B and C after the convolution, [B, T, E + 2 N], and the inputs; the values are d x.
  DecayedSums words_of(const Variable& convolved, const Variable& u) const;
  void visit(Visitor& v) override {
    v.child("projection", projection), v.child("convolution", convolution), v.child("step", step);
    v.parameter("step_bias", step_bias), v.parameter("log_rate", log_rate), v.parameter("skip", skip);
    v.parameter("norm", norm), v.child("output", output);
  }
  int64_t inner, width;  // E, N
  Linear projection;     // [z; x; B; C], 2 E + 2 N rows
  ShortConvolution convolution;
  Linear step;
  Variable step_bias, log_rate, skip;  // [H]: bias, A, D
  Variable norm;                       // [E], of the norm by the mean square
  Linear output;

 protected:
  Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const override;
};

}  // namespace heed::nn
