#include "nn/attention/scores/location.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

LocationScore::LocationScore(const Options& o, Generator& rng) : options(completed_stage(Kind::score, o, "location")) {
  weight = uniform_parameter({options.settings.as<Settings>().max_source, o.query}, o.query, rng);
}

Variable LocationScore::scores(const Variable& query, const Variable& keys, StageContext&) const {
  int64_t S = keys.size(-2);
  if (S > weight.size(0))
    throw ShapeError(fmt::format(
        "location: the table has a row for each of {} positions; got a source of {}; hint: location:max_source={}",
        weight.size(0), S, S));
  return linear(query, slice(weight, 0, 0, S), {});
}

}  // namespace heed::nn
