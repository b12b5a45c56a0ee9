// local-p, predictive local attention: the model predicts the position p_t around which it attends (Luong, Pham and
// Manning, EMNLP 2015, section 3.2, eq. 9 and 10).
//
//   p_t  = S sigmoid(v^T tanh(W q_t))                         a real number in (0, S), S the length of the source
//   w_ts = softmax(e_t)_s exp(-(s - p_t)^2 / (2 sigma^2))     sigma = D / 2, for |s - round(p_t)| <= D; elsewhere 0
//
// The rows are not normalised again after the Gaussian, so they sum to less than 1. The window is centred at
// round(p_t), which has no derivative; the gradient reaches p_t through the Gaussian. At a distance of D the Gaussian
// is e^-2, whatever D is.
#pragma once

#include "nn/attention/scopes/scope.h"
#include "nn/layers.h"

namespace heed::nn {

struct LocalPScope final : Scope {
  using Options = ScopeOptions;
  LocalPScope(const Options& options, Generator& rng);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  Variable centre(const Variable& query, const Places& places) const;  // p_t [B, T, 1], or [B, H, T, 1]
  bool modulates() const override { return true; }
  bool by_place() const override { return true; }
  bool needs_whole_source() const override { return true; }
  void visit(Visitor& visitor) override {
    visitor.child("hidden", hidden);
    visitor.child("v", v);
  }
  Options options;
  int64_t width;     // D
  Linear hidden, v;  // W [Q, Q], v [1, Q], without biases
};

}  // namespace heed::nn
