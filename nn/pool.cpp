#include "nn/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/padding.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

using Weight = double (*)(double i, double n);  // the weight of word i of n, counted from 1

Weight weight_of(const std::string& name) {
  if (name == "cls") return [](double i, double) { return i == 1 ? 1.0 : 0.0; };
  if (name == "lasttoken") return [](double i, double n) { return i == n ? 1.0 : 0.0; };
  if (name == "sum") return [](double, double) { return 1.0; };
  if (name == "mean") return [](double, double n) { return 1 / n; };
  if (name == "mean_sqrt_len_tokens") return [](double, double n) { return 1 / std::sqrt(n); };
  if (name == "weightedmean") return [](double i, double n) { return i / (n * (n + 1) / 2); };
  throw ValueError(
      fmt::format("pool: no pooling of this name; got `{}`; there are cls, lasttoken, max, mean, mean_sqrt_len_tokens, "
                  "weightedmean, sum, position_encoding",
                  name));
}

// l [B, S, D]; 0 for padding.
Tensor encoding_of(const Tensor& words_, int64_t D, DType dtype) {
  Tensor words = words_.contiguous();
  int64_t B = words.size(0), S = words.size(1);
  Tensor out = Tensor::zeros({B, S, D}, DType::f64);
  for (int64_t b = 0; b < B; ++b) {
    const bool* word = words.data<bool>() + b * S;
    double n = static_cast<double>(std::count(word, word + S, true)), j = 0;
    for (int64_t s = 0; s < S; ++s) {
      if (!word[s]) continue;
      double place = ++j / n;
      for (int64_t k = 0; k < D; ++k)
        out.data<double>()[(b * S + s) * D + k] =
            (1 - place) - static_cast<double>(k + 1) / static_cast<double>(D) * (1 - 2 * place);
    }
  }
  return out.to(dtype);
}

}  // namespace

Tensor pooling_weights(const std::string& name, const Tensor& words_, DType dtype) {
  Weight weight = weight_of(name);
  Tensor words = words_.contiguous(), out = Tensor::zeros(words.shape(), DType::f64);
  int64_t B = words.size(0), S = words.size(1);
  for (int64_t b = 0; b < B; ++b) {
    const bool* word = words.data<bool>() + b * S;
    double n = 0, i = 0;
    for (int64_t s = 0; s < S; ++s) n += word[s] ? 1 : 0;
    for (int64_t s = 0; s < S; ++s)
      if (word[s]) out.data<double>()[b * S + s] = weight(++i, n);
  }
  return out.to(dtype);
}

Variable pool(const std::string& name, const Variable& x, const Tensor& words) {
  if (x.rank() != 3) throw ShapeError(fmt::format("pool: needs x [B, S, D]; got {}", to_string(x.shape())));
  Shape wanted{x.size(0), x.size(1)};
  if (words.defined() && (!(words.shape() == wanted) || words.dtype() != DType::boolean))
    throw ShapeError(fmt::format("pool: words must be bool {}; got {} {}", to_string(wanted), name_of(words.dtype()),
                                 to_string(words.shape())));
  if (name == "max") {
    if (!words.defined()) return max(x, 1);
    Variable largest = max(masked_fill(x, logical_not(words).unsqueeze(2), -INFINITY), 1);  // [B, D]
    return masked_fill(largest, equal(largest.value(), -INFINITY), 0);                      // a sentence without words
  }
  Tensor all = words.defined() ? words : equal(Tensor::zeros(wanted), 0);
  if (name == "position_encoding" && !is_float(x.dtype()))
    throw DTypeError(fmt::format("pool: position_encoding needs numbers with fractions; got x {}", name_of(x.dtype())));
  if (name == "position_encoding")
    return sum(Variable(encoding_of(all, x.size(2), x.dtype())) * without_padding(x, words), {1});
  return squeeze(matmul(Variable(pooling_weights(name, all, x.dtype()).unsqueeze(1)), without_padding(x, words)), 1);
}

}  // namespace heed::nn
