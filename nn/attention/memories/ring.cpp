#include "nn/attention/memories/ring.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// Rows [begin, begin + count) of the old room at the beginning of a new one.
Tensor moved(const Tensor& old, int64_t begin, int64_t count, int64_t room) {
  Tensor fresh = Tensor::empty({old.size(0), old.size(1), room, old.size(3)}, old.dtype());
  Tensor part = fresh.slice(2, 0, count);
  copy_into(part, old.slice(2, begin, begin + count));
  return fresh;
}

}  // namespace

// Room for the `left` rows that stay and the new ones.
void RingMemory::make_room(const HeadMemory& words, int64_t left) {
  int64_t n = words.keys.size(2), begin = begin_ + kept_ - left;
  if (begin + left + n <= keys_.size(2)) {
    begin_ = begin;
    return;
  }
  int64_t room = std::max(keys_.size(2), 2 * (left + n));
  keys_ = moved(keys_, begin, left, room), values_ = moved(values_, begin, left, room);
  begin_ = 0;
}

void RingMemory::append(const HeadMemory& words) {
  if (words.keys.requires_grad() || words.values.requires_grad())
    throw GraphError("RingMemory: it carries no gradient; got words that need one; decode under NoGrad");
  const Tensor &k = words.keys.value(), &v = words.values.value();
  if (!keys_.defined()) {
    keys_ = Tensor::empty({k.size(0), k.size(1), 0, k.size(3)}, k.dtype());
    values_ = Tensor::empty({v.size(0), v.size(1), 0, v.size(3)}, v.dtype());
  }
  auto fits = [](const Tensor& cache, const Tensor& x) {
    return x.rank() == 4 && x.size(0) == cache.size(0) && x.size(1) == cache.size(1) && x.size(3) == cache.size(3) &&
           x.dtype() == cache.dtype();
  };
  if (!fits(keys_, k) || !fits(values_, v) || k.size(2) != v.size(2))
    throw ShapeError(fmt::format("RingMemory: words must fit those that are kept, {} and {}; got {} and {}",
                                 to_string(keys_.shape()), to_string(values_.shape()), to_string(k.shape()),
                                 to_string(v.shape())));
  int64_t left = std::min(kept_, reach_), n = k.size(2);
  make_room(words, left);
  Tensor to_keys = keys_.slice(2, begin_ + left, begin_ + left + n);
  Tensor to_values = values_.slice(2, begin_ + left, begin_ + left + n);
  copy_into(to_keys, k), copy_into(to_values, v);
  kept_ = left + n, words_ += n;
}

HeadMemory RingMemory::view() const {
  if (!keys_.defined()) return {};
  return {keys_.slice(2, begin_, begin_ + kept_), values_.slice(2, begin_, begin_ + kept_)};
}

void RingMemory::keep(const Tensor& rows) {
  if (!keys_.defined()) return;
  HeadMemory now = view();
  int64_t room = keys_.size(2);
  keys_ = moved(index_select(now.keys.value(), 0, rows), 0, kept_, room);
  values_ = moved(index_select(now.values.value(), 0, rows), 0, kept_, room);
  begin_ = 0;
}

int64_t RingMemory::bytes() const {
  if (!keys_.defined()) return 0;
  int64_t per_word = keys_.size(0) * keys_.size(1) * (keys_.size(3) + values_.size(3));
  return kept_ * per_word * (keys_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
