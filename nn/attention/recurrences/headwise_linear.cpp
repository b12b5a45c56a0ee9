#include "nn/attention/recurrences/headwise_linear.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/mixers/heads.h"
#include "nn/init.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

Shape block_shape(const HeadwiseLinear::Options& o) {
  if (o.blocks < 1 || o.features % o.blocks != 0)
    throw ValueError(
        fmt::format("HeadwiseLinear: the features must be a multiple of the blocks; got {} features and "
                    "{} blocks",
                    o.features, o.blocks));
  return {o.blocks, o.features / o.blocks, o.features / o.blocks};
}

}  // namespace

HeadwiseLinear::HeadwiseLinear(const Options& o, Generator& rng)
    : options(o), weight(normal_parameter(block_shape(o), o.std, rng)) {}

Variable HeadwiseLinear::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("output", join_heads(matmul(split_heads(x, options.blocks), transpose(weight, 1, 2))));
}

}  // namespace heed::nn
