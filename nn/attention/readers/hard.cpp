#include "nn/attention/readers/hard.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

// Draws key s with probability w_s, and never a key of weight 0: the result is the first s whose cumulative weight is
// greater than u times the row's sum, with u uniform in [0, 1).
Tensor draw(const Tensor& weights, Generator& rng) {
  int64_t B = weights.size(0), T = weights.size(1), S = weights.size(2);
  Tensor w = weights.to(DType::f64).contiguous(), u = Tensor::uniform({B, T}, rng, 0, 1, DType::f64);
  Tensor chosen = Tensor::empty({B, T}, DType::i64);
  for (int64_t row = 0; row < B * T; ++row) {
    const double* p = w.data<double>() + row * S;
    double total = 0, passed = 0;
    for (int64_t s = 0; s < S; ++s) total += p[s];
    int64_t z = 0;
    for (int64_t s = 0; s < S && passed <= u.data<double>()[row] * total; ++s) {
      if (p[s] == 0) continue;
      passed += p[s];
      z = s;
    }
    chosen.data<int64_t>()[row] = z;
  }
  return chosen;
}

// -sum_s w_s log w_s, with 0 log 0 = 0: [B, T, S] -> [B, T]
Variable entropy_of(const Variable& weights) {
  return -sum(weights * log(masked_fill(weights, equal(weights.value(), 0), 1)), {-1});
}

void check(const Variable& weights, const Variable& values) {
  if (weights.rank() != 3 || values.rank() != 3 || weights.size(0) != values.size(0) ||
      weights.size(2) != values.size(1))
    throw ShapeError(fmt::format("hard attention: needs weights [B, T, S] and values [B, S, D]; got {} and {}",
                                 to_string(weights.shape()), to_string(values.shape())));
  for (double total : sum(weights.value(), {-1}).to_vector())
    if (total != 0 && !(std::abs(total - 1) < 1e-3))
      throw ValueError(fmt::format("hard attention: needs rows that sum to 1, or to 0; got {:.4g}", total));
}

}  // namespace

HardRead read_chosen(const Variable& weights, const Variable& values, const Tensor& chosen) {
  check(weights, values);
  Shape wanted{weights.size(0), weights.size(1)};
  if (!(chosen.shape() == wanted))
    throw ShapeError(fmt::format("hard attention: needs a choice for each query, [B, T]; got {} and weights {}",
                                 to_string(chosen.shape()), to_string(weights.shape())));
  DType dtype = weights.dtype();
  Tensor something = greater(sum(weights.value(), {-1}, true), 0);                  // [B, T, 1]
  Tensor read = mul(one_hot(chosen, weights.size(2), dtype), something.to(dtype));  // [B, T, S]
  Variable w_z = squeeze(gather(weights, chosen.unsqueeze(-1)), -1);                // [B, T]
  Variable log_w_z = log(masked_fill(w_z, logical_not(something.squeeze(-1)), 1));  // [B, T]
  return {matmul(Variable(read), values), Variable(read), log_w_z, entropy_of(weights), chosen};
}

HardReader::HardReader(const Options& o, Generator& seeds) : options(o), rng(seeds.next_u32()) {
  if (!(o.soft >= 0 && o.soft <= 1))
    throw ValueError(fmt::format("hard attention: the share that reads softly must lie in [0, 1]; got {}", o.soft));
}

HardRead HardReader::operator()(const Variable& weights, const Variable& values) const {
  Call call(*this);
  check(weights, values);
  Tensor chosen = trains() ? draw(weights.value(), rng) : argmax(weights.value(), -1);
  HardRead seen = read_chosen(weights, values, chosen);
  if (trains() && options.soft > 0) {
    Tensor softly = less(Tensor::uniform({weights.size(0), 1}, rng, 0, 1, DType::f64), options.soft);  // [B, 1]
    seen.context = where(softly.unsqueeze(-1), matmul(weights, values), seen.context);
    seen.weights = where(softly.unsqueeze(-1), weights, seen.weights);
    seen.log_probability = masked_fill(seen.log_probability, softly, 0);
  }
  seen.context = call.result("context", seen.context);
  return seen;
}

Reinforce::Reinforce(const Options& o, Generator&) : options(o) {
  if (!(o.decay >= 0 && o.decay < 1))
    throw ValueError(fmt::format("reinforce: the decay of the baseline must lie in [0, 1); got {}", o.decay));
}

Variable Reinforce::operator()(const Variable& log_likelihood, const Variable& log_probability,
                               const Variable& entropy) {
  Call call(*this);
  if (log_likelihood.rank() != 1 || log_probability.rank() != 2 || !(entropy.shape() == log_probability.shape()) ||
      log_probability.size(0) != log_likelihood.size(0))
    throw ShapeError(
        fmt::format("reinforce: needs the log-likelihood [B] and, of its choices, log-probability and entropy [B, T]; "
                    "got {}, {} and {}",
                    to_string(log_likelihood.shape()), to_string(log_probability.shape()), to_string(entropy.shape())));
  double b = baseline.item();
  Variable reward = (log_likelihood.detach() - b) * options.reward;  // detached: the reward counts as a constant
  Variable gain = log_likelihood + reward * sum(log_probability, {1}) + options.entropy * sum(entropy, {1});
  if (trains()) {
    double latest = mean(log_likelihood.detach()).item();
    baseline = Tensor::scalar(options.decay * b + (1 - options.decay) * latest, baseline.dtype());
  }
  return call.result("loss", -mean(gain));
}

HardAttention::HardAttention(const StageOptions& o, Generator& rng) : HardAttention(o.settings.as<Settings>(), rng) {}

HardAttention::HardAttention(const Settings& s, Generator& rng)
    : reader({.soft = s.soft}, rng), rule({.reward = s.reward, .entropy = s.entropy, .decay = s.decay}, rng) {}

HardRead HardAttention::operator()(const Variable& weights, const Variable& values) const {
  return reader(weights, values);
}

Variable HardAttention::penalty(const Variable& log_likelihood, const Variable& log_probability,
                                const Variable& entropy) const {
  Variable known = log_likelihood.detach();  // the loss of the model has its gradient already
  return rule(known, log_probability, entropy) + mean(known);
}

}  // namespace heed::nn
