// The dense evaluator of attention: weights and context from scores, with all of [.., T, S] in memory.
//
//   w = normalise(scores, where allowed) * factor,        context = w . values
//
// In the simplest case, a softmax without a factor, this is the well-known formula: weights = softmax(scores, where
// allowed), context = weights . values. B batch, T queries, S keys, D width of the values; further axes (heads) may
// follow B.
#pragma once

#include "autograd/variable.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct Dropout;
struct Normaliser;

struct Attended {
  Variable context;       // [B, T, V] or [B, H, T, V]
  Variable weights = {};  // [B, T, S] or [B, H, T, S]; rows of a softmax sum to 1, or are 0 if no key is allowed
  Variable scores = {};   // the same shape, before the normaliser: -inf where not allowed; undefined if not stored
};

struct AttendOptions {
  Tensor allowed = {};                     // attention mask, broadcastable to the scores (masks.h); undefined: all
  const Normaliser* normaliser = nullptr;  // nullptr: softmax
  Variable factor = {};                    // broadcastable to the weights; undefined: none
  bool renormalise = false;                // divide each row by its sum after the factor
  const Dropout* dropout = nullptr;        // applied to the weights for the context; those returned are without it
  StageContext* context = nullptr;         // passed to the normaliser
  bool report = true;                      // whether Observe receives scores and weights
  bool clean = false;                      // true if the values of padding are known to be ordinary numbers
};

// scores [B, T, S] or [B, H, T, S], values [B, S, D] or [B, H, S, D].
// A key that is not allowed gets a weight of exactly 0, and neither the key nor its value gets a gradient. If no query
// of a sentence may attend to a key, its score and value have no effect, even if they are NaN. (A NaN in a value that
// some queries may attend to reaches all queries of that sentence, since 0 times NaN is NaN.) A query that may not
// attend to any key gets the context 0 and finite gradients.
//
// Under a softmax, a key whose score overflows to +inf gets the whole weight of its row, and several such keys share
// it equally; a score of -inf counts as masked. This holds in every exact evaluator (dense, chunked, tiled), and all
// gradients are finite; tiled attention rounds those of such rows in proportion to the size of the keys. A score
// that is NaN stays NaN: one that overflows in both directions within its sum over K (inf - inf), or +inf with a
// bias of -inf.
Attended attend(const Variable& scores, const Variable& values, const AttendOptions& options);
Attended attend(const Variable& scores, const Variable& values, const Tensor& allowed = {});

}  // namespace heed::nn
