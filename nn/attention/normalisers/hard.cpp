#include "nn/attention/normalisers/hard.h"

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

Tensor gumbel_noise(const Tensor& scores, Generator& rng) {
  Tensor u = Tensor::uniform(scores.shape(), rng, 1e-20, 1, DType::f64);  // never 0: log would not be finite
  return neg(log(neg(log(u)))).to(scores.dtype());
}

}  // namespace

// w = one_hot(argmax soft)         backward, the surrogate gradient: dsoft = dw
Variable straight_through(const Variable& soft, const Tensor& scores) {
  const Tensor& p = soft.value();
  Tensor chosen = one_hot(argmax(scores.defined() ? scores : p, -1), p.size(-1), p.dtype());
  Tensor nothing = equal(amax(p, {-1}, true), 0);  // rows without an allowed key
  return attach("straight_through", {soft}, where(nothing, Tensor::zeros({}, p.dtype()), chosen),
                [](Grads& g, const Variable& dy) { g.add(0, dy); });
}

ArgmaxNormaliser::ArgmaxNormaliser(const Options& o, Generator&)
    : temperature(completed_stage(Kind::normaliser, o, "argmax").settings.as<Settings>().temperature) {}

Variable ArgmaxNormaliser::weights(const Variable& scores, StageContext&) const {
  return straight_through(softmax(scores * (1 / temperature), -1), scores.value());
}

GumbelNormaliser::GumbelNormaliser(const Options& o, Generator& seeds)
    : temperature(completed_stage(Kind::normaliser, o, "gumbel").settings.as<Settings>().temperature),
      rng(seeds.next_u32()) {}

Variable GumbelNormaliser::weights(const Variable& scores, StageContext&) const {
  Variable noisy = trains() ? scores + Variable(gumbel_noise(scores.value(), rng)) : scores;
  return straight_through(softmax(noisy * (1 / temperature), -1), noisy.value());
}

}  // namespace heed::nn
