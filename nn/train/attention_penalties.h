// Penalties of attention, as options of training: terms of the loss that look at the alignment alone, whatever the
// model (nn/attention/coverage.h, nn/attention/regularisers.h). B batch, T target words, S source words.
#pragma once

#include "autograd/variable.h"
#include "nn/options.h"

namespace heed::nn {

struct AttentionPenalties {      // factors of the terms; 0: without
  double coverage_loss = 0;      // for a source word that is attended to twice (See, Liu and Manning, ACL 2017)
  double doubly_stochastic = 0;  // for a source word whose weights do not sum to 1 over the target
  double attention_entropy = 0;  // for weights that are not sharp
  double attention_overlap = 0;  // for two target words that attend to the same source words
  double guided_attention = 0;   // for weights far from the diagonal
  void fields(OptionFields& f);
  bool any() const {
    return coverage_loss + doubly_stochastic + attention_entropy + attention_overlap + guided_attention > 0;
  }
  // Adds the terms to the innermost Penalties, if there is one (nn/penalties.h). alignment [B, T, S] as a model returns
  // it, target_in [B, T] i64, lengths [B] i64 of the source. ValueError for an undefined alignment.
  void add(const Variable& alignment, const Tensor& target_in, const Tensor& lengths) const;
};

}  // namespace heed::nn
