#include "nn/attention/mixers/rows_mixer.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/registry.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

Variable in_parts(const Variable& x, int64_t parts) {
  return reshape(x, {x.size(0), x.size(1), parts, x.size(2) / parts});
}

RowsMixer::RowsMixer(const MixerOptions& o, const char* name) : options(completed_stage(Kind::mixer, o, name)) {}

Linear RowsMixer::bare_layer(int64_t in, int64_t out, Generator& rng) {
  return Linear({.in = in, .out = out, .bias = false}, rng);
}

Tensor places_of_queries(const Places& p) {
  if (p.query_at.defined()) return p.query_at.contiguous();
  Tensor at = Tensor::empty({1, p.queries}, DType::i64);
  for (int64_t t = 0; t < p.queries; ++t) at.data<int64_t>()[t] = p.first_query + t;
  return at;
}

Mixed RowsMixer::read(const Variable& x, const Variable& rows, const Places& p, const MixerInput& in) const {
  const int64_t n = p.queries, S = p.keys, H = options.heads;
  const Tensor at = places_of_queries(p);
  Tensor allowed = Tensor::empty({at.size(0), 1, n, S}, DType::boolean);
  for (int64_t i = 0; i < at.count(); ++i) {  // the new words are the last n of the rows
    const int64_t query = at.data<int64_t>()[i], key = query - (S - n + i % n);
    for (int64_t s = 0; s < S; ++s) allowed.data<bool>()[i * S + s] = reads(query, key + s);
  }
  if (in.words.defined()) allowed = both(in.words.unsqueeze(1).unsqueeze(1), allowed);  // [B, 1, n, S]
  const HeadMemory memory = keys_of(rows);
  Variable scores = matmul(queries_of(x, p), transpose(for_heads(memory.keys, H), -2, -1));  // [B, H, n, S]
  const Attended seen = attend(scores, for_heads(memory.values, H), allowed);
  return {output_of(seen.context), in.weights ? seen.weights : Variable()};
}

Mixed RowsMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const Variable words = words_only(x, in.words);
  const Places places{.queries = x.size(1), .keys = x.size(1)};  // they begin with a word
  Mixed seen = read(words, rows_of(words, places), places, in);
  return {call.result("output", seen.output), seen.weights};
}

Mixed RowsMixer::continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  auto* kept = dynamic_cast<LatentMemory*>(&memory);
  if (!kept)
    throw ValueError(
        fmt::format("{}: it keeps a row for each word; got another memory; hint: memory() makes one", options.name));
  Call call(*this);
  const int64_t n = x.size(1), first = kept->words(), S = first + n;
  Places places{.queries = n, .keys = S, .first_query = first};
  if (in.words.defined()) places = from_first_words(places, in.words, n);
  const Variable words = words_only(x, in.words.defined() ? in.words.slice(1, first, S) : Tensor());
  kept->append({unsqueeze(rows_of(words, places), 1), {}});
  Mixed seen = read(words, squeeze(kept->rows(), 1), places, in);
  return {call.result("output", seen.output), seen.weights};
}

}  // namespace heed::nn
