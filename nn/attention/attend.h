// The dense evaluator of attention: weights and context from scores, with the whole [.., T, S] in memory.
//
//   w = normalise(scores, where allowed) * factor,        context = w . values
//
// In the plain case, a softmax without a factor, that is the line that everybody knows:
// weights = softmax(scores, where allowed), context = weights . values. B batch, T queries, S keys, D width of the
// values; further axes (heads) may stand behind B.
#pragma once

#include "autograd/variable.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct Dropout;
struct Normaliser;

struct Attended {
  Variable context;       // [B, T, V] or [B, H, T, V]
  Variable weights = {};  // [B, T, S] or [B, H, T, S]; rows of a softmax sum to 1, or are all 0 with nothing allowed
  Variable scores = {};   // the same shape, before the normaliser: -inf where not allowed; undefined if not stored
};

struct AttendOptions {
  Tensor allowed = {};                     // bool, broadcastable to the scores (masks.h); undefined: everything
  const Normaliser* normaliser = nullptr;  // none: softmax
  Variable factor = {};                    // broadcastable to the weights; undefined: none
  bool renormalise = false;                // divide each row by its sum after the factor
  const Dropout* dropout = nullptr;        // of the weights that read; those returned and reported are whole
  StageContext* context = nullptr;         // for the normaliser
  bool report = true;                      // scores and weights to Observe
};

// scores [B, T, S] or [B, H, T, S], values [B, S, D] or [B, H, S, D].
// A key that is not allowed gets the weight 0 exactly, and neither it nor its value gets a gradient. Where no query of
// a sentence may look, neither score nor value matters, not even NaN. (A NaN in a value that some queries may see
// reaches all of that sentence: 0 times NaN.) A query that may look at nothing gets the context 0 and finite gradients.
Attended attend(const Variable& scores, const Variable& values, const AttendOptions& options);
Attended attend(const Variable& scores, const Variable& values, const Tensor& allowed = {});

}  // namespace heed::nn
