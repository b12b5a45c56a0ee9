// local-p, predictive local attention: the model predicts the position p_t around which it attends (section 3.2 of the
// paper, eq. 9 and 10).
//
//   p_t  = S sigmoid(v^T tanh(W q_t))                         a real number in (0, S), S the length of the source
//   w_ts = softmax(e_t)_s exp(-(s - p_t)^2 / (2 sigma^2))     sigma = D / 2, for |s - round(p_t)| <= D; elsewhere 0
//
// round(p_t) has no derivative. At a distance of D the Gaussian is e^-2, whatever D is.
#pragma once

#include "nn/attention/scopes/scope.h"
#include "nn/layers.h"

namespace heed::nn {

struct LocalPScope final : Scope {
  struct Settings {
    int64_t window = 10;
    void fields(OptionFields& f) {
      f("window", window, "D, keys on each side; the Gaussian has sigma = D / 2", {1, 1e9});
    }
  };
  static constexpr About about{
      .names = {"C3", "local_p", "predictive local attention"},
      .formula = "p = S sigmoid(v . tanh(W q));  w = softmax(e)_s exp(-(s - p)^2 / (2 sigma^2)), sigma = D / 2",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "A small network predicts a position in the source, and a window around it is read. The weights in it are "
          "multiplied by a Gaussian whose maximum is at that position. The position is a real number, so the gradient "
          "reaches the network through the Gaussian.",
      .wrong =
          "After the Gaussian factor the weights are not divided by their sum again, so a row sums to less than one.",
      .shapes = "q [B, T, Q], W [Q, Q], v [1, Q] -> mask and factor [B, T, S]",
      .cost = "T (2 D + 1) scores have an effect; Q (Q + 1) parameters",
      .own = {"gaussian_values", "centre_is_inside", "gradient_reaches_the_centre", "rows_sum_to_at_most_one"},
      .exempt = {{"constant_values_are_read", "the rows sum to less than 1"},
                 {"keys_may_be_permuted", "a key's position decides its factor"},
                 {"rows_sum_to_one", "the rows are not normalised again after the Gaussian"}},
  };
  static Tensor picture(const Places& places);  // p_t = S (t + 1/10) / T, along the diagonal

  using Options = ScopeOptions;
  LocalPScope(const Options& options, Generator& rng);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  Variable centre(const Variable& query, const Places& places) const;  // p_t [B, T, 1], or [B, H, T, 1]
  bool modulates() const override { return true; }
  bool rows_sum_to_one() const override { return false; }
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
