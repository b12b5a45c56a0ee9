#include "nn/pooling/multi_head_pooling.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/padding.h"

namespace heed::nn {
namespace {

MultiHeadPoolingOptions checked(MultiHeadPoolingOptions o) {
  if (o.seeds < 1) throw ValueError(fmt::format("MultiHeadPooling: seeds must be at least 1; got {}", o.seeds));
  if (o.feedforward == 0) o.feedforward = o.model;
  return o;
}

}  // namespace

MultiHeadPooling::MultiHeadPooling(const Options& o, Generator& rng)
    : options(checked(o)),
      seeds(xavier_parameter({o.seeds, o.model}, rng)),
      before_in({.in = o.model, .out = options.feedforward}, rng),
      before_out({.in = options.feedforward, .out = o.model}, rng),
      attention({.model = o.model, .heads = o.heads}, rng),
      first_norm({.shape = {o.model}}, rng),
      after_in({.in = o.model, .out = options.feedforward}, rng),
      after_out({.in = options.feedforward, .out = o.model}, rng),
      second_norm({.shape = {o.model}}, rng) {}

Attended MultiHeadPooling::operator()(const Variable& x_, const Tensor& words) const {
  Call call(*this);
  Variable x = without_padding(x_, words);
  Variable z = before_out(relu(before_in(x)));
  Variable questions = expand(unsqueeze(seeds, 0), {x.size(0), options.seeds, options.model});
  auto [read, weights] = attention(questions, z, z, {.words = words, .weights = true});
  Variable h = first_norm(questions + read);
  return {call.result("context", second_norm(h + after_out(relu(after_in(h))))), call.result("weights", weights)};
}

}  // namespace heed::nn
