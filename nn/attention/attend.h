// Attention, the plain case, in one line:  weights = softmax(scores, where allowed),  context = weights . values
//
// B batch, T queries, S keys, D width of the values. Every score function (additive.h, ...) ends here.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct Attended {
  Variable context;  // [B, T, D]
  Variable weights;  // [B, T, S]; rows sum to 1, or are all 0 where nothing was allowed
};

// scores [B, T, S], values [B, S, D], allowed bool, broadcastable to [B, T, S] (undefined: everything).
// A key that is not allowed gets the weight 0 exactly, and neither it nor its value gets a gradient. A query that may
// look at nothing gets the context 0 and finite gradients. Reports the weights to Observe.
Attended attend(const Variable& scores, const Variable& values, const Tensor& allowed = {});

}  // namespace heed::nn
