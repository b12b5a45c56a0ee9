#include "nn/attention/mixers/latent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/rope.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

const MixerOptions& checked(const MixerOptions& o) {
  if (o.heads < 1 || o.query % o.heads != 0)
    throw ValueError(
        fmt::format("latent: the heads must divide the width of the model; got {} heads of {}", o.heads, o.query));
  return o;
}

LatentHeads::Sizes checked(LatentHeads::Sizes s, const MixerOptions& o) {
  if (s.rope % 2 != 0)
    throw ValueError(fmt::format("latent: the shared rotary key must have an even width, or 0; got {}", s.rope));
  if (s.rank == 0) s.rank = std::max<int64_t>(1, o.query / 2);
  return s;
}

LatentHeads::Sizes sizes_of(const MixerOptions& o) {
  const auto s = completed_stage(Kind::mixer, o, "latent").settings.as<LatentMixer::Settings>();
  return {s.rank, s.rope, s.query_rank, s.absorb != 0, false};
}

AttentionOptions stages_of(const MixerOptions& o, int64_t rope) {
  AttentionOptions stages{.score = {.name = "dot"}};  // the queries are divided by sqrt(K + R)
  stages.score.query = stages.score.key = o.query / o.heads + rope, stages.score.heads = o.heads;
  if (o.causal) stages.scope.name = default_stage(Kind::scope, Role::causal);
  return stages;
}

// [B, T, H K] -> [B, T, H, K]
Variable heads(const Variable& x, int64_t H) { return reshape(x, {x.size(0), x.size(1), H, x.size(2) / H}); }

}  // namespace

LatentMixer::LatentMixer(const MixerOptions& o, Generator& rng)
    : LatentHeads(completed_stage(Kind::mixer, o, "latent"), sizes_of(o), rng) {}

LatentHeads::LatentHeads(const MixerOptions& o, const Sizes& s, Generator& rng)
    : options(checked(o)),
      sizes(checked(s, o)),
      rank(sizes.rank),
      rope(sizes.rope),
      kv_down({.in = o.query, .out = rank + rope, .bias = false}, rng),
      up_keys(xavier_parameter({rank, o.query}, rng)),
      up_values(xavier_parameter({rank, o.query}, rng)),
      q_up({.in = s.query_rank ? s.query_rank : o.query, .out = o.query + o.heads * rope, .bias = false}, rng),
      out_proj({.in = o.query, .out = o.query, .bias = false}, rng),
      attention_("latent", stages_of(options, rope), rng, false) {
  const int64_t narrow = s.query_rank;
  if (narrow) q_down.emplace(Linear::Options{.in = o.query, .out = narrow, .bias = false}, rng);
  if (s.normed) kv_norm.emplace(RMSNorm::Options{.shape = {rank}, .eps = 1e-6}, rng);
  if (s.normed && narrow) q_norm.emplace(RMSNorm::Options{.shape = {narrow}, .eps = 1e-6}, rng);
}

Variable LatentHeads::turned(const Variable& x, int64_t first) const {
  return rotate_pairs(x, {.layout = sizes.normed ? RopeLayout::interleaved : RopeLayout::halves, .first = first});
}

Variable LatentHeads::rows_of(const Variable& x, int64_t first) const {
  Variable both = kv_down(x), c = slice(both, -1, 0, rank);
  if (kv_norm) c = (*kv_norm)(c);
  if (rope == 0) return c;
  return concat({c, squeeze(turned(unsqueeze(slice(both, -1, rank, rank + rope), 2), first), 2)}, -1);
}

Variable LatentHeads::queries_of(const Variable& x, int64_t first, bool absorb) const {
  int64_t H = options.heads, K = options.query / H;
  Variable narrow = q_down ? (*q_down)(x) : x;
  if (q_norm) narrow = (*q_norm)(narrow);
  Variable q = heads(q_up(narrow), H), content = slice(q, -1, 0, K);                // [B, T, H, K + R]
  if (absorb) {                                                                     // q W_uk^T, head by head
    Variable up = permute(reshape(up_keys, {rank, H, K}), {1, 2, 0});               // [H, K, r]
    content = transpose(matmul(transpose(content, 1, 2), unsqueeze(up, 0)), 1, 2);  // [B, T, H, r]
  }
  if (rope > 0) content = concat({content, turned(slice(q, -1, K, K + rope), first)}, -1);
  return content / std::sqrt(static_cast<double>(K + rope));
}

Mixed LatentHeads::read(const Variable& queries, const HeadMemory& memory, const MixerInput& in, int64_t first,
                        bool absorbed) const {
  int64_t B = queries.size(0), T = queries.size(1), H = options.heads, K = options.query / H;
  StageContext context{.places = {.first_query = first}};
  Tensor allowed = in.words.defined() ? in.words.unsqueeze(1).unsqueeze(1) : Tensor();
  Attended seen = attention_.attend_to(
      queries, {.keys = memory.keys, .values = memory.values, .allowed = allowed, .weights = in.weights, .clean = true},
      context);
  Variable c = seen.context;  // [B, H, T, K] or [B, H, T, r]
  if (absorbed) c = matmul(c, unsqueeze(permute(reshape(up_values, {rank, H, K}), {1, 0, 2}), 0));
  return {out_proj(reshape(transpose(c, 1, 2), {B, T, options.query})), in.weights ? seen.weights : Variable()};
}

Mixed LatentHeads::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  Variable words = words_only(x, in.words);
  LatentMemory all(up_keys, up_values, options.heads, rope);
  all.append({unsqueeze(rows_of(words, 0), 1), {}});
  Mixed seen = read(queries_of(words, 0, false), all.view(), in, 0, false);
  return {call.result("output", seen.output), seen.weights};
}

std::unique_ptr<AttentionMemory> LatentHeads::memory() const {
  return std::make_unique<LatentMemory>(up_keys, up_values, options.heads, rope);
}

Mixed LatentHeads::continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const {
  auto* kept = dynamic_cast<LatentMemory*>(&memory);
  if (!kept)
    throw ValueError("latent: it reads from narrow rows of its own; got another memory; hint: memory() makes one");
  Call call(*this);
  int64_t first = kept->words(), S = first + x.size(1);
  Variable words = words_only(x, in.words.defined() ? in.words.slice(1, first, S) : Tensor());
  kept->append({unsqueeze(rows_of(words, first), 1), {}});
  bool absorb = sizes.absorb;
  HeadMemory keys = absorb ? HeadMemory{kept->rows(), slice(kept->rows(), -1, 0, rank)}  // [B, 1, S, r + R] and r
                           : kept->view();
  Mixed seen = read(queries_of(words, first, absorb), keys, in, first, absorb);
  return {call.result("output", seen.output), seen.weights};
}

}  // namespace heed::nn
