#include "nn/attention/scores/cosine.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/dot.h"
#include "nn/init.h"
#include "nn/norm.h"

namespace heed::nn {
namespace {
constexpr double kEpsilon = 1e-6;
}  // namespace

CosineScore::CosineScore(const Options& o, Generator&) : options(completed_stage(Kind::score, o, "cosine")) {
  if (o.query != o.key || o.key < 1)
    throw ShapeError(fmt::format("cosine: queries and keys must have one width; got {} and {}", o.query, o.key));
  raw_beta = full_parameter({}, std::log(std::expm1(options.settings.as<Settings>().sharpness)));
}

Variable CosineScore::beta() const { return softplus(raw_beta); }

Variable CosineScore::scores(const Variable& q, const Variable& keys, StageContext&) const {
  Cosine cosine(q, keys);
  return cosine.of(beta() * inner_products(cosine.a, cosine.b), kEpsilon);
}

}  // namespace heed::nn
