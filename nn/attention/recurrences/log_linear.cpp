#include "nn/attention/recurrences/log_linear.h"

#include <algorithm>
#include <bit>

#include "autograd/ops.h"
#include "nn/attention/segment_sums.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

int64_t level_of(int64_t t, int64_t s, int64_t levels) {
  if (s < 0 || t < 0) return levels - 1;  // of an empty state
  return std::min<int64_t>(static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(t ^ s))), levels - 1);
}

// i64 [B, rows, columns] of f(b, row, column).
template <class F>
Tensor level_table(int64_t B, int64_t rows, int64_t columns, F f) {
  Tensor x = Tensor::empty({B, rows, columns}, DType::i64);
  int64_t* to = x.data<int64_t>();
  for (int64_t b = 0; b < B; ++b)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) *to++ = f(b, i, j);
  return x;
}

// l at the levels of an index [B, T, S]. l [B, H, T, levels] -> [B, H, T, S]
Variable at_levels(const Variable& scales, const Tensor& index) {
  const Shape all{scales.size(0), scales.size(1), index.size(1), index.size(2)};
  return gather(scales, 3, index.unsqueeze(1).expand(all).contiguous());
}

// 1 where the index is m, for m = 0 .. M - 1. [B, M, S]
Variable level_one_hot(const Tensor& index, int64_t M, DType dtype) {
  return Variable(level_table(index.size(0), M, index.size(2), [&](int64_t b, int64_t m, int64_t s) {
                    return index.data<int64_t>()[b * index.size(2) + s] == m ? 1 : 0;
                  }).to(dtype));
}

// Places of words of a chunk, i64 [B, C]: the words before each. Padding has that of the next word.
Tensor level_places(const Tensor& mask, const std::vector<int64_t>& before, int64_t C) {
  Tensor here = Tensor::empty({static_cast<int64_t>(before.size()), C}, DType::i64);
  for (size_t b = 0; b < before.size(); ++b)
    for (int64_t t = 0, place = before[b], row = static_cast<int64_t>(b); t < C; ++t) {
      here.set({row, t}, static_cast<double>(place));
      place += !mask.defined() || mask.at({row, t}) != 0 ? 1 : 0;
    }
  return here;
}

}  // namespace

Variable leveled_sums(const DecayedSums& words, const Variable& scales, const Tensor& mask, int64_t chunk,
                      LeveledSums& sums) {
  const int64_t B = words.q.size(0), H = words.q.size(1), T = words.q.size(2), K = words.q.size(3);
  const int64_t V = words.v.size(3), levels = scales.size(3), M = levels - 1;
  const DType dtype = words.q.dtype();
  if (!sums.states.defined()) sums.states = Variable(Tensor::zeros({B, M, H, K, V}, dtype));
  std::vector<int64_t> before(static_cast<size_t>(B), 0);
  for (int64_t b = 0; b < B && sums.places.defined(); ++b)
    before[static_cast<size_t>(b)] = static_cast<int64_t>(sums.places.at({b}));
  // Of the words of a state, one: the last bit of the block is 0 in it and 1 in t.
  auto word_in = [&](int64_t b, int64_t m) { return ((before[static_cast<size_t>(b)] >> m) - 1) * (int64_t{1} << m); };
  std::vector<Variable> outputs;
  for (int64_t at = 0; at < T; at += chunk) {
    const int64_t to = std::min(at + chunk, T), C = to - at;
    auto part = [&](const Variable& x) { return slice(x, 2, at, to); };
    Variable q = part(words.q), k = part(words.k), v = part(words.v), g = part(words.decay), l = part(scales);
    Variable so_far = exp(cumsum(g, 2)), whole = slice(so_far, 2, C - 1, C), G = segment_sums(squeeze(g, -1), 2);
    const Tensor of_chunk = mask.defined() ? mask.slice(1, at, to) : mask, places = level_places(of_chunk, before, C);
    const int64_t* place = places.data<int64_t>();
    Tensor within = level_table(
        B, C, C, [&](int64_t b, int64_t t, int64_t s) { return level_of(place[b * C + t], place[b * C + s], levels); });
    Tensor of_states = level_table(B, C, M, [&](int64_t b, int64_t t, int64_t m) {
      return m == M - 1 ? M : level_of(place[b * C + t], word_in(b, m), levels);
    });
    Variable o = matmul(tril(matmul(q, transpose(k, -2, -1)) * exp(G)) * at_levels(l, within), v);
    Variable of_each = matmul(unsqueeze(q * so_far, 1), sums.states);  // [B, M, H, C, V]
    outputs.push_back(o + sum(of_each * unsqueeze(permute(at_levels(l, of_states), {0, 3, 1, 2}), -1), {1}));

    std::vector<int64_t> after = before;  // the place of the next word
    for (int64_t b = 0; b < B; ++b)
      for (int64_t t = 0; t < C; ++t)
        if (!of_chunk.defined() || of_chunk.at({b, t}) != 0) ++after[static_cast<size_t>(b)];
    auto state_of = [&](int64_t b, int64_t s) {  // of the word s, seen from the next word
      return std::max<int64_t>(level_of(after[static_cast<size_t>(b)], s, levels) - 1, 0);
    };
    Tensor words_to =
        level_table(B, 1, C, [&](int64_t b, int64_t, int64_t s) { return state_of(b, place[b * C + s]); });
    Tensor states_to = level_table(
        B, 1, M, [&](int64_t b, int64_t, int64_t m) { return m == M - 1 ? m : state_of(b, word_in(b, m)); });
    Variable kept = reshape(sums.states * unsqueeze(whole, 1), {B, M, H * K * V});
    Variable to_end = unsqueeze(exp(select(G, 2, C - 1)), -1);  // [B, H, C, 1]
    Variable placed = reshape(level_one_hot(words_to, M, dtype), {B, M, 1, C, 1}) * unsqueeze(k * to_end, 1);
    sums.states = reshape(matmul(level_one_hot(states_to, M, dtype), kept), {B, M, H, K, V}) +
                  matmul(transpose(placed, -2, -1), unsqueeze(v, 1));
    before = after;
  }
  sums.places = Tensor::from(before, {B});
  return concat(outputs, 2);
}

LogLinearMixer::LogLinearMixer(const MixerOptions& o, Generator& rng)
    : RecurrentMixer(o, "log_linear"),
      settings(options.settings.as<Settings>()),
      mamba(chosen<Mamba2Mixer>(settings, {.query = o.query, .key = o.key, .heads = o.heads, .causal = o.causal}), rng),
      level({.in = o.query, .out = o.heads * settings.levels, .bias = false}, rng),
      level_scale(ones_parameter({o.heads, settings.levels})) {}

Variable LogLinearMixer::scales_of(const Variable& u) const {
  const int64_t H = options.heads;
  return softplus(reshape(level_scale, {1, H, 1, -1}) * split_heads(level(u), H));
}

Variable LogLinearMixer::pass(const Variable& u, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  Mamba2Mixer::Inputs in = mamba.inputs(u, state.empty() ? Variable() : state[0]);
  LeveledSums sums;
  if (!state.empty()) sums = {state[1], state[2].value()};
  DecayedSums w = without_padding(mamba.words_of(in.read.output, u), words);
  Variable o = leveled_sums(w, scales_of(u), words, settings.chunk, sums);
  state = {in.read.state, sums.states, Variable(sums.places.to(u.dtype()))};
  return mamba.finished(o, in);
}

}  // namespace heed::nn
