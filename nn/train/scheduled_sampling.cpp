#include "nn/train/scheduled_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "tensor/reduce.h"

namespace heed::nn {

Variable scheduled_logits(const Seq2Seq& model, const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                          double truth, Generator& rng) {
  if (!(truth >= 0 && truth <= 1))
    throw ValueError(fmt::format("scheduled sampling: the share of true words must lie in [0, 1]; got {}", truth));
  auto [memory, state] = model.encode(source, lengths);
  OutputSource read = model.seen_by_output(source, lengths, memory);
  int64_t B = target_in.size(0), T = target_in.size(1);
  std::vector<Variable> logits;
  Tensor words = target_in.select(1, 0).clone();  // [B]: <s>
  for (int64_t t = 0; t < T; ++t) {
    if (t > 0) {
      Tensor own = argmax(logits.back().value(), -1), given = target_in.select(1, t).contiguous();  // [B]
      for (int64_t b = 0; b < B; ++b)
        words.data<int64_t>()[b] = rng.uniform() < truth ? given.data<int64_t>()[b] : own.data<int64_t>()[b];
    }
    Seq2Seq::Step s = model.step(model.embed_target(words.clone(), read), state, memory);
    state = s.state;
    logits.push_back(model.logits(s.features, state.alignment.weights, read));
  }
  return stack(logits, 1);
}

double linear_decay(int64_t step, double slope, double floor) {
  return std::max(floor, 1 - slope * static_cast<double>(step));
}

double inverse_sigmoid_decay(int64_t step, double k) { return k / (k + std::exp(static_cast<double>(step) / k)); }

}  // namespace heed::nn
