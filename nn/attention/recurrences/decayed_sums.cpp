#include "nn/attention/recurrences/decayed_sums.h"

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/segment_sums.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

Variable no_sums(const DecayedSums& w) {
  return Variable(Tensor::zeros({w.q.size(0), w.q.size(1), w.q.size(3), w.v.size(3)}, w.q.dtype()));
}
Variable decay_of(const DecayedSums& w) {
  return w.decay.defined() ? w.decay : Variable(Tensor::zeros({1, 1, w.q.size(2), 1}, w.q.dtype()));
}

const Variable& removed_key(const DecayedSums& w) { return w.removed.defined() ? w.removed : w.k; }

// sum_k q_tk k_sk exp(G_tsk) for s <= t + diagonal, 0 for other s. G [.., C, C] or [.., C, C, K] -> [.., C, C]
Variable decayed_products(const Variable& q, const Variable& k, const Variable& G, int64_t diagonal) {
  if (G.rank() == q.rank()) return tril(matmul(q, transpose(k, -2, -1)) * exp(G), diagonal);
  return tril(sum(unsqueeze(q, -2) * unsqueeze(k, -3) * exp(G), {-1}), diagonal);
}

// o_t[v] = sum over s <= t of (q_t . k_s) exp(G_tsv) v_sv
SumsRead chunk_of_decaying_values(const DecayedSums& w, const Variable& S) {
  const int64_t C = w.q.size(2);
  Variable so_far = exp(cumsum(w.value_decay, 2)), D = exp(segment_sums(w.value_decay, 2));  // [B, H, C, C, V]
  Variable products = tril(matmul(w.q, transpose(w.k, -2, -1)));                             // [B, H, C, C]
  Variable o = sum(unsqueeze(products, -1) * D * unsqueeze(w.v, 2), {3}) + matmul(w.q, S) * so_far;
  Variable added = matmul(transpose(w.k, -2, -1), w.v * select(D, 2, C - 1));
  return {o, slice(so_far, 2, C - 1, C) * S + added};
}

SumsRead one_chunk(const DecayedSums& w, const Variable& decay, const Variable& S) {
  if (w.value_decay.defined()) return chunk_of_decaying_values(w, S);
  const int64_t C = w.q.size(2);
  const bool one = decay.size(-1) == 1;
  Variable so_far = exp(cumsum(decay, 2)), whole = slice(so_far, 2, C - 1, C);  // [B, H, C, 1 or K], and of the chunk
  Variable G = segment_sums(one ? squeeze(decay, -1) : decay, 2);               // [B, H, C, C] or [B, H, C, C, K]
  Variable to_end = exp(select(G, 2, C - 1));                                   // from word s to the end of the chunk
  if (one) to_end = unsqueeze(to_end, -1);
  Variable o = matmul(w.q * so_far, S), next = transpose(whole, -2, -1) * S;
  auto write = [&](const Variable& k, const Variable& u) {
    o = o + matmul(decayed_products(w.q, k, G, 0), u);
    next = next + matmul(transpose(k * to_end, -2, -1), u);
  };
  if (w.strength.defined()) {
    Variable missing = w.strength * (w.v - matmul(removed_key(w) * so_far, S));
    Variable among = decayed_products(w.strength * removed_key(w), w.k, G, -1);
    write(w.k, matmul(inverse_of_unit_lower(among), missing));
    return {o, next};
  }
  write(w.k, w.v);
  if (w.erased.defined()) {
    Variable seen = matmul(decayed_products(w.removed, w.k, G, -1), w.v) + matmul(w.removed * so_far, S);
    write(w.erased, -matmul(inverse_of_unit_lower(decayed_products(w.removed, w.erased, G, -1)), seen));
  }
  return {o, next};
}

