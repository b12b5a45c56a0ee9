#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "nn/attention/normalisers/hard.h"
#include "nn/attention/normalisers/softmax.h"

namespace heed::nn {

SoftmaxNormaliser::SoftmaxNormaliser(const Options& o, Generator&) : options(o) {}
Variable SoftmaxNormaliser::operator()(const Variable& scores) const {
  Call call(*this);
  return call.result("weights", softmax(scores, -1));
}

std::unique_ptr<Normaliser> make_normaliser(const NormaliserOptions& o, Generator& rng) {
  if (o.name == "softmax") return std::make_unique<SoftmaxNormaliser>(o, rng);
  if (o.name == "argmax") return std::make_unique<ArgmaxNormaliser>(o, rng);
  if (o.name == "gumbel") return std::make_unique<GumbelNormaliser>(o, rng);
  throw ValueError(
      fmt::format("attention: no normaliser of this name; got `{}`; there are softmax, argmax, gumbel", o.name));
}

}  // namespace heed::nn
