// What poolings hold.
#include "nn/attention/structures/multi_head.h"
#include "nn/attention/structures/structured.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

// A function from words x [B, S, W] and a mask [B, S] to a vector a sentence, flat; the same at every call.
using Pooled = std::function<Variable(const Variable& x, const Tensor& words)>;
Pooled pooled_by(const CatalogueEntry& entry) {
  if (entry.id == "I8")
    return [](const Variable& x, const Tensor& words) {
      nn::StructuredEmbedding m = make<nn::StructuredEmbedding>({.input = kWidth, .hidden = 3, .rows = 1}, 1);
      nn::convert(m, x.dtype());
      return squeeze(m(x, words).context, 1);
    };
  if (entry.id == "I9")
    return [](const Variable& x, const Tensor& words) {
      nn::MultiHeadPooling m = make<nn::MultiHeadPooling>({.model = kWidth, .heads = 2}, 1);
      nn::convert(m, x.dtype());
      return squeeze(m(x, words).context, 1);
    };
  std::vector<std::string> modes{entry.name};
  if (entry.id == "I10") modes = {"mean", "max", "attention"};
  return [modes](const Variable& x, const Tensor& words) {
    nn::Pooling m = make<nn::Pooling>({.modes = modes, .width = kWidth}, 1);
    nn::convert(m, x.dtype());
    return m(x, words);
  };
}

PROPERTY(padding_is_absent) {
  Tensor words = Tensor::from_bools({1, 1, 1, 0, 0, 0, 1, 0, 1, 1}, {2, 5});
  Variable x = leaf({2, 5, kWidth}, 1, DType::f64);
  Variable y = pooled_by(entry)(x, words);
  backward(weighted_sum(y));
  Tensor other = x.value().clone();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t s = 0; s < 5; ++s) {
      if (words.at({b, s}) != 0) continue;
      CHECK(all_zero(x.grad().select(0, b).select(0, s)));
      for (int64_t w = 0; w < kWidth; ++w) other.set({b, s, w}, 1e3);
    }
  CHECK_FALSE(all_zero(x.grad()));
  CHECK(bit_equal(pooled_by(entry)(other, words).value(), y.value()));
}

PROPERTY(one_word_is_itself) {
  Variable x = leaf({2, 5, kWidth}, 1, DType::f64);
  Tensor third = Tensor::from_bools({0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, {2, 5});
  CHECK(max_abs_difference(pooled_by(entry)(x, third).value(), x.value().select(1, 2)) < 1e-15);
}

PROPERTY(no_words_read_zero) {
  Variable x = leaf({2, 5, kWidth}, 1, DType::f64);
  Variable y = pooled_by(entry)(x, Tensor::from_bools({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {2, 5}));
  backward(weighted_sum(y));
  CHECK(all_zero(y.value().select(0, 0)));
  CHECK(all_finite(x.grad()));
  CHECK(all_zero(x.grad().select(0, 0)));
}

}  // namespace
}  // namespace heed::nn_test
