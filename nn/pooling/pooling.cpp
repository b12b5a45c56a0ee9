#include "nn/pooling/pooling.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/pooling/pool.h"

namespace heed::nn {
namespace {

PoolingOptions checked(PoolingOptions o) {
  if (o.modes.empty()) throw ValueError("Pooling: needs at least one mode; got none");
  if (o.width < 1) throw ValueError(fmt::format("Pooling: width must be at least 1; got {}", o.width));
  o.score.key = o.width;
  if (o.score.query == 0) o.score.query = o.width;
  return o;
}

}  // namespace

Pooling::Pooling(const Options& o, Generator& rng) : options(checked(o)) {
  for (const std::string& mode : options.modes) {
    if (mode == "attention" && !attention)
      attention = std::make_unique<AttentionPooling>(AttentionPoolingOptions{.score = options.score}, rng);
    else if (mode != "max" && mode != "attention")
      pooling_weights(mode, Tensor::from_bools({1}, {1, 1}));  // throws for an unknown name
  }
}

Variable Pooling::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  if (x.rank() != 3 || x.size(2) != options.width)
    throw ShapeError(fmt::format("Pooling: needs x [B, S, {}]; got {}", options.width, to_string(x.shape())));
  std::vector<Variable> parts;
  for (const std::string& mode : options.modes)
    parts.push_back(mode == "attention" ? squeeze((*attention)(x, x, words).context, 1) : pool(mode, x, words));
  return call.result("output", parts.size() == 1 ? parts[0] : concat(parts, -1));
}

}  // namespace heed::nn
