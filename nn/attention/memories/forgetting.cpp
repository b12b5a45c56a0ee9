#include "nn/attention/memories/forgetting.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// The entries `staying` [B, G, n] of x [B, G, L] or [B, G, L, N], and after them that of one word.
Tensor with_word(const Tensor& x, const Tensor& staying, const Tensor& word) {
  Tensor index = staying;
  if (x.rank() == 4)
    index = staying.unsqueeze(-1).expand({x.size(0), x.size(1), staying.size(2), x.size(3)}).contiguous();
  return concat({gather(x, 2, index), word}, 2);
}

}  // namespace

ForgettingMemory::ForgettingMemory(const Budget& budget) : budget_(budget) {
  if (budget.first < 0 || budget.heavy < 0 || budget.last < 1)
    throw ValueError(fmt::format(
        "ForgettingMemory: needs the number of first, heavy and last words, at least one last; got {}, {} and {}",
        budget.first, budget.heavy, budget.last));
}

Tensor ForgettingMemory::staying() const {
  const int64_t rows = at_.size(0) * at_.size(1), L = at_.size(2);  // a row for each head of each sentence
  const bool full = L >= budget_.first + budget_.heavy + budget_.last;
  Tensor out = Tensor::empty({at_.size(0), at_.size(1), full ? L - 1 : L}, DType::i64);
  int64_t* to = out.data<int64_t>();
  for (int64_t r = 0; r < rows; ++r) {
    const bool* word = is_word_.data<bool>() + r * L;
    const double* weight = weight_.data<double>() + r * L;
    int64_t dropped = full ? -1 : L;
    if (full) {
      const int64_t words = std::count(word, word + L, true);
      int64_t nth = 0;  // of the words of the row
      for (int64_t j = 0; j < L; ++j) {
        const int64_t i = word[j] ? nth++ : -1;
        if (i >= 0 && (i < budget_.first || words - i < budget_.last)) continue;  // the new word is the last one
        auto less = [&](int64_t x, int64_t y) {
          if (word[x] != word[y]) return !word[x];
          return budget_.heavy > 0 && weight[x] < weight[y];
        };
        if (dropped < 0 || less(j, dropped)) dropped = j;
      }
    }
    for (int64_t j = 0; j < L; ++j)
      if (j != dropped) *to++ = j;
  }
  return out;
}

void ForgettingMemory::append(const HeadMemory& words) {
  if (words.keys.requires_grad() || words.values.requires_grad())
    throw GraphError("ForgettingMemory: it carries no gradient; got words that need one; decode under NoGrad");
  const Tensor &k = words.keys.value(), &v = words.values.value();
  auto fits = [](const Tensor& kept, const Tensor& x) {
    return x.rank() == 4 && (!kept.defined() || (x.size(0) == kept.size(0) && x.size(1) == kept.size(1) &&
                                                 x.size(3) == kept.size(3) && x.dtype() == kept.dtype()));
  };
  if (!fits(keys_, k) || !fits(values_, v) || k.size(2) != v.size(2))
    throw ShapeError(
        fmt::format("ForgettingMemory: words must be [B, G, 1, ..] and fit those that are kept; got {} and {}",
                    to_string(k.shape()), to_string(v.shape())));
  if (k.size(2) != 1) throw ValueError(fmt::format("ForgettingMemory: takes one word at a time; got {}", k.size(2)));
  const int64_t B = k.size(0), G = k.size(1);
  const Tensor none = Tensor::zeros({B, G, 1}, DType::f64);
  Tensor is_word = Tensor::full({B, G, 1}, 1, DType::boolean);
  if (words.padding_mask.defined()) is_word = words.padding_mask.unsqueeze(1).expand({B, G, 1}).contiguous();
  if (!keys_.defined()) {
    keys_ = k.clone(), values_ = v.clone(), at_ = Tensor::zeros({B, G, 1}, DType::i64), is_word_ = is_word,
    weight_ = none;
  } else {
    const Tensor stay = staying();
    keys_ = with_word(keys_, stay, k), values_ = with_word(values_, stay, v),
    at_ = with_word(at_, stay, number_of_next());
    is_word_ = with_word(is_word_, stay, is_word), weight_ = with_word(weight_, stay, none);
  }
  ++words_;
}

HeadMemory ForgettingMemory::view() const {
  if (!keys_.defined()) return {};
  return {keys_, values_};
}

// Without weights all heads keep the same words.
Tensor ForgettingMemory::of_heads(const Tensor& at) const {
  return budget_.heavy > 0 ? at : at.select(1, 0).contiguous();
}

KeptKeys ForgettingMemory::kept() const {
  KeptKeys keys{.end = words_, .renumbered = budget_.renumbered};
  if (at_.defined() && at_.size(2) < words_) keys.at = of_heads(at_);
  return keys;
}

KeptKeys ForgettingMemory::kept_after(int64_t n) const {
  KeptKeys keys{.end = words_ + n, .renumbered = budget_.renumbered};
  if (!at_.defined() || n != 1) return keys;
  if (const Tensor stay = staying(); stay.size(2) < words_) keys.at = of_heads(with_word(at_, stay, number_of_next()));
  return keys;
}

Tensor ForgettingMemory::number_of_next() const {
  return Tensor::full({at_.size(0), at_.size(1), 1}, static_cast<double>(words_), DType::i64);
}

// The sums of a key head are those of the query heads that read it. A query that is padding reads nothing.
void ForgettingMemory::saw(const Tensor& weights) {
  const int64_t B = at_.size(0), G = at_.size(1), L = at_.size(2);
  const Tensor of_groups = weights.to(DType::f64).contiguous().reshape({B, G, weights.size(1) / G, L});
  weight_ = add(weight_, mul(sum(of_groups, {2}), is_word_.slice(2, L - 1, L).to(DType::f64)));
}

void ForgettingMemory::keep(const Tensor& rows) {
  if (!keys_.defined()) return;
  for (Tensor* x : {&keys_, &values_, &at_, &is_word_, &weight_}) *x = index_select(*x, 0, rows);
}

int64_t ForgettingMemory::bytes() const {
  if (!keys_.defined()) return 0;
  return (keys_.count() + values_.count()) * (keys_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
