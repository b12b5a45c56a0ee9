// Controls: normalisers that take the look-up out of attention and leave everything else. A variant that is no better
// than these has looked nothing up.
//
//   even       w_s = 1 / n for each of the n allowed keys, whatever the scores
//   shuffled   the weights of a softmax, but each goes to another allowed key: w_{pi(s)} = softmax(e)_s
//
// In training pi is a random permutation of the allowed keys, drawn anew for each row. In evaluation it moves each
// weight to the next allowed key, and the last to the first. "Attention" whose weights do not say which word was read
// was shipped in a tutorial for six years (pytorch/tutorials, issue 2121); beside these two it would have been seen.
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
