#include "nn/attention/mixers/global_local.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/attention/attend.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/registry.h"
#include "nn/init.h"
#include "nn/made_if.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// i64 or bool [1, 1, rows, columns] of a function of row and column.
template <class Value>
Tensor table_of_pairs(int64_t rows, int64_t columns, DType dtype, const Value& value) {
  Tensor out = Tensor::empty({1, 1, rows, columns}, dtype);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) out.set({0, 0, i, j}, static_cast<double>(value(i, j)));
  return out;
}

PairLabels pair_labels(int64_t n, const MixerOptions& o, Generator& rng) {
  const Tensor a =
      init::truncated_normal({n, o.heads, o.query / o.heads}, rng, {.std = 0.5}, {-1, 1}, parameter_dtype());
  return {Variable(a, Variable::kRequiresGrad), zeros_parameter({n, o.heads})};
}

}  // namespace

GlobalLocalMixer::GlobalLocalMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "global_local")),
      settings(options.settings.as<Settings>()),
      last(o.layers > 0 && o.layer + 1 == o.layers),
      long_out({.in = options.heads * head_width(options), .out = o.query}, rng),
      distances(pair_labels(2 * settings.max_distance + 1, options, rng)),
      of_global(pair_labels(2, options, rng)),
      global_out(made_if<Linear>(!last, {.in = o.query, .out = o.query}, rng)),
      norm(made_if<LayerNorm>(!last, {.shape = {o.query}}, rng)) {
  require_not_causal(options, "its global words read all words");
  if (!last) global_distances = pair_labels(2 * settings.max_distance + 1, options, rng);
  if (!last) of_long = pair_labels(2, options, rng);
  for (int64_t kind = 0; kind < (settings.shared ? 1 : last ? 2 : 4); ++kind)  // the first of each side has its queries
    projections.emplace_back(Linear::Options{.in = o.query, .out = (3 - kind % 2) * o.query}, rng);
}

void GlobalLocalMixer::visit(Visitor& v) {
  const char* const names[] = {"l2l", "l2g", "g2g", "g2l"};
  for (size_t i = 0; i < projections.size(); ++i) v.child(settings.shared ? "all" : names[i], projections[i]);
  v.child("long_out", long_out);
  distances.visit(v, "distances"), of_global.visit(v, "of_global");
  global_distances.visit(v, "global_distances"), of_long.visit(v, "of_long");
  if (global_out) v.child("global_out", *global_out);
  if (norm) v.child("norm", *norm);
}

Variable GlobalLocalMixer::made(const Variable& x, const Tensor& words) const {
  const int64_t B = x.size(0), l = settings.block;
  auto sums = [&](const Variable& y) {  // over the words of each block
    Variable blocks = blocks_of(y, l);
    return sum(reshape(blocks, {B, blocks.size(1), l, y.size(2)}), {2});
  };
  Variable count = sums(Variable(word_factors(x, words).unsqueeze(-1)));  // [B, J, 1]
  return sums(x) / clamp(count, 1, static_cast<double>(l));
}

GlobalLocalMixer::Pair GlobalLocalMixer::pair(size_t kind, const Variable& from, const Variable& to,
                                              const PairLabels& table, const Tensor& labels) const {
  const Linear &asks = projections[settings.shared ? 0 : kind / 2 * 2], &W = projections[settings.shared ? 0 : kind];
  const int64_t D = from.size(2), H = options.heads, keys = W.options.out / D - 2;  // part `keys` of W is the keys
  auto part = [&](const Linear& layer, const Variable& y, int64_t i) {
    auto rows = [&](const Variable& p) { return slice(p, 0, i * D, (i + 1) * D); };
    return split_heads(linear(y, rows(layer.weight), rows(layer.bias)), H);
  };
  const double scale = 1 / std::sqrt(static_cast<double>(D / H));
  Variable q = part(asks, from, 0) * scale;
  Variable c = unsqueeze(transpose(table.bias, 0, 1), 1) * scale;  // [H, 1, labels]
  Variable of_labels = einsum("bhtk,lhk->bhtl", {q, table.key}) + c;
  const Shape pairs{from.size(0), H, from.size(1), to.size(1)};
  return {matmul(q, transpose(part(W, to, keys), -2, -1)) + gather(of_labels, 3, labels.expand(pairs).contiguous()),
          part(W, to, keys + 1)};
}

Mixed GlobalLocalMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), l = settings.block, J = (T + l - 1) / l, R = settings.max_distance;
  const bool given = in.passed && in.passed->left.contains("global_local");
  Variable g = given ? in.passed->left.at("global_local") : made(x, in.words);  // [B, J, D]
  auto distance = [&](int64_t i, int64_t j) { return std::clamp(j - i, -R, R) + R; };
  auto belongs = [&](int64_t word, int64_t global) { return word / l == global; };
  const auto i64 = DType::i64, boolean = DType::boolean;
  Pair l2l = pair(0, x, x, distances, table_of_pairs(T, T, i64, distance));
  Pair l2g = pair(1, x, g, of_global, table_of_pairs(T, J, i64, belongs));
  auto owns = [&](int64_t global, int64_t word) { return belongs(word, global); };

  const Tensor words = in.words.defined() ? in.words : Tensor::full({B, T}, 1, boolean);
  const Tensor word = words.unsqueeze(1).unsqueeze(1);  // [B, 1, 1, T]
  const Tensor filled = greater(amax(blocks_of(Variable(word_factors(x, words).unsqueeze(-1)), l).value(), {-1}), 0);
  const Tensor global = filled.unsqueeze(1).unsqueeze(1);  // [B, 1, 1, J]
  const Tensor near =
      table_of_pairs(T, T, boolean, [&](int64_t t, int64_t s) { return std::abs(t - s) <= settings.radius; });
  const Tensor read =
      table_of_pairs(J, T, boolean, [&](int64_t j, int64_t s) { return !settings.apart || owns(j, s); });
  auto both_of = [&](const Pair& a, const Tensor& of_a, const Pair& b, const Tensor& of_b) {
    const int64_t rows = a.scores.size(2);
    auto whole = [&](const Tensor& mask) { return mask.expand({B, 1, rows, mask.size(3)}).contiguous(); };
    return attend(concat({a.scores, b.scores}, -1), concat({a.values, b.values}, 2),
                  concat({whole(of_a), whole(of_b)}, -1));
  };
  Attended of_words = both_of(l2l, logical_and(near, word), l2g, global);
  if (in.passed && !last) {
    Pair g2g = pair(2, g, g, global_distances, table_of_pairs(J, J, i64, distance));
    Pair g2l = pair(3, g, x, of_long, table_of_pairs(J, T, i64, owns));
    Variable more = (*global_out)(join_heads(both_of(g2g, global, g2l, logical_and(read, word)).context));
    in.passed->left["global_local"] = (*norm)(g + more);
  }
  return {call.result("output", long_out(join_heads(of_words.context))),
          in.weights ? slice(of_words.weights, -1, 0, T) : Variable()};
}

}  // namespace heed::nn
