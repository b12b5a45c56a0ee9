#include <fmt/format.h>

#include "nn/attention/scores/additive.h"
#include "nn/attention/scores/cosine.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/scores/general.h"
#include "nn/attention/scores/location.h"
#include "nn/attention/scores/reduced_rank.h"

namespace heed::nn {

std::unique_ptr<Score> make_score(const ScoreOptions& o, Generator& rng) {
  if (o.name == "dot") return std::make_unique<DotScore>(o, rng);
  if (o.name == "scaled_dot") return std::make_unique<ScaledDotScore>(o, rng);
  if (o.name == "general") return std::make_unique<GeneralScore>(o, rng);
  if (o.name == "concat") return std::make_unique<ConcatScore>(o, rng);
  if (o.name == "additive") return std::make_unique<AdditiveScore>(o, rng);
  if (o.name == "reduced_rank") return std::make_unique<ReducedRankScore>(o, rng);
  if (o.name == "cosine") return std::make_unique<CosineScore>(o, rng);
  if (o.name == "location") return std::make_unique<LocationScore>(o, rng);
  throw ValueError(
      fmt::format("attention: no score of this name; got `{}`; there are dot, scaled_dot, general, concat, "
                  "additive, reduced_rank, cosine, location",
                  o.name));
}

}  // namespace heed::nn
