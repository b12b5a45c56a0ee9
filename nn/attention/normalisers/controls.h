// Controls: normalisers whose weights do not find the keys that match a query. The rest of the model is unchanged, so a
// variant of attention that is no better than these gains nothing from its weights.
//
//   even       w_s = 1 / n for each of the n allowed keys, whatever the scores
//   shuffled   the weights of a softmax, but moved to other keys: w_{pi(s)} = softmax(e)_s
//
// In training pi is a random permutation of the allowed keys, drawn anew for each row. In evaluation it moves each
// weight to the next allowed key, and the last to the first. What these controls do not show: weights that depend on
// positions only can be much better than both. The score `location` is the control for those.
#pragma once

#include "nn/attention/normalisers/normaliser.h"

namespace heed::nn {

struct EvenNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  EvenNormaliser(const Options&, Generator&) {}
  Variable weights(const Variable& scores, StageContext&) const override;
};

struct ShuffledNormaliser final : Normaliser {
  using Options = NormaliserOptions;
  ShuffledNormaliser(const Options&, Generator& seeds) : rng(seeds.next_u32()) {}
  Variable weights(const Variable& scores, StageContext&) const override;
  void visit(Visitor& v) override { v.generator("generator", rng); }
  mutable Generator rng;  // the only state that a call changes
};

}  // namespace heed::nn
