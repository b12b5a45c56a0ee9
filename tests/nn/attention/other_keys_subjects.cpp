// Subjects of structures that attend to something other than the words of one sentence (other_keys_cases.cpp).
#include "autograd/ops.h"
#include "nn/attention/structures/dynamic_memory.h"
#include "nn/attention/structures/image_attention.h"
#include "nn/zoo/area_attention.h"
#include "nn/zoo/chunked_cross_attention.h"
#include "nn/zoo/conv_attention.h"
#include "nn/zoo/edge_attention.h"
#include "nn/zoo/knn.h"
#include "nn/zoo/memorizing.h"
#include "nn/zoo/multi_source.h"
#include "nn/zoo/prefix.h"
#include "nn/zoo/two_stream.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

Tensor words_by(const Ask& ask) {  // of what takes a padding mask [B, S]
  Tensor allowed = allowed_by(ask);
  return allowed.defined() ? allowed.squeeze(1) : Tensor();
}

// For self-attention: the words are the queries, then the keys, and each query may read the keys that are allowed.
struct Joined {
  Variable words;  // [B, T + S, W]
  Tensor allowed;  // [B, T + S, T + S]
  int64_t T, S;
  Variable rows(const Variable& all) const { return slice(all, 1, 0, T); }
  Variable of_keys(const Variable& weights) const { return slice(rows(weights), 2, T, T + S); }
};
Joined joined(const Ask& ask) {
  int64_t B = ask.keys.size(0), T = ask.query.size(1), S = ask.keys.size(1);
  Tensor given = allowed_by(ask), none = Tensor::zeros({B, T + S, T}, DType::boolean);
  Tensor open = given.defined() ? given.expand({B, T, S}).contiguous() : Tensor::ones({B, T, S}, DType::boolean);
  Tensor of_keys = concat({open, Tensor::zeros({B, S, S}, DType::boolean)}, 1);
  return {concat({ask.query, ask.keys}, 1), concat({none, of_keys}, 2), T, S};
}

