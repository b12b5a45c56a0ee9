#include "nn/attention/attention.h"

#include "autograd/ops.h"
#include "nn/padding.h"

namespace heed::nn {

Attention::Attention(const Options& o, Generator& rng)
    : Pipeline("attention", o, rng, /*may_drop=*/false), options(stages) {
  require_own_words("attention", "queries and keys without words");
}

Memory Attention::remember(const Variable& keys, const Variable& values, const Tensor& present) const {
  Call call(*this);
  Places places{.keys = keys.size(1)};
  if (!present.defined()) return {.keys = prepare_keys(keys, places), .values = values};
  Tensor words = present.rank() == 2 ? present : length_mask(present, keys.size(1));  // [B, S]
  places = from_first_words(places, words);
  Variable k = without_padding(keys, words), v = keys.same_as(values) ? k : without_padding(values, words);
  return {prepare_keys(k, places), v, words.unsqueeze(1), places.lengths, places.key_at, true};
}

Attended Attention::operator()(const Variable& query, const Memory& memory, AlignmentState& state) const {
  Call call(*this);
  StageContext context{.places = {.first_query = state.position, .lengths = memory.lengths, .key_at = memory.key_at},
                       .state = &state};
  bool weights = !evaluator || evaluator->shows_weights();
  Attended seen = attend_to(query,
                            {.keys = memory.keys,
                             .values = memory.values,
                             .allowed = memory.allowed,
                             .weights = weights,
                             .clean = memory.clean},
                            context);
  return {call.result("context", seen.context),
          seen.weights.defined() ? call.result("weights", seen.weights) : Variable()};
}

Attended Attention::operator()(const Variable& query, const Memory& memory) const {
  AlignmentState fresh;
  return (*this)(query, memory, fresh);
}

}  // namespace heed::nn
