#include "nn/attention/mixers/moba.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

Tensor MobaMixer::chosen(const OwnHeads& h) const {
  const int64_t C = settings.block, T = h.k.size(2), K = h.k.size(3), J = (T + C - 1) / C;
  const Shape heads{h.k.size(0), h.k.size(1)};
  Tensor k = h.k.value(), one = Tensor::ones({1, 1, T, 1}, k.dtype());
  if (h.words.defined()) one = h.words.to(k.dtype()).unsqueeze(1).unsqueeze(-1);  // [B, 1, T, 1]
  auto by_block = [&](const Tensor& y, int64_t features) {                        // sums over the words of each block
    Tensor whole = pad(y, {{.axis = 2, .after = J * C - T}}).contiguous();
    return sum(whole.reshape({y.size(0), y.size(1), J, C, features}), {3});
  };
  Tensor count = by_block(one, 1);  // [B, 1, J, 1]
  Tensor means = div(by_block(mul(k, one), K), maximum(count, Tensor::ones({1}, k.dtype())));
  Tensor gate = matmul(h.q.value().contiguous(), means.transpose(-2, -1).contiguous());  // [B, H, T, J]
  gate = masked_fill(gate, equal(count, 0).transpose(-2, -1), -INFINITY);                // padding alone
  Tensor own = Tensor::zeros({T, J}, DType::boolean), later = own.clone();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t j = t / C; j < J; ++j) (j == t / C ? own : later).set({t, j}, 1);
  if (options.causal) gate = masked_fill(gate, later, -INFINITY);
  gate = masked_fill(gate, own, INFINITY);
  Tensor best = argtopk(gate, std::min(settings.selected, J), -1);         // [B, H, T, n]
  Tensor read = sum(one_hot(best, J), {3}).unsqueeze(-1);                  // [B, H, T, J, 1] of 0 and 1
  Tensor words = read.expand({heads[0], heads[1], T, J, C}).contiguous();  // the same for all words of a block
  return greater(words.reshape({heads[0], heads[1], T, J * C}).slice(3, 0, T).contiguous(), 0);
}

Attended MobaMixer::read(const OwnHeads& h) const { return attend(h.scores(), h.v, both(chosen(h), h.allowed)); }

}  // namespace heed::nn