Seen run_conv(const Ask& ask) {
  auto m = made<nn::ConvAttentionDecoder>({.width = kWidth, .kernel = 2}, ask.keys.dtype());
  nn::ConvAttended seen = m(ask.query, ask.keys, ask.values, allowed_by(ask));
  return {seen.context, seen.weights, nn::named_parameters(m)};
}
Seen run_nearest(const Ask& ask) {
  nn::Attended seen =
      nn::nearest_attention(ask.query, ask.keys, ask.values, {.neighbours = 3, .allowed = allowed_by(ask)});
  return {seen.context, seen.weights};
}
Seen run_memorizing(const Ask& ask) {
  auto m = made<nn::MemorizingAttention>({.model = kWidth, .heads = 2, .neighbours = 2}, ask.keys.dtype());
  nn::StoredWords memory;
  nn::Attended seen = m(ask.keys, memory);
  return {slice(seen.context, 1, 0, 3), slice(mean(seen.weights, {1}), 1, 0, 3), nn::named_parameters(m)};
}
// Chunks of one word, each of which has the keys as its passages.
Seen run_chunks(const Ask& ask) {
  auto m = made<nn::ChunkedCrossAttention>({.model = kWidth, .heads = 2, .chunk = 1}, ask.keys.dtype());
  int64_t B = ask.keys.size(0), T = ask.query.size(1), S = ask.keys.size(1);
  Tensor allowed = allowed_by(ask);
  if (allowed.defined()) allowed = allowed.expand({B, T, S}).contiguous();
  nn::Attended seen = m(ask.query, expand(unsqueeze(ask.keys, 1), {B, T, S, kWidth}), allowed);
  return {seen.context, seen.weights, nn::named_parameters(m)};
}
// The content stream is the keys, and the first queries are those of the query stream.
Seen run_streams(const Ask& ask) {
  auto m = made<nn::TwoStreamAttention>({.model = kWidth, .heads = 2, .bias = false}, ask.keys.dtype());
  Variable g = concat({ask.query, slice(ask.query, 1, 0, ask.keys.size(1) - ask.query.size(1))}, 1);
  Tensor rank = Tensor::from(std::vector<int64_t>{4, 1, 3, 0, 2}, {1, 5});
  nn::TwoStreams seen = m(ask.keys, g, rank, words_by(ask));
  return {slice(seen.query, 1, 0, 3), slice(mean(seen.query_weights, {1}), 1, 0, 3), nn::named_parameters(m)};
}
// The keys are cut into two sources.
Seen run_sources(const Ask& ask) {
  auto m =
      made<nn::MultiSourceAttention>({.query = kWidth, .keys = {kWidth, kWidth}, .width = kWidth}, ask.keys.dtype());
  Tensor allowed = allowed_by(ask);
  auto part = [&](int64_t from, int64_t to) {
    return nn::SourceWords{slice(ask.keys, 1, from, to), allowed.defined() ? allowed.slice(-1, from, to) : Tensor()};
  };
  nn::MultiSourceAttended seen = m(ask.query, {part(0, 3), part(3, 5)});
  return {seen.context, concat(seen.weights, -1), nn::named_parameters(m)};
}
// One row of gates for each of three passes.
Seen run_episodes(const Ask& ask) {
  auto m = made<nn::DynamicMemory>({.width = kWidth, .passes = 3}, ask.keys.dtype());
  nn::Episodes seen = m(ask.keys, select(ask.query, 1, 0), words_by(ask));
  return {seen.episodes, seen.gates, nn::named_parameters(m)};
}
Seen run_areas(const Ask& ask) {
  nn::AreaAttended seen = nn::area_attention(ask.query, ask.keys, ask.values, 3, allowed_by(ask));
  return {seen.context, seen.shares};
}
Seen run_sagan(const Ask& ask) {
  auto m = made<nn::SaganAttention>({.width = kWidth, .reduction = 2}, ask.keys.dtype());
  Joined all = joined(ask);
  nn::ImageAttended seen = m(all.words, all.allowed);
  return {all.rows(seen.read), all.of_keys(seen.weights), nn::named_parameters(m)};
}
Seen run_channels(const Ask& ask) {
  auto m = made<nn::SqueezeExcite>({.width = kWidth, .reduction = 2}, ask.keys.dtype());
  return {m(ask.keys, words_by(ask)), unsqueeze(m.gates(ask.keys, words_by(ask)), 1), nn::named_parameters(m)};
}
Seen run_prefix(const Ask& ask) {
  auto m = made<nn::PrefixAttention>({.model = kWidth, .heads = 2, .prefixes = 2, .bias = false}, ask.keys.dtype());
  nn::MultiHeadOutput seen = m(ask.query, ask.keys, allowed_by(ask));
  return {seen.output, slice(mean(seen.weights, {1}), 2, 2, 2 + ask.keys.size(1)), nn::named_parameters(m)};
}
Seen run_edges(const Ask& ask) {
  auto m = made<nn::EdgeAttention>({.model = kWidth, .heads = 2, .labels = 3}, ask.keys.dtype());
  Joined all = joined(ask);
  int64_t B = all.words.size(0), N = all.T + all.S;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < B * N * N; ++i) labels.push_back(i * i % 3);
  nn::Attended seen = m(all.words, Tensor::from(labels, {B, N, N}), all.allowed);
  return {all.rows(seen.context), all.of_keys(mean(seen.weights, {1})), nn::named_parameters(m)};
}

}  // namespace

Subject other_keys_subject_of(const nn::CatalogueEntry& entry) {
  if (entry.id == "E16") return run_conv;
  if (entry.id == "E20") return run_nearest;
  if (entry.id == "E20b") return run_memorizing;
  if (entry.id == "E20c") return run_chunks;
  if (entry.id == "E22") return run_streams;
  if (entry.id == "E26a") return run_sources;
  if (entry.id == "E26b") return run_episodes;
  if (entry.id == "E26c") return run_areas;
  if (entry.id == "E26e") return run_sagan;
  if (entry.id == "E26f") return run_channels;
  if (entry.id == "E26g") return run_prefix;
  if (entry.id == "E26h") return run_edges;
  return {};
}

}  // namespace heed::nn_test
