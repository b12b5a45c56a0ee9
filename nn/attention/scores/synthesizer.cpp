#include "nn/attention/scores/synthesizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/attention/scores/gat.h"
#include "nn/init.h"

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
