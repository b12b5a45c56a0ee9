// What RWKV-4 to 7 share: how their parameters begin, and the norm of the heads. The authors spread the initial
// values over the features, n of D, and over the layers, l of L, so that some features remember longer than others. A
// mixer outside a stack begins as the first layer of many. The matrices of RWKV-4, 5 and 6 begin as those of the
// authors' layers do, which is how Linear draws them; their script for whole networks draws them once more, orthogonal,
// small or 0, and sets the gains of the norm by the layer, which is left to whoever builds a network. B batch, H heads,
// T words, D width, K = D / H.
#pragma once

#include <functional>

#include "nn/attention/mixers/mixer.h"

namespace heed::nn {

struct RwkvDepth {
  double risen = 0, left = 1;  // l / (L - 1), 1 - l / L
};
RwkvDepth depth_of(const MixerOptions& options);
double feature_place(int64_t n, int64_t D);  // n / (D - 1), from 0 to 1

// A parameter [D] whose entry n is f(n).
Variable by_feature(int64_t D, const std::function<double(int64_t)>& f);
// The shares of the own word in a token shift, (n / D)^power + more, and 1 minus them, those of the word before. [R, D]
struct ShiftShare {
  double power, more = 0;
};
Tensor own_shares(int64_t D, const std::vector<ShiftShare>& rows);
Tensor shares_before(int64_t D, const std::vector<ShiftShare>& rows);

// -6 + 5 (n / (D - 1))^(0.7 + 1.3 l / (L - 1)), for a decay exp(-exp(.)) [D]
Variable first_decays(const MixerOptions& options);
Variable first_bonuses(const MixerOptions& options);  // l / (L - 1) (1 - n / (D - 1)) + (-0.1, 0 or 0.1 by turns) [D]

struct RwkvNorm {  // of each head by mean and variance, with a gain and a bias of each feature [D]
  explicit RwkvNorm(int64_t D);
  Variable operator()(const Variable& o, double eps) const;  // [B, H, T, K] -> [B, T, D]
  Variable gain, bias;
};

// u_t = r_t (S_(t-1) + diag(u) k_t^T v_t), then S_t = diag(a_t) S_(t-1) + k_t^T v_t: a query reads before its word is
// written, and its own word through a bonus u [D]. r, k, v [B, T, D], log a [B or 1, T, D]. Sets `state` [B, H, K, K].
Variable read_with_bonus(const std::vector<Variable>& rkva, const Variable& bonus, const Tensor& words,
                         const MixerOptions& options, int64_t chunk, Variable& state);

}  // namespace heed::nn
