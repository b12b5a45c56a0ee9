// Which query attends to which key: the three masks of a trained model, a decoder with and without its cache, and two
// transformers with other masks than usual.
//
//   own word    each English word attends to itself only, each French word to the English words that it is linked to in
//               the grammar: a dictionary with a French language model. It has all parameters of a transformer
//   no mask     the decoder attends to later words, and in training these are the answers
//
// B sentences, S source words, T target words, H heads.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/scopes/scope.h"
#include "nn/observe.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"
#include "tutorials/26_transformer/grammar.h"

namespace encdec {

// ---- the masks ------------------------------------------------------------------------------------------------------
struct Seen {
  std::string module;
  Tensor weights;  // [B, H, T, S]
};
// The weights of every attention for a batch with teacher forcing: encoder, then self and cross of each decoder layer.
inline std::vector<Seen> all_weights(const nn::Translator& t, const data::Batch& b) {
  heed::NoGrad guard;
  nn::Evaluating evaluating;
  std::vector<Seen> seen;
  nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back({a.module, a.weights}); });
  t.model(b.source, b.lengths, b.target_in);
  return seen;
}
// 1 where any head of sentence `row` has a weight above 0, else 0: [T, S].
inline heed::report::Matrix looked_at(const Tensor& weights, int64_t row) {
  Tensor most = amax(weights.select(0, row), {0});
  std::vector<double> tiles = most.to_vector();
  for (double& w : tiles) w = w > 0 ? 1 : 0;
  return {static_cast<size_t>(most.size(0)), static_cast<size_t>(most.size(1)), std::move(tiles)};
}

// ---- the cache ------------------------------------------------------------------------------------------------------
struct CacheCheck {
  double with = 0;     // largest difference of log p, cached against parallel, over max(1, |log p|)
  double without = 0;  // the same if each word is decoded without the words before it
  int64_t steps = 0;   // of the longest sentence
  int64_t cached_words = 0, repeated_words = 0;  // words that go through the decoder
};
inline CacheCheck check_cache(const nn::Translator& t, const std::vector<data::AlignedPair>& pairs) {
  heed::NoGrad guard;
  nn::Evaluating evaluating;
  const nn::Transformer& model = transformer_of(t);
  auto ids = encoded(t, pairs);
  std::vector<int64_t> all(ids.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  data::Batch b = data::make_batch(ids, all);
  Tensor parallel = log_softmax_rows(model(b.source, b.lengths, b.target_in).value());  // [B, T, V]
  auto search = model.search(b.source, b.lengths);
  nn::Transformer::Encoded source = model.encode(b.source, b.lengths);
  CacheCheck c{.steps = b.target_in.size(1)};
  for (int64_t k = 0; k < c.steps; ++k) {
    Tensor truth = parallel.select(1, k), tokens = b.target_in.select(1, k);  // [B, V], [B]
    auto apart = [&](const Tensor& log_p) {
      Tensor scale = maximum(abs(truth), Tensor::ones({1}));
      return amax(div(abs(sub(log_p, truth)), scale)).item();
    };
    c.with = std::max(c.with, apart(search->next(tokens.contiguous())));
    Variable alone = model.logits(model.decode(tokens.contiguous().unsqueeze(1), source, {}).features);  // [B, 1, V]
    c.without = std::max(c.without, apart(log_softmax_rows(alone.value().select(1, 0))));
    c.cached_words += 1, c.repeated_words += k + 1;
  }
  return c;
}

// ---- own word -------------------------------------------------------------------------------------------------------
inline Variable own_word(const nn::Transformer& model, const data::Batch& b,
                         const std::vector<data::AlignedPair>& pairs) {
  int64_t B = b.source.size(0), S = b.source.size(1), T = b.target_in.size(1);
  std::vector<int> linked(static_cast<size_t>(B * T * S), 0);  // [B, T, S]
  for (int64_t r = 0; r < B; ++r) {
    const data::AlignedPair& pair = pairs[static_cast<size_t>(b.members[static_cast<size_t>(r)])];
    auto link = [&](int64_t t, int64_t s) { linked[static_cast<size_t>((r * T + t) * S + s)] = 1; };
    for (const data::Link& l : pair.links) link(l.target, l.source);
    for (int64_t t = 0; t < T; ++t)
      link(t, std::ssize(pair.source));  // </s> carries no word; each row needs at least one key
  }
  Tensor itself = heed::greater(Tensor::eye(S), 0.5);  // [S, S]
  Variable m = model.encoder(model.source_embedding(b.source), {.self = {.allowed = itself}}).output;
  Variable h = model
                   .decoder(model.target_embedding(b.target_in),
                            {.memory = m, .cross = {.allowed = Tensor::from_bools(linked, {B, T, S})}})
                   .output;
  return model.logits(h);
}

// ---- no mask --------------------------------------------------------------------------------------------------------
inline nn::Translator without_causal_mask(nn::Translator t) {
  heed::Generator rng(1);
  for (auto& layer : t.model.as<nn::Transformer>()->decoder.layers) {
    layer.self_attn->options.scope.name = "global";
    layer.self_attn->scope = nn::make_scope(layer.self_attn->options.scope, rng);
  }
  return t;
}

}  // namespace encdec
