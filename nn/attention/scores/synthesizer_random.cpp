#include "nn/attention/scores/synthesizer_random.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {

RandomSynthesizer::RandomSynthesizer(const Options& o, Generator& rng) {
  int64_t N = o.settings.as<Settings>().max_source;
  table = uniform_parameter({o.heads, N, N}, N, rng);
}

Variable RandomSynthesizer::scores(const Variable& query, const Variable& keys, StageContext& context) const {
  int64_t T = query.size(-2), S = keys.size(-2), N = table.size(1), first = context.places.first_query;
  if (S > N || first + T > N)
    throw ShapeError(
        fmt::format("synthesizer_random: there is a row and a column for each of {} positions; got {} queries from {} "
                    "and a source of {}; hint: synthesizer_random:max_source={}",
                    N, T, first, S, std::max(S, first + T)));
  Variable rows = slice(slice(table, 1, first, first + T), 2, 0, S);  // [H, T, S]
  Shape all = query.shape();
  all[all.rank() - 1] = S;
  return contiguous(expand(rows, all));
}

}  // namespace heed::nn
