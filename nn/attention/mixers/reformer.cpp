#include "nn/attention/mixers/reformer.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

constexpr double kLeast = 1e-12;  // the length of a query without one

Tensor along_rows(const Tensor& index, int64_t K) {  // [B, H, N] -> [B, H, N, K]
  return index.unsqueeze(-1).expand({index.size(0), index.size(1), index.size(2), K}).contiguous();
}

// x [B, H, N, K] in the order of `index` [B, H, N].
Variable rows_in_order(const Variable& x, const Tensor& index) { return gather(x, 2, along_rows(index, x.size(3))); }

// A row of N places [B, H, N, ..] in chunks of m: [B, H, C, m, ..].
template <class X>
Shape in_chunks(const X& x, int64_t m) {
  Shape shape{x.size(0), x.size(1), x.size(2) / m, m};
  if (x.rank() == 4) shape = {x.size(0), x.size(1), x.size(2) / m, m, x.size(3)};
  return shape;
}
// The chunk before each chunk, and the chunk itself: [B, H, C, m, ..] -> [B, H, C, 2 m, ..]. Before the first: `none`.
template <class X>
X with_one_back(const X& x, double none = 0) {
  return concat({pad(x, {{.axis = 2, .before = 1, .after = -1}}, none), x}, 3);
}

struct Pairs {  // of one round, for each word and the words that it may see, [B, H, C, m, 2 m]
  Tensor seen;  // the same bucket and words both, not itself
  Tensor self;  // itself
};

struct Sight {
  int64_t m;
  std::vector<LshRound> rounds;
  Tensor words;  // i64 [B, H, N]: 1 for a word

  Tensor sorted(const Tensor& x, const LshRound& r) const { return gather(x, 2, r.order); }
  Tensor queries(const Tensor& x) const { return x.reshape(in_chunks(x, m)).unsqueeze(-1); }
  Tensor keys(const Tensor& x) const {
    return with_one_back(x.reshape(in_chunks(x, m)), -1).unsqueeze(3);  // [B, H, C, 1, 2 m]
  }
  Tensor chunk(const LshRound& r) const { return floor(div(r.place.to(DType::f64), static_cast<double>(m))); }
  // The pairs of round `at` that see each other in round `other`.
  Tensor in_round(const LshRound& at, const LshRound& other) const {
    Tensor bucket = sorted(other.bucket, at), place = sorted(chunk(other), at);
    Tensor back = sub(queries(place), keys(place));  // 0: the same chunk; 1: the one before
    return logical_and(equal(queries(bucket), keys(bucket)), logical_and(greater_equal(back, 0), less_equal(back, 1)));
  }
  Pairs pairs(const LshRound& at) const {
    Tensor word = sorted(words, at);
    Tensor self = equal(queries(at.order), keys(at.order));
    Tensor seen = logical_and(in_round(at, at), greater(mul(queries(word), keys(word)), 0));
    return {logical_and(seen, logical_not(self)), logical_and(self, seen)};
  }
  // How many rounds show the pair, at least 1.
  Tensor times(const LshRound& at, DType dtype) const {
    Tensor count;
    for (const LshRound& other : rounds) {
      Tensor one = in_round(at, other).to(dtype);
      count = count.defined() ? add(count, one) : one;
    }
    return maximum(count, Tensor::ones({1}, dtype));
  }
  // i64 [B, H, N]: 1 for a word that sees no other in any round.
  Tensor alone() const {
    Tensor any;
    for (const LshRound& r : rounds) {
      Tensor some = amax(pairs(r).seen.to(DType::i64), {-1});
      Tensor here = gather(some.reshape(r.order.shape()), 2, r.place);
      any = any.defined() ? maximum(any, here) : here;
    }
    return sub(Tensor::ones(any.shape(), DType::i64), any);
  }
};

}  // namespace

LshRound lsh_round(const Tensor& bucket) {
  Tensor order = argsort(bucket, -1);
  return {bucket, order, argsort(order, -1)};
}

ReformerMixer::ReformerMixer(const MixerOptions& o, Generator& rng)
    : options(completed_stage(Kind::mixer, o, "reformer")),
      settings(options.settings.as<Settings>()),
      qk_proj({.in = options.heads * head_width(options), .out = o.query}, rng),
      v_proj({.in = o.query, .out = o.query}, rng),
      out_proj({.in = o.query, .out = o.query}, rng) {
  require_not_causal(options, "a later word moves the chunks in which earlier ones are");
  const int64_t half = settings.directions, K = o.query / o.heads;
  if (half > 0) directions = init::normal({settings.rounds, o.heads, K, half}, rng);
}

Mixed ReformerMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t B = x.size(0), T = x.size(1), H = options.heads, K = x.size(2) / H;
  const int64_t m = std::min(settings.chunk, T), N = (T + m - 1) / m * m;
  Tensor words = pad(word_factors(x, in.words), {{.axis = 1, .after = N - T}}).to(DType::i64);  // [B, N]
  auto whole = [&](const Variable& y) {
    return split_heads(pad(words_only(y, in.words), {{.axis = 1, .after = N - T}}), H);
  };
  Variable q = whole(qk_proj(x)), v = whole(v_proj(x));  // [B, H, N, K]
  Variable k = q / clamp(norm(q, 2, {-1}, true), kLeast, HUGE_VAL);

  Sight sight{.m = m, .rounds = {}, .words = words.unsqueeze(1).expand({B, H, N}).contiguous()};
  const Tensor last = Tensor::full({1}, 1e6, DType::i64);  // the bucket of padding: behind all others
  for (int64_t r = 0; r < settings.rounds; ++r) {
    Tensor bucket = Tensor::zeros({B, H, N}, DType::i64);
    if (directions.defined()) {
      Tensor along = matmul(q.value().contiguous(), directions.select(0, r).to(q.dtype()).contiguous());
      bucket = argmax(concat({along, neg(along)}, -1), -1);
    }
    sight.rounds.push_back(lsh_round(where(greater(sight.words, 0), bucket, last)));
  }

  const Tensor alone = sight.alone();
  std::vector<Variable> contexts, sizes;
  for (const LshRound& round : sight.rounds) {
    Variable sorted_q = rows_in_order(q, round.order), sorted_k = rows_in_order(k, round.order);
    Variable sorted_v = rows_in_order(v, round.order);
    auto chunks = [&](const Variable& y) { return reshape(y, in_chunks(y, m)); };
    Variable scores = scaled_scores(chunks(sorted_q), with_one_back(chunks(sorted_k)));  // [B, H, C, m, 2 m]
    Pairs pairs = sight.pairs(round);
    Tensor lonely = greater(sight.queries(sight.sorted(alone, round)), 0);
    Tensor allowed = logical_or(pairs.seen, logical_and(pairs.self, lonely));
    scores = scores - Variable(log(sight.times(round, x.dtype())));
    scores = masked_fill(scores, logical_not(allowed), -HUGE_VAL);
    Variable context = matmul(softmax(scores), with_one_back(chunks(sorted_v)));
    Variable size = logsumexp(scores, {-1}, true);
    contexts.push_back(rows_in_order(reshape(context, {B, H, N, K}), round.place));
    sizes.push_back(rows_in_order(reshape(size, {B, H, N, 1}), round.place));
  }
  Variable share = softmax(stack(sizes, 0), 0);  // [n, B, H, N, 1]
  Variable merged = sum(share * stack(contexts, 0), {0});
  return {call.result("output", out_proj(join_heads(slice(merged, 2, 0, T))))};
}

}  // namespace heed::nn
