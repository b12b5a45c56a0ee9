// Adaptive attention span: every head learns how far its attention reaches. x = |i - j|.
//
//   m_z(x) = clamp((R + z - x) / R, 0, 1)                        1 up to the span z, a ramp of R words, then 0
//   w_ts = m_z(x) exp(e_ts) / sum_r m_z(x_r) exp(e_tr)           the weights of a softmax times m_z, over their sum
//   penalty = lambda mean_h z_h                                  added to the loss: a span must be worth its words
//
// At the start b = 0, half of the largest span S. The paper clamps z to [0, S], where a span at the border gets no
// gradient and stays there; the sigmoid is that of its dynamic spans, section 2.2. The span is the same before and
// after the query; joined as causal&.., only the keys before it count. Only cached decoding is limited to S words: all
// other calls are dense attention and a factor for each weight, whatever z is. The penalty counts once in a loss, even
// if a decoder calls the scope at each of its steps. H heads; H = 1 where there is no axis of heads.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct AdaptiveSpanScope final : Scope {
  struct Settings {
    int64_t window = 1024;
    int64_t ramp = 32;
    double penalty = 2e-6;
    void fields(OptionFields& f) {
      f("window", window, "S, the largest span", {1, 1e9});
      f("ramp", ramp, "R, words from full weight to none", {1, 1e6});
      f("penalty", penalty, "weight of the mean span in the loss", {0, 1e6});
    }
  };
  static constexpr About about{
      .names = {"C15", "adaptive_span", "adaptive attention span"},
      .formula = "w = softmax(e) m(|i - j|) / sum, m(x) = clamp((R + z - x) / R, 0, 1), z = S sigmoid(b) of each head",
      .paper = {"Sukhbaatar et al., ACL 2019", 2019, 2},
      .idea =
          "Each head learns how far from the query it has to look. The mask falls from one to zero along a ramp, so "
          "its length can be learned by gradient descent. Programs that skip the weights of zero then save work; this "
          "library computes all of them.",
      .wrong =
          "Only keys on the ramp give the span a gradient. Without a small penalty on the spans nothing makes them "
          "shrink.",
      .shapes = "b [H] -> factor [H, T, S]",
      .cost = "T (2 S + 1) scores count, H T S factors; H parameters",
      .own = {"full_span_is_full_attention", "ramp_values", "only_the_ramp_has_a_gradient", "a_span_of_each_head",
              "penalty_is_the_mean_span"},
      .exempt = {kKeysHavePlaces, kQueriesHavePlaces},
  };
  static Tensor picture(const Places& places);  // spans of 2 words in 4, then a ramp of 3

  using Options = ScopeOptions;
  AdaptiveSpanScope(const Options& options, Generator&);
  Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const override;
  Variable spans() const;  // z [H]
  std::optional<int64_t> reach() const override { return settings.window; }
  bool modulates() const override { return true; }
  void visit(Visitor& v) override { v.parameter("span", span); }
  Settings settings;
  Variable span;  // b [H]
};

}  // namespace heed::nn
