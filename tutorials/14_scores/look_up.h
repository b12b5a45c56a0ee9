// The task: S entries, each a key and a symbol. Each query asks for the symbol of one entry.
//
//   keys k_s [d], normal numbers       values v_s [S], one-hot: 1 at the symbol       queries q = R k_s
//
// R [d, d] is a rotation that the model is not told. Each of the B sets of entries in a batch has new keys, and its
// symbols in a new order; T = S queries ask for all entries in random order. So neither a position nor a symbol can be
// memorised: only the rotation R can be learned.
#pragma once

#include <numeric>
#include <vector>

#include "autograd/variable.h"
#include "nn/init.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/random.h"

namespace scores {

using heed::Generator, heed::Tensor, heed::Variable;

inline constexpr int64_t kEntries = 16;  // S; also the number of symbols

struct Task {
  Tensor rotation = {};  // R [d, d]; undefined: the query is the key itself
  Tensor bank = {};      // [S, d]: the same keys in all batches; undefined: new keys in each batch
};
inline Tensor random_rotation(int64_t d, uint64_t seed) {
  Generator rng(seed, 1ull << 43);
  return heed::nn::init::orthogonal({d, d}, rng);
}

struct Entries {
  Tensor queries, keys;   // [B, S, d] each
  Tensor values;          // [B, S, S]
  Tensor symbols, place;  // [B S] i64: symbol and position of the entry that each query asks for
};

inline Entries make_entries(int64_t B, int64_t d, const Task& task, Generator& rng) {
  std::vector<float> values(static_cast<size_t>(B * kEntries * kEntries));
  std::vector<int64_t> asked_symbol, asked_place, asked_row, bank_row;
  for (int64_t b = 0; b < B; ++b) {
    std::vector<int64_t> symbol(kEntries), order(kEntries), key(kEntries);
    for (auto* list : {&symbol, &order, &key}) std::iota(list->begin(), list->end(), 0), rng.shuffle(*list);
    bank_row.insert(bank_row.end(), key.begin(), key.end());
    for (int64_t s = 0; s < kEntries; ++s)
      values[static_cast<size_t>((b * kEntries + s) * kEntries + symbol[static_cast<size_t>(s)])] = 1;
    for (int64_t s : order) {
      asked_symbol.push_back(symbol[static_cast<size_t>(s)]);
      asked_place.push_back(s);
      asked_row.push_back(b * kEntries + s);
    }
  }
  const int64_t rows = B * kEntries;
  Tensor keys =
      task.bank.defined() ? index_select(task.bank, 0, Tensor::from(bank_row, {rows})) : Tensor::normal({rows, d}, rng);
  Tensor queries = index_select(keys, 0, Tensor::from(asked_row, {rows}));
  if (task.rotation.defined()) queries = matmul(queries, task.rotation.transpose(0, 1));
  return {.queries = queries.view({B, kEntries, d}),
          .keys = keys.view({B, kEntries, d}),
          .values = Tensor::from(values, {B, kEntries, kEntries}),
          .symbols = Tensor::from(asked_symbol, {rows}),
          .place = Tensor::from(asked_place, {rows})};
}

}  // namespace scores
