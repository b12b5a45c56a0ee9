#include "nn/attention/recurrences/rwkv_parts.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/attention/recurrences/decayed_sums.h"
#include "nn/init.h"

namespace heed::nn {

RwkvDepth depth_of(const MixerOptions& o) {
  const auto l = static_cast<double>(o.layer), L = static_cast<double>(o.layers);
  return {L > 1 ? l / (L - 1) : 0, L > 0 ? 1 - l / L : 1};
}

double feature_place(int64_t n, int64_t D) { return D > 1 ? static_cast<double>(n) / static_cast<double>(D - 1) : 0; }

Variable by_feature(int64_t D, const std::function<double(int64_t)>& f) {
  Tensor x = Tensor::empty({D}, parameter_dtype());
  for (int64_t n = 0; n < D; ++n) x.set({n}, f(n));
  return {x, Variable::kRequiresGrad};
}

Tensor own_shares(int64_t D, const std::vector<ShiftShare>& rows) {
  const auto R = static_cast<int64_t>(rows.size());
  Tensor shares = Tensor::empty({R, D}, parameter_dtype());
  for (int64_t i = 0; i < R; ++i)
    for (int64_t n = 0; n < D; ++n) {
      const auto [power, more] = rows[static_cast<size_t>(i)];
      shares.set({i, n}, std::pow(static_cast<double>(n) / static_cast<double>(D), power) + more);
    }
  return shares;
}
Tensor shares_before(int64_t D, const std::vector<ShiftShare>& rows) { return sub(1, own_shares(D, rows)); }

Variable first_decays(const MixerOptions& o) {
  const double power = 0.7 + 1.3 * depth_of(o).risen;
  return by_feature(o.query, [&](int64_t n) { return -6 + 5 * std::pow(feature_place(n, o.query), power); });
}

Variable first_bonuses(const MixerOptions& o) {
  return by_feature(o.query, [&](int64_t n) {
    return depth_of(o).risen * (1 - feature_place(n, o.query)) + 0.1 * static_cast<double>((n + 1) % 3 - 1);
  });
}

RwkvNorm::RwkvNorm(int64_t D) : gain(ones_parameter({D})), bias(zeros_parameter({D})) {}
Variable RwkvNorm::operator()(const Variable& o, double eps) const {
  return join_heads(layer_norm(o, {}, {}, {.eps = eps})) * gain + bias;
}

Variable read_with_bonus(const std::vector<Variable>& rkva, const Variable& bonus, const Tensor& words,
                         const MixerOptions& o, int64_t chunk, Variable& state) {
  const int64_t H = o.heads;
  auto of = [&](size_t i) { return split_heads(rkva[i], H); };
  DecayedSums w = without_padding({of(0), of(1), of(2), of(3)}, words);
  SumsRead read = sums_before(w, chunk, state);
  state = read.state;
  Variable own = sum(w.q * w.k * reshape(bonus, {1, H, 1, head_width(o)}), {-1}, true);  // [B, H, T, 1]
  return read.output + own * w.v;
}

}  // namespace heed::nn
