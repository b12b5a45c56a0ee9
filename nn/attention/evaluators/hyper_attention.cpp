#include "nn/attention/evaluators/hyper_attention.h"

#include <algorithm>
#include <numeric>

#include "autograd/ops.h"
#include "nn/attention/evaluators/features.h"
#include "nn/attention/scopes/masks.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// The numbers of those of n words that the mask bool [B, n] has in row b; undefined: all.
std::vector<int64_t> words_of_row(const Tensor& mask, int64_t b, int64_t n) {
  std::vector<int64_t> words(static_cast<size_t>(n));
  std::iota(words.begin(), words.end(), 0);
  if (!mask.defined()) return words;
  const bool* word = mask.data<bool>() + b % mask.size(0) * n;
  std::erase_if(words, [&](int64_t i) { return !word[i]; });
  return words;
}

// One head of one sentence.
struct HeadOfQueries {
  const HyperAttention::Settings& s;
  const int64_t *query_hash, *key_hash;
  int64_t S;
  double* c;  // [T, S]
  Generator& draws;

  void read_all(const std::vector<int64_t>& queries, const std::vector<int64_t>& keys, bool causal) const {
    for (int64_t t : queries)
      for (int64_t j : keys)
        if (j <= t || !causal) c[t * S + j] = 1;
  }
  void read(std::vector<int64_t> queries, std::vector<int64_t> keys) const {
    const int64_t T = std::ssize(queries), n = std::ssize(keys);
    if (T < s.exact || n == 0 || T == 0) return read_all(queries, keys, false);
    auto sort_by = [](std::vector<int64_t>& words, const int64_t* hash) {
      std::stable_sort(words.begin(), words.end(), [&](int64_t i, int64_t j) { return hash[i] < hash[j]; });
    };
    sort_by(queries, query_hash), sort_by(keys, key_hash);
    const int64_t parts = (n + s.block - 1) / s.block, of_queries = (T + parts - 1) / parts;
    auto place = [&](int64_t i, int64_t j) -> double& {
      return c[queries[static_cast<size_t>(i)] * S + keys[static_cast<size_t>(j)]];
    };
    for (int64_t i = 0; i < T; ++i)
      for (int64_t j = i / of_queries * s.block; j < std::min((i / of_queries + 1) * s.block, n); ++j) place(i, j) = 1;
    if (parts == 1) return;
    for (int64_t k = 0; k < s.samples; ++k) {
      const int64_t j = draws.below(n);
      for (int64_t i = 0; i < T; ++i)
        if (i / of_queries != j / s.block) place(i, j) += static_cast<double>(n) / static_cast<double>(s.samples);
    }
  }
  void read_halves(const std::vector<int64_t>& words) const {
    if (std::ssize(words) <= std::max<int64_t>(s.exact, 1)) return read_all(words, words, true);
    const auto half = words.begin() + (std::ssize(words) + 1) / 2;
    const std::vector<int64_t> first(words.begin(), half), second(half, words.end());
    read_halves(first), read_halves(second), read(second, first);
  }
};

}  // namespace

std::string HyperAttention::refuses(const StageSet& stages) const {
  if (!stages.score.product_scale()) return "it hashes queries and keys, and the score is not a product of them";
  if (!stages.normaliser.is_softmax()) return "it estimates the sum of a softmax, and the normaliser is not one";
  if (!stages.scope.only_limits_order()) return "it chooses the keys itself, so the scope must not";
  if (stages.sequential()) return "a stage reads the weights of the step before";
  return "";
}

Tensor HyperAttention::counts(const Tensor& q, const Tensor& k, const Tensor& queries, const Tensor& keys,
                              bool causal) const {
  const int64_t B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), K = q.size(3);
  const uint64_t seed = layer_seed(settings.seed, layer);
  const Tensor drawn = directions.defined() ? directions : random_directions(settings.projections, K, false, seed);
  const Tensor w = drawn.to(q.dtype()).transpose(0, 1).contiguous();
  Tensor bits = Tensor::empty({settings.projections}, DType::f64);
  for (int64_t i = 0; i < settings.projections; ++i) bits.set({i}, static_cast<double>(int64_t{1} << i));
  auto hashes = [&](const Tensor& x) {  // [B, H, N] i64
    Tensor up = greater(matmul(x.contiguous(), w), 0).to(DType::f64);
    Tensor hash = sum(mul(up, bits), {-1}).to(DType::i64).contiguous();
    int64_t* at = hash.data<int64_t>();
    for (int64_t i = 0; i < hash.count(); ++i) at[i] ^= at[i] >> 1;
    return hash;
  };
  const Tensor of_queries = hashes(q), of_keys = hashes(k);
  Tensor c = Tensor::zeros({B, H, T, S}, DType::f64);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h) {
      Generator draws(seed, static_cast<uint64_t>(h + 1) << 32);  // the same for every sentence of a batch
      const int64_t row = b * H + h;
      HeadOfQueries head{settings, of_queries.data<int64_t>() + row * T, of_keys.data<int64_t>() + row * S,
                         S,        c.data<double>() + row * T * S,       draws};
      if (causal)
        head.read_halves(words_of_row(keys, b, S));
      else
        head.read(words_of_row(queries, b, T), words_of_row(keys, b, S));
    }
  return c;
}

AttentionCall HyperAttention::with_counts(const StageSet& stages, const AttentionCall& call,
                                          const StageContext& context) const {
  const int64_t T = call.queries.size(-2), S = call.keys.size(-2);
  const bool causal = call.restriction.right == 0;
  if (T < settings.exact || (causal && (T != S || T <= settings.exact)) || T == 0 || S == 0) return call;
  const bool heads = call.queries.rank() == 4;
  auto value = [&](const Variable& x) { return heads ? x.value() : x.value().unsqueeze(1); };
  Variable q = stages.score.prepare_query(call.queries);
  Variable k = heads ? for_heads(call.keys, q.size(1)) : call.keys;
  Tensor keys;  // those that some query may read
  if (call.allowed.defined()) {
    const Tensor wide = beside_heads(call.allowed);
    keys = greater(amax(wide.to(DType::f32), wide.rank() == 4 ? Dims{1, 2} : Dims{-2}), 0);
    if (keys.rank() == 1) keys = keys.unsqueeze(0);
    keys = keys.expand({keys.size(0), S}).contiguous();
  }
  Tensor queries = call.query_words.defined() ? call.query_words.contiguous() : Tensor();
  Tensor c = counts(value(q), value(k), queries, keys, causal);
  if (!heads) c = c.squeeze(1);
  AttentionCall read = call;
  const Variable more(log(maximum(c, Tensor::full({1}, 1e-300, DType::f64))).to(q.dtype()));
  read.restriction.allowed = both(mask_of(call.restriction, context.places), greater(c, 0));
  read.restriction.bias = call.restriction.bias.defined() ? call.restriction.bias + more : more;
  return read;
}

Attended HyperAttention::operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const {
  return DenseEvaluator()(stages, with_counts(stages, call, context), context);
}

Variable HyperAttention::implied_weights(const StageSet& stages, const AttentionCall& call,
                                         StageContext& context) const {
  return Evaluator::implied_weights(stages, with_counts(stages, call, context), context);
}

}  // namespace heed::nn
