#include "nn/attention/memories/head_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/thread_pool.h"

namespace heed::nn {
namespace {

bool fits(const Tensor& cache, const Tensor& words) {
  return words.rank() == 4 && words.size(0) == cache.size(0) && words.size(1) == cache.size(1) &&
         words.size(3) == cache.size(3) && words.dtype() == cache.dtype();
}

// The words that are there, with room for `capacity`.
Tensor with_room(const Tensor& old, int64_t words, int64_t capacity) {
  Tensor wider = Tensor::empty({old.size(0), old.size(1), capacity, old.size(3)}, old.dtype());
  Tensor part = wider.slice(2, 0, words);
  copy_into(part, old.slice(2, 0, words));
  return wider;
}

// The given rows of the words that are there, with the same room: one copy of each.
Tensor chosen(const Tensor& old, int64_t words, const Tensor& rows) {
  const Tensor from_rows = index_select(Tensor::arange(old.size(0)), rows);  // checked
  const int64_t heads = old.size(1), head = old.size(2) * old.size(3), filled = words * old.size(3);
  Tensor out = Tensor::empty({from_rows.size(0), heads, old.size(2), old.size(3)}, old.dtype());
  dispatch_float(old.dtype(), "HeadCache", [&](auto zero) {
    using T = decltype(zero);
    const int64_t* row = from_rows.data<int64_t>();
    const T* from = old.data<T>();
    T* to = out.data<T>();
    parallel_for(0, out.size(0), 1 + (1 << 16) / (heads * filled + 1), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        for (int64_t h = 0; h < heads; ++h)
          std::copy_n(from + (row[r] * heads + h) * head, filled, to + (r * heads + h) * head);
    });
  });
  return out;
}

}  // namespace

HeadMemory joined(const HeadMemory& before, const HeadMemory& after) {
  if (!before.keys.defined()) return after;
  return {concat({before.keys, after.keys}, 2), concat({before.values, after.values}, 2)};
}

void HeadCache::make_room(const HeadMemory& words) {
  const Tensor &k = words.keys.value(), &v = words.values.value();
  if (!keys_.defined()) {
    keys_ = Tensor::empty({k.size(0), k.size(1), 0, k.size(3)}, k.dtype());
    values_ = Tensor::empty({v.size(0), v.size(1), 0, v.size(3)}, v.dtype());
  }
  if (!fits(keys_, k) || !fits(values_, v) || k.size(2) != v.size(2))
    throw ShapeError(fmt::format("HeadCache: words must fit those that are there, {} and {}; got {} and {}",
                                 to_string(view().keys.shape()), to_string(view().values.shape()), to_string(k.shape()),
                                 to_string(v.shape())));
  int64_t needed = words_ + k.size(2);
  if (needed <= keys_.size(2)) return;
  int64_t capacity = std::max<int64_t>({needed, 2 * keys_.size(2), 16});
  keys_ = with_room(keys_, words_, capacity), values_ = with_room(values_, words_, capacity);
}

void HeadCache::append(const HeadMemory& words) {
  if (words.keys.requires_grad() || words.values.requires_grad())
    throw GraphError("HeadCache: it carries no gradient; got words that need one; decode under NoGrad, or use joined");
  if (words.keys.rank() != 4 || words.values.rank() != 4)
    throw ShapeError(fmt::format("HeadCache: needs keys [B, G, n, K] and values [B, G, n, V]; got {} and {}",
                                 to_string(words.keys.shape()), to_string(words.values.shape())));
  make_room(words);
  int64_t behind = words_ + words.keys.size(2);
  Tensor k = keys_.slice(2, words_, behind), v = values_.slice(2, words_, behind);
  copy_into(k, words.keys.value());
  copy_into(v, words.values.value());
  words_ = behind;
}

HeadMemory HeadCache::view() const {
  if (!keys_.defined()) return {};
  return {keys_.slice(2, 0, words_), values_.slice(2, 0, words_)};
}

void HeadCache::keep(const Tensor& rows) {
  if (!keys_.defined()) return;
  keys_ = chosen(keys_, words_, rows);
  values_ = chosen(values_, words_, rows);
}

int64_t HeadCache::bytes() const {
  if (!keys_.defined()) return 0;
  int64_t a_word = keys_.size(0) * keys_.size(1) * (keys_.size(3) + values_.size(3));
  return words_ * a_word * (keys_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
