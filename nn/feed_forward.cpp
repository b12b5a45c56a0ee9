#include "nn/feed_forward.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

const std::string& known(const std::string& activation) {
  for (const char* name : {"relu", "gelu", "geglu", "swiglu"})
    if (activation == name) return activation;
  throw ValueError(fmt::format("FeedForward: no activation of this name; got `{}`; there are relu, gelu, geglu, swiglu",
                               activation));
}

// Glorot initialisation of the weights and zero biases, as in PyTorch's nn.Transformer.
void begin_plain(Linear& layer, Generator& rng) {
  layer.weight = xavier_parameter(layer.weight.shape(), rng);
  layer.bias = zeros_parameter(layer.bias.shape());
}

}  // namespace

bool is_gated(const std::string& activation) { return known(activation).ends_with("glu"); }

FeedForward::FeedForward(const Options& o, Generator& rng)
    : options(o),
      linear1({.in = o.model, .out = is_gated(o.activation) ? 2 * o.inner : o.inner}, rng),
      linear2({.in = o.inner, .out = o.model}, rng),
      dropout({.p = o.dropout}, rng) {
  begin_plain(linear1, rng);
  begin_plain(linear2, rng);
}

Variable FeedForward::operator()(const Variable& x) const {
  Call call(*this);
  Variable h = linear1(x);  // [.., F], or [.., 2 F]
  if (options.activation == "relu") {
    h = relu(h);
  } else if (options.activation == "gelu") {
    h = gelu(h);
  } else {
    auto halves = split(h, {options.inner, options.inner}, -1);
    h = (options.activation == "geglu" ? gelu(halves[0]) : silu(halves[0])) * halves[1];
  }
  return call.result("output", linear2(dropout(h)));
}

}  // namespace heed::nn
