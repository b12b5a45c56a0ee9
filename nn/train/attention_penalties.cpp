#include "nn/train/attention_penalties.h"

#include <fmt/format.h>

#include "nn/attention/coverage.h"
#include "nn/attention/regularisers.h"
#include "nn/penalties.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/error.h"

namespace heed::nn {

void AttentionPenalties::fields(OptionFields& f) {
  const Range weight{0, 1e6};
  f("coverage_loss", coverage_loss, "weight of the coverage loss", weight);
  f("doubly_stochastic", doubly_stochastic, "weight of the penalty on source words that are not read once in all",
    weight);
  f("attention_entropy", attention_entropy, "weight of the entropy of the attention weights", weight);
  f("attention_overlap", attention_overlap, "weight of what two steps read in common", weight);
  f("guided_attention", guided_attention, "weight of the distance of the alignment from the diagonal", weight);
}

void AttentionPenalties::add(const Variable& a, const Tensor& target_in, const Tensor& lengths) const {
  if (!any() || !Penalties::active()) return;
  if (!a.defined())
    throw ValueError("train: penalties of attention need a model with an alignment; got one without attention weights");
  Tensor steps = not_equal(target_in, static_cast<double>(text::Vocabulary::pad));  // [B, T]
  auto term = [](const char* name, double weight, MeanOver over, auto penalty) {
    if (weight > 0) Penalties::add(name, penalty(), weight, over);
  };
  term("coverage", coverage_loss, MeanOver::words, [&] { return mean_coverage_loss(a, steps); });
  term("doubly_stochastic", doubly_stochastic, MeanOver::sentences,
       [&] { return doubly_stochastic_penalty(a, steps, lengths); });
  term("attention_entropy", attention_entropy, MeanOver::words, [&] { return mean_entropy(a, steps); });
  term("attention_overlap", attention_overlap, MeanOver::pairs, [&] { return mean_overlap(a, steps); });
  term("guided_attention", guided_attention, MeanOver::words, [&] { return guided_penalty(a, steps, lengths); });
}

}  // namespace heed::nn
