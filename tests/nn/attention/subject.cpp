#include "tests/nn/attention/subject.h"

#include "nn/attention/readers/hard.h"

namespace heed::nn_test {

nn::AttentionOptions small_options(const nn::CatalogueEntry& entry) {
  nn::AttentionOptions o = entry.options;
  o.score.query = o.score.key = kWidth;
  o.score.width = o.score.name == "reduced_rank" ? 2 : 5;
  o.score.max_source = 16;
  o.scope.window = 2;
  return o;
}

namespace {

// Steps of the pipeline, then `read`, which may put another context and weights in their place.
template <class Read>
Seen run(const nn::AttentionOptions& given, const Ask& ask, const Read& read) {
  nn::AttentionOptions options = given;
  if (ask.causal) options.scope.name = "causal";
  Generator rng(1);
  nn::Attention attention(options, rng);
  nn::convert(attention, ask.query.dtype());
  nn::Memory memory = attention.remember(ask.keys, ask.values, ask.lengths);
  if (ask.allowed.defined()) memory.allowed = ask.allowed;
  nn::AlignmentState state;
  int64_t T = ask.query.size(1), step = ask.step_by_step ? 1 : T;
  std::vector<Variable> contexts, weights;
  for (int64_t t = 0; t < T; t += step) {
    nn::Attended seen = read(attention(slice(ask.query, 1, t, t + step), memory, state), memory);
    contexts.push_back(seen.context);
    weights.push_back(seen.weights);
  }
  return {concat(contexts, 1), concat(weights, 1), nn::named_parameters(attention)};
}

}  // namespace

Subject subject_of(const nn::CatalogueEntry& entry) {
  nn::AttentionOptions options = small_options(entry);
  if (entry.id == "D1")
    return [options](const Ask& ask) {
      Generator rng(2);
      nn::HardReader reader({.soft = 0}, rng);
      return run(options, ask, [&](const nn::Attended& soft, const nn::Memory& memory) {
        nn::HardRead hard = reader(soft.weights, memory.values);
        return nn::Attended{hard.context, hard.weights};
      });
    };
  using nn::Kind;
  if (entry.kind == Kind::score || entry.kind == Kind::normaliser || entry.kind == Kind::scope ||
      entry.kind == Kind::reader)
    return [options](const Ask& ask) {
      return run(options, ask, [](const nn::Attended& seen, const nn::Memory&) { return seen; });
    };
  return {};
}

Ask small_ask(DType dtype) {
  return {.query = leaf({2, 3, kWidth}, 21, dtype),
          .keys = leaf({2, 5, kWidth}, 22, dtype),
          .values = leaf({2, 5, kWidth}, 23, dtype)};
}

}  // namespace heed::nn_test
