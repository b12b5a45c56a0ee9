#include "nn/attention/recurrences/running_means.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/places.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// bool [C, C, 1]: where s > t, or s = t.
Tensor where(int64_t C, bool (*distance)(int64_t)) {
  return mask_of_distances("running_means", {.queries = C, .keys = C}, distance).unsqueeze(-1);
}
Tensor later_words(int64_t C) {
  return where(C, [](int64_t d) { return d > 0; });
}
Tensor own_word(int64_t C, DType dtype) {
  return where(C, [](int64_t d) { return d == 0; }).to(dtype);
}

constexpr double kForgotten = 1e30;  // the largest decay: infinity times a distance of 0 would be NaN

MeansRead one_chunk(const Variable& given, const Variable& v, const Variable& w, const Variable& u, const Tensor& words,
                    const RunningMeans& state) {
  const int64_t B = v.size(0), C = v.size(1), D = v.size(2);
  const DType dtype = v.dtype();
  Tensor ones = words.defined() ? words.to(dtype) : Tensor::ones({B, C}, dtype);
  Variable k = words.defined() ? masked_fill(given, logical_not(words).unsqueeze(-1), -INFINITY) : given;
  const Tensor n = cumsum(ones, 1).unsqueeze(-1);                       // [B, C, 1]: words of the chunk so far
  const Tensor own = own_word(C, dtype), total = n.slice(1, C - 1, C);  // [B, 1, 1]
  Tensor gap = sub(n.unsqueeze(2), n.unsqueeze(1));                     // [B, C, C, 1]: t - s
  gap = sub(gap, sub(Tensor::ones({}, dtype), own));                    // t - 1 - s, and 0 for t = s
  // Scores of the words, [B, C, C, D], and of what came before, [B, C, 1, D].
  Variable e = expand(unsqueeze(k, 1), {B, C, C, D}), before = expand(state.log_total, {B, C, D}),
           last = concat({k, state.log_total}, 1);
  if (w.defined()) {
    e = e - Variable(gap) * w;
    before = before - Variable(sub(n, Tensor::ones({}, dtype))) * w;
    last = concat({k - Variable(sub(total, n)) * w, state.log_total - Variable(total) * w}, 1);
  }
  if (u.defined()) e = e + Variable(own) * u;
  e = concat({masked_fill(e, later_words(C), -INFINITY), unsqueeze(before, 2)}, 2);
  Variable values = concat({v, state.mean}, 1);  // [B, C + 1, D]
  Variable output = sum(softmax(e, 2) * unsqueeze(values, 1), {2});
  return {output, {sum(softmax(last, 1) * values, {1}, true), logsumexp(last, {1}, true)}};
}

}  // namespace

MeansRead running_means(const Variable& k, const Variable& v, const Variable& decay, const Variable& bonus,
                        const Tensor& words, int64_t chunk, const RunningMeans& state) {
  const int64_t B = v.size(0), T = v.size(1), D = v.size(2);
  MeansRead read{{}, state};
  if (!state.mean.defined())
    read.state = {Variable(Tensor::zeros({B, 1, D}, v.dtype())),
                  Variable(Tensor::full({B, 1, D}, -INFINITY, v.dtype()))};
  const Variable w = decay.defined() ? clamp(decay, -HUGE_VAL, kForgotten) : decay;
  std::vector<Variable> outputs;
  for (int64_t at = 0; at < T; at += chunk) {
    const int64_t to = std::min(at + chunk, T);
    Tensor of_chunk = words.defined() ? words.slice(1, at, to) : words;
    read = one_chunk(slice(k, 1, at, to), slice(v, 1, at, to), w, bonus, of_chunk, read.state);
    outputs.push_back(read.output);
  }
  read.output = concat(outputs, 1);
  return read;
}

}  // namespace heed::nn
