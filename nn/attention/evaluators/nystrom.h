// Nystroemformer ("A Nystroem-based algorithm for approximating self-attention"): attention through a few landmarks.
//
//   q~, k~ [L, K]: means of L segments of neighbouring queries, and of keys
//   F = softmax(s q k~^T) [T, L]     A = softmax(s q~ k~^T) [L, L]     B = softmax(s q~ k^T) [L, S]
//   w = F A^+ B,   c = F (A^+ (B v))                         T L (K + V) multiply-adds and S L (K + V), linear in both
//
//   A^+: Z_0 = A^T / (|A|_1 |A|_inf),   Z_(j+1) = Z_j (13 I - A Z_j (15 I - A Z_j (7 I - A Z_j))) / 4
//
// |A|_1 is the largest sum of a column and |A|_inf of a row, so that |I - A Z_0| < 1 and the iteration converges to the
// pseudo-inverse. The paper takes 6 iterations. Where A is singular, each step multiplies the rounding errors in its
// null space by 13/4, so many more steps make the result worse and not better. With a landmark for each word, w is the
// softmax itself, since A A^+ A = A. The weights may be negative. Their rows sum to 1 as far as the iteration has
// converged.
//
// The landmarks of a sentence are means that include later words, so there is no causal form. Simplified: the paper
// adds a convolution of the values to the output.
#pragma once

#include "nn/attention/evaluators/evaluator.h"

namespace heed::nn {

// Z after `iterations` steps, for matrices a [.., L, L] that are not 0.
Variable iterative_pinv(const Variable& a, int64_t iterations);

struct NystromEvaluator final : Evaluator {
  struct Settings {
    int64_t landmarks = 64;
    int64_t iterations = 6;
    void fields(OptionFields& f) {
      f("landmarks", landmarks, "L, the number of landmarks", {1, 1e6});
      f("iterations", iterations, "steps of the pseudo-inverse", {1, 1000});
    }
  };
  static constexpr About about{
      .names = {"G16", "nystrom", "Nystroemformer", "landmarks"},
      .formula = "w = softmax(q k~^T) pinv(softmax(q~ k~^T)) softmax(q~ k^T), q~ and k~ means of L segments",
      .paper = {"Xiong et al., AAAI 2021", 2021, 3},
      .idea =
          "A few landmarks are the means of neighbouring queries and of neighbouring keys. Each query attends to the "
          "landmarks, and the landmarks attend to all keys. A pseudo-inverse between the two makes the product an "
          "approximation of softmax attention.",
      .wrong =
          "The iteration for the pseudo-inverse must start from the transposed matrix divided by both norms, or it may "
          "diverge. Padding must not be averaged into the landmarks.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "L (T + S) (K + V) + 4 L^3 per iteration multiply-adds a head",
      .own = {"a_landmark_each_is_full_attention", "pinv_converges_from_its_start", "landmarks_do_not_see_padding",
              "landmark_cost_is_linear", kLinearCost},
      .exempt = {{"causal_under_causal_scope", "a causal scope is refused: landmarks see later words"},
                 {"empty_row_reads_zero",
                  "a mask that differs from query to query is refused; a sentence without words is tested by "
                  "landmarks_do_not_see_padding"},
                 {"keys_may_be_permuted", "landmarks are means of neighbouring words"},
                 {"queries_may_be_permuted", "landmarks are means of neighbouring words"},
                 {"rows_sum_to_one", "the pseudo-inverse has negative entries, and so may the weights"},
                 {"step_by_step_is_parallel", "landmarks are means over all queries"}},
      .cases = "landmark attention",
      .option = "encoder_mixers",
      .text = "nystrom",
      .more = "--attention-dropout 0; a causal layer refuses it",
  };

  NystromEvaluator(const EvaluatorOptions& o, Generator&) : settings(o.settings.as<Settings>()) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool exact() const override { return false; }
  bool rows_sum_to_one() const override { return false; }
  bool mixes_queries() const override { return true; }  // landmarks are means of queries
  Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  Settings settings;
};

}  // namespace heed::nn
