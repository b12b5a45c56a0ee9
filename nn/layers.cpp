#include "nn/layers.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/elementwise.h"

namespace heed::nn {

namespace {
// Zero inputs or outputs are a mistake in the sizes, and a layer with none would hide it.
int64_t width(const char* name, const char* what, int64_t n) {
  if (n < 1) throw ValueError(fmt::format("{}: {} must be at least 1; got {}", name, what, n));
  return n;
}
}  // namespace

Linear::Linear(const Options& o, Generator& rng)
    : options(o),
      weight(uniform_parameter({width("Linear", "out", o.out), width("Linear", "in", o.in)}, o.in, rng)),
      bias(o.bias ? uniform_parameter({o.out}, o.in, rng) : Variable()) {}
Variable Linear::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("output", linear(x, weight, bias));
}

Embedding::Embedding(const Options& o, Generator& rng)
    : options(o),
      weight(normal_parameter({width("Embedding", "vocabulary", o.vocabulary), width("Embedding", "width", o.width)},
                              o.std, rng)) {
  if (o.padding >= o.vocabulary)
    throw ValueError(
        fmt::format("Embedding: padding must be a row of the table; got {} of {} rows", o.padding, o.vocabulary));
  if (o.padding < 0) return;
  Tensor row = weight.value().select(0, o.padding);
  fill_into(row, 0);
}
Variable Embedding::operator()(const Tensor& ids) const {
  Call call(*this);
  return call.result("output", embedding(weight, ids, options.padding));
}

Dropout::Dropout(const Options& o, Generator& seeds) : options(o), rng(seeds.next_u32()) {
  if (!(o.p >= 0 && o.p <= 1)) throw ValueError(fmt::format("Dropout: p must lie in [0, 1]; got {}", o.p));
}
Variable Dropout::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("output", trains() && options.p > 0 ? dropout(x, options.p, rng) : x);
}

}  // namespace heed::nn
