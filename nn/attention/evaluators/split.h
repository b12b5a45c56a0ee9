// The split evaluator, flash-decoding: the parts of the keys can be computed at the same time. (Ring attention merges
// its parts in the same way; what it is about, keys that move round a ring of devices, is not here.) The numbers are
// those of dense up to rounding, except under dropout, which is drawn per part. Part p has the keys [p S / P, (p + 1) S
// / P). A score that overflows to +inf makes its part infinitely large and the context NaN. P the number of parts; a
// part without keys is left out.
#pragma once

#include "nn/attention/evaluators/partial.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct SplitEvaluator final : Evaluator {
  struct Settings {
    int64_t parts = 4;
    void fields(OptionFields& f) { f("parts", parts, "P, the number of parts of the keys", {1, 1e6}); }
  };
  static constexpr About about{
      .names = {"G5", "split", "flash-decoding", "split-K"},
      .formula =
          "L = log sum_s e^(e_s), o = sum_s e^(e_s - L) v_s of each part;  merge: L = log(e^L1 + e^L2), o = e^(L1 - L) "
          "o1 + e^(L2 - L) o2",
      .paper = {"Dao, Haziza, Massa and Sizov, 2023 (flash-decoding)", 2023, 3},
      .idea =
          "The keys are cut into parts, and attention to each part is computed by itself. Beside its context, each "
          "part hands on the logarithm of its sum of exponentials. With these two the parts are merged in any order, "
          "and the result is attention to all keys.",
      .wrong =
          "The contexts of the parts must not be averaged. Each counts with the sum of its exponentials, and a part "
          "without an allowed key counts nothing.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "the products of dense; stores [B, H, T, S / P] of one part; T (V + 1) numbers a part are merged",
      .own = {"merged_parts_are_the_whole", "merge_is_associative", "split_is_dense"},
      .cases = "split attention",
  };

  SplitEvaluator(const EvaluatorOptions& o, Generator&) : parts(o.settings.as<Settings>().parts) {}
  std::string refuses(const StageSet& stages) const override { return why_not_in_parts(stages); }
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool shows_weights() const override { return false; }
  int64_t parts;  // P
};

}  // namespace heed::nn
