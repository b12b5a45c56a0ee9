#include "tests/nn/attention/subject.h"

#include "nn/attention/attention.h"
#include "nn/attention/readers/hard.h"
#include "nn/attention/structures/feature_wise.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/attention/structures/structured.h"
#include "nn/cases/small_stages.h"
#include "nn/padding.h"

namespace heed::nn_test {

nn::AttentionOptions small_options(const nn::CatalogueEntry& entry) {
  return nn::small_stages(entry, {.query = kWidth, .most = 2, .hidden = 5, .longest = 16, .one_width = true});
}

namespace {

// A mask that hides the same keys from all queries is a padding mask.
Tensor padding_mask(const Ask& ask) {
  bool hides = ask.allowed.defined() && ask.allowed.size(1) == 1 && ask.allowed.size(0) == ask.keys.size(0);
  return hides ? ask.allowed.squeeze(1) : Tensor();
}

// Steps of the pipeline, then `read`, which may put another context and weights in their place.
template <class Read>
Seen run(const nn::AttentionOptions& given, const Ask& ask, const Read& read) {
  nn::AttentionOptions options = given;
  if (ask.causal) options.scope = {.name = "causal"};
  Generator rng(1);
  nn::Attention attention(options, rng);
  nn::convert(attention, ask.query.dtype());
  Tensor words = padding_mask(ask);
  nn::Memory memory = attention.remember(ask.keys, ask.values, words.defined() ? words : ask.lengths);
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

// For what needs as many queries as keys: further queries, which may attend to all keys, and whose rows are not shown.
Seen run_square(const nn::AttentionOptions& options, const Ask& ask) {
  int64_t B = ask.query.size(0), T = ask.query.size(1), S = ask.keys.size(1);
  Ask square = ask;
  square.query = concat({ask.query, Variable(random({B, S - T, kWidth}, 9, ask.query.dtype()))}, 1);
  if (ask.allowed.defined()) {
    int64_t rows = ask.allowed.size(0), own = ask.allowed.size(1);
    Tensor others = own == 1 ? ask.allowed.expand({rows, S - T, S}) : Tensor::ones({rows, S - T, S}, DType::boolean);
    square.allowed = concat({ask.allowed.expand({rows, T, S}), others}, 1);
  }
  Seen seen = run(options, square, [](const nn::Attended& all, const nn::Memory&) { return all; });
  return {slice(seen.context, 1, 0, T), slice(seen.weights, 1, 0, T), seen.parameters};
}

// Heads without biases, so that nothing is added to what was read. Weights are the means over the heads. Evaluators may
// go another way when nobody looks at the weights: `unwatched` outputs come from a call of their own.
Seen run_heads(const nn::MultiHeadOptions& given, const Ask& ask, bool unwatched = false) {
  nn::MultiHeadOptions options = given;
  if (ask.causal) options.scope = {.name = "causal"};
  auto m = made<nn::MultiHeadAttention>(options, ask.query.dtype());
  nn::HeadMasks masks{.allowed = ask.allowed, .weights = true};
  if (ask.lengths.defined()) masks.words = nn::length_mask(ask.lengths, ask.keys.size(1));
  nn::HeadMemory memory = m.remember(ask.keys, ask.values, {}, padding_mask(ask));
  std::vector<Variable> outputs, weights;
  int64_t& first = masks.places.first_query;
  for (int64_t step = ask.step_by_step ? 1 : ask.query.size(1); first < ask.query.size(1); first += step) {
    nn::MultiHeadOutput seen = m(slice(ask.query, 1, first, first + step), memory, masks);
    nn::HeadMasks not_shown = masks;
    not_shown.weights = false;
    outputs.push_back(unwatched ? m(slice(ask.query, 1, first, first + step), memory, not_shown).output : seen.output);
    weights.push_back(mean(seen.weights, {1}));
  }
  return {concat(outputs, 1), concat(weights, 1), nn::named_parameters(m)};
}

// Weights are the means over the features.
Seen run_features(const Ask& ask) {
  auto m = made<nn::FeatureWiseAttention>({.query = kWidth, .key = kWidth, .value = kWidth}, ask.query.dtype());
  Tensor allowed = ask.lengths.defined() ? nn::length_mask(ask.lengths, ask.keys.size(1)).unsqueeze(1) : ask.allowed;
  nn::Attended seen = m(ask.query, ask.keys, ask.values, allowed);
  return {seen.context, mean(seen.weights, {-1}), nn::named_parameters(m)};
}

// What has one input reads the keys, and has its own queries.
Seen run_level(const Ask& ask) {
  auto m = made<nn::HierarchyLevel>({.input = kWidth, .hidden = 2, .attention = 3}, ask.keys.dtype());
  Tensor all = Tensor::full({ask.keys.size(0)}, static_cast<double>(ask.keys.size(1)), DType::i64);
  nn::Attended seen = m(ask.keys, ask.lengths.defined() ? ask.lengths : all);
  return {unsqueeze(seen.context, 1), unsqueeze(seen.weights, 1), nn::named_parameters(m)};
}
Seen run_rows(const Ask& ask) {
  auto m = made<nn::StructuredEmbedding>({.input = kWidth, .hidden = 5, .rows = 3}, ask.keys.dtype());
  Tensor words = ask.lengths.defined()   ? nn::length_mask(ask.lengths, ask.keys.size(1))
                 : ask.allowed.defined() ? ask.allowed.squeeze(1)
                                         : Tensor();
  nn::Attended seen = m(ask.keys, words);
  return {seen.context, seen.weights, nn::named_parameters(m)};
}
Seen run_past(const Ask& ask) {
  auto m = made<nn::KeyValueAttention>({.width = kWidth, .parts = 2, .window = 5}, ask.keys.dtype());
  nn::KeyValueOutput seen = m(ask.keys);
  return {seen.output, seen.weights, nn::named_parameters(m)};
}

// Row t of the weights: the t states before it, then zeros.
Seen run_tape(const Ask& ask) {
  auto m = made<nn::LSTMN>({.input = kWidth, .hidden = kWidth}, ask.keys.dtype());
  nn::Tape tape = m.begin();
  std::vector<Variable> states, rows;
  int64_t B = ask.keys.size(0), T = ask.keys.size(1);
  for (int64_t t = 0; t < T; ++t) {
    states.push_back(m.step(select(ask.keys, 1, t), tape).h);
    Variable rest(Tensor::zeros({B, T - t}, ask.keys.dtype()));
    rows.push_back(t == 0 ? rest : concat({tape.weights, rest}, -1));
  }
  return {stack(states, 1), stack(rows, 1), nn::named_parameters(m)};
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
  for (const char* id : {"E1", "E4", "E5", "E6", "G6", "G7"})
    if (entry.id == id) {
      nn::MultiHeadOptions heads{.model = kWidth, .heads = entry.id == "E1" ? 1 : 2, .bias = false};
      if (entry.id[0] == 'G') heads.heads = 4, heads.kv_heads = entry.id == "G6" ? 1 : 2;
      if (entry.id == "E6") heads.scope.name = "causal";
      return [heads](const Ask& ask) { return run_heads(heads, ask); };
    }
  if (entry.id == "E2") return run_tape;
  if (entry.id == "A15") return run_features;
  if (entry.id == "E3") return run_past;
  if (entry.id == "E7") return run_level;
  if (entry.id == "E8") return run_rows;
  if (entry.id == "B15b") return [options](const Ask& ask) { return run_square(options, ask); };
  using nn::Kind;
  if (entry.kind == Kind::evaluator) {
    nn::MultiHeadOptions heads{.model = kWidth, .heads = 2, .bias = false};
    if (entry.evaluator) heads.evaluator.name = entry.name;
    for (const nn::OptionField& setting : entry.settings)
      for (const char* small : {"chunk", "landmarks", "parts", "block"})
        if (setting.name == small) heads.evaluator.settings[small] = 2;
    return [heads](const Ask& ask) { return run_heads(heads, ask, true); };
  }
  if (entry.kind == Kind::score || entry.kind == Kind::normaliser || entry.kind == Kind::scope ||
      entry.kind == Kind::reader)
    return [options](const Ask& ask) {
      return run(options, ask, [](const nn::Attended& seen, const nn::Memory&) { return seen; });
    };
  return memory_subject_of(entry);
}

Ask small_ask(DType dtype) {
  return {.query = leaf({2, 3, kWidth}, 21, dtype),
          .keys = leaf({2, 5, kWidth}, 22, dtype),
          .values = leaf({2, 5, kWidth}, 23, dtype)};
}

}  // namespace heed::nn_test
