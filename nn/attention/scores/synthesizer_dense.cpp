#include "nn/attention/scores/synthesizer_dense.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {

DenseSynthesizer::DenseSynthesizer(const Options& o, Generator& rng)
    : hidden({.in = o.query, .out = width_or(o.settings.as<Settings>().width, o)}, rng),
      places({.in = width_or(o.settings.as<Settings>().width, o), .out = o.settings.as<Settings>().max_source}, rng) {}

Variable DenseSynthesizer::scores(const Variable& query, const Variable& keys, StageContext&) const {
  int64_t S = keys.size(-2), N = places.weight.size(0);
  if (S > N)
    throw ShapeError(
        fmt::format("synthesizer_dense: there is a score for each of {} positions; got a source of {}; hint: "
                    "synthesizer_dense:max_source={}",
                    N, S, S));
  return slice(places(relu(hidden(query))), -1, 0, S);
}

}  // namespace heed::nn
