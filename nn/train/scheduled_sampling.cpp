#include "nn/train/scheduled_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "tensor/reduce.h"

namespace heed::nn {

Variable scheduled(const Tensor& target_in, double truth, Generator& rng,
                   const std::function<Variable(const Tensor& words)>& step) {
  if (!(truth >= 0 && truth <= 1))
    throw ValueError(fmt::format("scheduled sampling: the share of true words must lie in [0, 1]; got {}", truth));
  int64_t B = target_in.size(0), T = target_in.size(1);
  std::vector<Variable> logits;
  Tensor words = target_in.select(1, 0).clone();  // [B]: <s>
  for (int64_t t = 0; t < T; ++t) {
    if (t > 0) {
      Tensor own = argmax(logits.back().value(), -1), given = target_in.select(1, t).contiguous();  // [B]
      for (int64_t b = 0; b < B; ++b)
        words.data<int64_t>()[b] = rng.uniform() < truth ? given.data<int64_t>()[b] : own.data<int64_t>()[b];
    }
    logits.push_back(step(words.clone()));
  }
  return stack(logits, 1);
}

double linear_decay(int64_t step, double slope, double floor) {
  return std::max(floor, 1 - slope * static_cast<double>(step));
}

double inverse_sigmoid_decay(int64_t step, double k) { return k / (k + std::exp(static_cast<double>(step) / k)); }

}  // namespace heed::nn
