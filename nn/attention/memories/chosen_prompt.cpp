#include "nn/attention/memories/chosen_prompt.h"

#include <algorithm>
#include <vector>

#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// [B, G, n, K] -> [B, H, n, K]: each group once for every head that reads it.
Tensor one_per_head(const Tensor& x, int64_t H) {
  const int64_t B = x.size(0), G = x.size(1), n = x.size(2), K = x.size(3);
  return G == H ? x : x.unsqueeze(2).expand({B, G, H / G, n, K}).contiguous().reshape({B, H, n, K});
}

// The places that one head keeps. weights f64 [T, T]: those of the prompt.
std::vector<int64_t> places_kept(const PromptBudget& budget, const double* weights, const std::vector<bool>& is_word) {
  const auto T = static_cast<int64_t>(is_word.size());
  auto word = [&](int64_t s) { return s >= 0 && s < T && is_word[static_cast<size_t>(s)]; };
  int64_t first = T;  // of the last w words
  for (int64_t found = 0; first > 0 && found < budget.window; found += word(first)) --first;
  std::vector<double> votes(static_cast<size_t>(T)), pooled(static_cast<size_t>(T));
  for (int64_t t = first; t < T; ++t)
    for (int64_t s = 0; s < first && word(t); ++s)
      if (word(s)) votes[static_cast<size_t>(s)] += weights[t * T + s];
  const int64_t p = budget.pooled / 2;
  for (int64_t s = 0; s < first; ++s)
    for (int64_t i = std::max<int64_t>(0, s - p); i <= std::min(first - 1, s + p); ++i)
      pooled[static_cast<size_t>(s)] += votes[static_cast<size_t>(i)];
  std::vector<int64_t> places;
  for (int64_t s = 0; s < T; ++s) places.push_back(s);
  auto rank = [&](int64_t s) { return !word(s) ? 2 : s < first ? 1 : 0; };  // the last words, other words, padding
  std::stable_sort(places.begin(), places.end(), [&](int64_t i, int64_t j) {
    if (rank(i) != rank(j)) return rank(i) < rank(j);
    return rank(i) == 1 && pooled[static_cast<size_t>(i)] > pooled[static_cast<size_t>(j)];
  });
  places.resize(static_cast<size_t>(budget.capacity));
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace

void ChosenPrompt::append(const HeadMemory& words) {
  if (words.keys.requires_grad() || words.values.requires_grad())
    throw GraphError("ChosenPrompt: it carries no gradient; got words that need one; hint: decode under NoGrad");
  const Tensor &k = words.keys.value(), &v = words.values.value();
  if (!keys_.defined()) {
    keys_ = k.clone(), values_ = v.clone(), prompt_ = k.size(2);
    is_word_ = words.padding_mask.defined() ? words.padding_mask.clone() : Tensor();
  } else {
    const int64_t H = keys_.size(1);
    keys_ = concat({keys_, one_per_head(k, H)}, 2), values_ = concat({values_, one_per_head(v, H)}, 2);
  }
  words_ += k.size(2);
}

HeadMemory ChosenPrompt::view() const {
  if (!keys_.defined()) return {};
  return {Variable(keys_), Variable(values_)};
}

KeptKeys ChosenPrompt::kept_after(int64_t n) const {
  KeptKeys keys{.end = words_ + n};
  if (!at_.defined()) return keys;
  const int64_t B = at_.size(0), later = words_ + n - prompt_;
  Tensor more = Tensor::empty({B, later}, DType::i64);
  for (int64_t i = 0; i < B * later; ++i) more.data<int64_t>()[i] = prompt_ + i % later;
  keys.at = concat({at_.select(1, 0).contiguous(), more}, 1);
  return keys;
}

void ChosenPrompt::saw(const Tensor& given) {
  decided_ = true;
  if (prompt_ <= budget_.capacity) return;
  const Tensor weights = given.to(DType::f64).contiguous();  // [B, H, T, T]
  const int64_t B = weights.size(0), H = weights.size(1), T = prompt_;
  std::vector<int64_t> all;
  for (int64_t b = 0; b < B; ++b) {
    std::vector<bool> word(static_cast<size_t>(T), true);
    for (int64_t s = 0; s < T && is_word_.defined(); ++s) word[static_cast<size_t>(s)] = is_word_.at({b, s}) != 0;
    for (int64_t h = 0; h < H; ++h) {
      const auto places = places_kept(budget_, weights.data<double>() + (b * H + h) * T * T, word);
      all.insert(all.end(), places.begin(), places.end());
    }
  }
  at_ = Tensor::from(all, {B, H, budget_.capacity});
  auto chosen = [&](const Tensor& x) {
    const Shape shape{B, H, budget_.capacity, x.size(3)};
    return gather(one_per_head(x, H), 2, at_.unsqueeze(-1).expand(shape).contiguous());
  };
  keys_ = chosen(keys_), values_ = chosen(values_);
}

void ChosenPrompt::keep(const Tensor& rows) {
  for (Tensor* x : {&keys_, &values_, &is_word_, &at_})
    if (x->defined()) *x = index_select(*x, 0, rows);
}

int64_t ChosenPrompt::bytes() const {
  if (!keys_.defined()) return 0;
  return (keys_.count() + values_.count()) * (keys_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