DecayedSums piece(const DecayedSums& w, const Variable& decay, int64_t from, int64_t to) {
  auto part = [&](const Variable& x) { return x.defined() ? slice(x, 2, from, to) : x; };
  return {part(w.q),        part(w.k),       part(w.v),      part(decay),
          part(w.strength), part(w.removed), part(w.erased), part(w.value_decay)};
}

}  // namespace

Variable inverse_of_unit_lower(const Variable& n) {
  const int64_t C = n.size(-1);
  Tensor one = Tensor::zeros({C, C}, n.dtype());
  for (int64_t i = 0; i < C; ++i) one.set({i, i}, 1);
  Variable inverse(one);
  for (int64_t block = 1; block < C; block *= 2) {
    Tensor beside = Tensor::zeros({C, C}, n.dtype());  // the lower left block of each pair of blocks
    for (int64_t i = 0; i < C; ++i)
      for (int64_t j = 0; j < i; ++j)
        if (i / (2 * block) == j / (2 * block) && i / block != j / block) beside.set({i, j}, 1);
    inverse = inverse - matmul(matmul(inverse, n * Variable(beside)), inverse);
  }
  return inverse;
}

SumsRead recurrent_sums(const DecayedSums& w, const Variable& state) {
  Variable S = state.defined() ? state : no_sums(w), decay = decay_of(w);
  std::vector<Variable> outputs;
  for (int64_t t = 0; t < w.q.size(2); ++t) {
    DecayedSums word = piece(w, decay, t, t + 1);
    S = transpose(exp(word.decay), -2, -1) * S;
    if (word.value_decay.defined()) S = S * exp(word.value_decay);
    Variable u = word.strength.defined() ? word.strength * (word.v - matmul(removed_key(word), S)) : word.v;
    if (word.erased.defined()) S = S - matmul(transpose(word.erased, -2, -1), matmul(word.removed, S));
    S = S + matmul(transpose(word.k, -2, -1), u);
    outputs.push_back(matmul(word.q, S));
  }
  return {concat(outputs, 2), S};
}

SumsRead chunkwise_sums(const DecayedSums& w, int64_t chunk, const Variable& state) {
  Variable S = state.defined() ? state : no_sums(w), decay = decay_of(w);
  std::vector<Variable> outputs;
  for (int64_t at = 0; at < w.q.size(2); at += chunk) {
    DecayedSums words = piece(w, decay, at, std::min(at + chunk, w.q.size(2)));
    SumsRead read = one_chunk(words, words.decay, S);
    outputs.push_back(read.output), S = read.state;
  }
  return {concat(outputs, 2), S};
}

SumsRead sums_of(const DecayedSums& words, int64_t chunk, const Variable& state) {
  return words.q.size(2) == 1 ? recurrent_sums(words, state) : chunkwise_sums(words, chunk, state);
}

SumsRead sums_before(const DecayedSums& words, int64_t chunk, const Variable& state) {
  const int64_t T = words.q.size(2);
  const Variable S = state.defined() ? state : no_sums(words);
  DecayedSums next = words;  // the query of the next word reads what this one leaves
  next.q = concat({slice(words.q, 2, 1, T), slice(words.q, 2, 0, 1) * 0}, 2);
  SumsRead read = sums_of(next, chunk, S);
  read.output = concat({matmul(slice(words.q, 2, 0, 1), S), slice(read.output, 2, 0, T - 1)}, 2);
  return read;
}

DecayedSums without_padding(DecayedSums w, const Tensor& padding_mask) {
  if (!padding_mask.defined()) return w;
  Tensor padding = logical_not(padding_mask).unsqueeze(1).unsqueeze(-1);  // [B, 1, T, 1]
  w.k = masked_fill(w.k, padding, 0);
  if (w.erased.defined()) w.erased = masked_fill(w.erased, padding, 0);
  if (w.decay.defined()) w.decay = masked_fill(w.decay, padding, 0);
  if (w.value_decay.defined()) w.value_decay = masked_fill(w.value_decay, padding, 0);
  return w;
}

}  // namespace heed::nn
