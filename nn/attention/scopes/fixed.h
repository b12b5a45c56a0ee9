// Scopes that the positions alone decide (masks.h).
//
//   global   every key                                   Luong, Pham and Manning, EMNLP 2015, section 3.1
//   causal   itself and what stands before it            the decoder of Vaswani et al., NeurIPS 2017
//   window   |i - j| <= D                                Child et al. 2019; Beltagy, Peters and Cohan 2020
//   dilated  the same with gaps of g                     Beltagy, Peters and Cohan 2020
//   local_m  [t - D, t + D] for target word t ("monotonic")        Luong et al. 2015, section 3.2
//
// local_m presumes that translation goes word by word. Past the end of the source it stays at the last word, so that a
// target longer than its source never looks at nothing.
#pragma once

#include "nn/attention/scopes/scope.h"

namespace heed::nn {

struct FixedScope final : Scope {
  using Options = ScopeOptions;
  FixedScope(const Options& options, Generator& rng);
  Window operator()(const Variable& query, const Place& place) const override;
  Options options;
};

}  // namespace heed::nn
