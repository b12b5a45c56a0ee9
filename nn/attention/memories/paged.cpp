#include "nn/attention/memories/paged.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/elementwise.h"

namespace heed::nn {

PagedMemory::PagedMemory(int64_t block) : block_(block) {
  if (block < 1) throw ValueError(fmt::format("PagedMemory: a block must hold at least one word; got {}", block));
}

void PagedMemory::require_fit(const HeadMemory& words) const {
  const Tensor &k = words.keys.value(), &v = words.values.value();
  if (words.keys.requires_grad() || words.values.requires_grad())
    throw GraphError("PagedMemory: it carries no gradient; got words that need one; decode under NoGrad");
  auto fits = [](const Tensor& kept, const Tensor& x) {
    return !kept.defined() || (x.size(0) == kept.size(0) && x.size(1) == kept.size(1) && x.size(3) == kept.size(3) &&
                               x.dtype() == kept.dtype());
  };
  bool alike =
      k.rank() == 4 && v.rank() == 4 && k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2);
  if (!alike || !fits(like_keys_, k) || !fits(like_values_, v))
    throw ShapeError(fmt::format("PagedMemory: words must be [B, G, n, ..] and fit those that are there; got {} and {}",
                                 to_string(k.shape()), to_string(v.shape())));
}

int64_t PagedMemory::fresh_block() {
  auto room = [&](const Tensor& like) { return Tensor::empty({like.size(1), block_, like.size(3)}, like.dtype()); };
  if (free_.empty()) {
    free_.push_back(static_cast<int64_t>(keys_.size()));
    keys_.emplace_back(), values_.emplace_back(), references_.push_back(0);
  }
  int64_t id = free_.back();
  free_.pop_back();
  keys_[size_t(id)] = room(like_keys_), values_[size_t(id)] = room(like_values_);
  references_[size_t(id)] = 1;
  return id;
}

void PagedMemory::release(int64_t id) {
  if (--references_[size_t(id)] > 0) return;
  keys_[size_t(id)] = values_[size_t(id)] = Tensor();
  free_.push_back(id);
}

// The j-th block of a row, which nobody else reads: a new one at the end of its table, or a copy of a shared one.
int64_t PagedMemory::block_to_write(std::vector<int64_t>& row, int64_t j) {
  if (j == static_cast<int64_t>(row.size())) row.push_back(fresh_block());
  int64_t id = row[size_t(j)];
  if (references_[size_t(id)] == 1) return id;
  int64_t copy = fresh_block();
  copy_into(keys_[size_t(copy)], keys_[size_t(id)]), copy_into(values_[size_t(copy)], values_[size_t(id)]);
  release(id);
  return row[size_t(j)] = copy;
}

void PagedMemory::append(const HeadMemory& words) {
  require_fit(words);
  const Tensor &k = words.keys.value(), &v = words.values.value();
  int64_t n = k.size(2);
  if (!like_keys_.defined()) {
    like_keys_ = Tensor::empty({k.size(0), k.size(1), 0, k.size(3)}, k.dtype());
    like_values_ = Tensor::empty({v.size(0), v.size(1), 0, v.size(3)}, v.dtype());
    table_.resize(size_t(k.size(0)));
  }
  for (int64_t b = 0; b < k.size(0); ++b)
    for (int64_t from = 0, count = 0; from < n; from += count) {
      int64_t at = (words_ + from) % block_;
      count = std::min(n - from, block_ - at);
      auto id = size_t(block_to_write(table_[size_t(b)], (words_ + from) / block_));
      Tensor to_keys = keys_[id].slice(1, at, at + count), to_values = values_[id].slice(1, at, at + count);
      copy_into(to_keys, k.select(0, b).slice(1, from, from + count));
      copy_into(to_values, v.select(0, b).slice(1, from, from + count));
    }
  words_ += n;
}

HeadMemory PagedMemory::block(int64_t j) const {
  int64_t B = like_keys_.size(0), G = like_keys_.size(1), count = std::min(block_, words_ - j * block_);
  Tensor k = Tensor::empty({B, G, count, like_keys_.size(3)}, like_keys_.dtype());
  Tensor v = Tensor::empty({B, G, count, like_values_.size(3)}, like_values_.dtype());
  for (int64_t b = 0; b < B; ++b) {
    auto id = size_t(table_[size_t(b)][size_t(j)]);
    Tensor to_keys = k.select(0, b), to_values = v.select(0, b);
    copy_into(to_keys, keys_[id].slice(1, 0, count)), copy_into(to_values, values_[id].slice(1, 0, count));
  }
  return {k, v};
}

HeadMemory PagedMemory::view() const {
  if (!like_keys_.defined()) return {};
  int64_t B = like_keys_.size(0), G = like_keys_.size(1);
  Tensor k = Tensor::empty({B, G, words_, like_keys_.size(3)}, like_keys_.dtype());
  Tensor v = Tensor::empty({B, G, words_, like_values_.size(3)}, like_values_.dtype());
  for (int64_t j = 0; j < blocks(); ++j) {
    HeadMemory part = block(j);
    int64_t begin = j * block_, end = begin + part.keys.size(2);
    Tensor to_keys = k.slice(2, begin, end), to_values = v.slice(2, begin, end);
    copy_into(to_keys, part.keys.value()), copy_into(to_values, part.values.value());
  }
  return {k, v};
}

void PagedMemory::keep(const Tensor& rows) {
  if (!like_keys_.defined()) return;
  std::vector<std::vector<int64_t>> kept;
  for (double row : rows.to_vector()) {
    if (!(row >= 0 && row < static_cast<double>(table_.size())))
      throw ValueError(
          fmt::format("PagedMemory: a row to keep must be one of the {} rows, from 0; got {:g}", table_.size(), row));
    kept.push_back(table_[size_t(row)]);
  }
  for (const auto& row : kept)
    for (int64_t id : row) ++references_[size_t(id)];
  for (const auto& row : table_)
    for (int64_t id : row) release(id);
  table_ = std::move(kept);
  auto B = static_cast<int64_t>(table_.size());
  like_keys_ = Tensor::empty({B, like_keys_.size(1), 0, like_keys_.size(3)}, like_keys_.dtype());
  like_values_ = Tensor::empty({B, like_values_.size(1), 0, like_values_.size(3)}, like_values_.dtype());
}

int64_t PagedMemory::bytes() const {
  if (!like_keys_.defined()) return 0;
  int64_t a_word = like_keys_.size(1) * (like_keys_.size(3) + like_values_.size(3));
  return blocks_in_use() * block_ * a_word * (like_keys_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
