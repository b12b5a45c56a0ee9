// The caches of the layers that decode with less memory: their bytes by formula, as the memory counts them, and by the
// numbers that it gives back. T words of B sentences in f32:
//
//   grouped  4 B T G (K + V)                 paged  4 B ceil(T / b) b G (K + V)
//   latent   4 B T (r + R)                   ring   4 B min(T, W + 1) G (K + V)
//
// B batch, G heads of keys and values, K = V width of a head, r and R the latent row and the rotary key, b words of a
// page, W words of the window.
#include "autograd/modes.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t kBatch = 2, kModel = 32, kHeads = 4, kGroups = 2, kWidth = kModel / kHeads;

struct Bytes {
  int64_t counted = 0, held = 0;  // by the memory; of the numbers that it gives back
};

int64_t bytes_of(const Variable& x) { return 4 * x.value().count(); }

template <class Layer>
Bytes decoded(const Layer& layer, int64_t T) {
  NoGrad no_grad;
  auto memory = layer.memory();
  for (int64_t t = 0; t < T; ++t)
    layer.extend(Variable(random({kBatch, 1, kModel}, static_cast<uint64_t>(t + 1))), *memory, {});
  if (const auto* latent = dynamic_cast<const nn::LatentMemory*>(memory.get()))
    return {memory->bytes(), bytes_of(latent->rows())};
  const nn::HeadMemory kept = memory->view();
  return {memory->bytes(), bytes_of(kept.keys) + bytes_of(kept.values)};
}

nn::MultiHeadAttention layer_of(const std::string& scope, const std::string& evaluator) {
  Generator rng(1);
  nn::MultiHeadOptions o{.model = kModel, .heads = kHeads, .scope = nn::stage_from(nn::Kind::scope, scope)};
  o.kv_heads = kGroups;
  if (!evaluator.empty()) o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return nn::MultiHeadAttention(o, rng);
}

}  // namespace

TEST_CASE("cache bytes: grouped, latent, ring and paged layers keep what their formula says, at any length") {
  constexpr int64_t word = 4 * kBatch * kGroups * 2 * kWidth, window = 7, page = 16, r = 12, R = 4;
  auto grouped = layer_of("causal", ""), ring = layer_of("causal&window:7", ""), paged = layer_of("causal", "paged:16");
  nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, "latent:12,rope=4");
  o.query = o.key = kModel, o.heads = kHeads, o.causal = true;
  Generator rng(2);
  auto latent = nn::make_mixer(o, rng);
  for (int64_t T : {1, 5, 8, 16, 33, 48}) {
    CAPTURE(T);
    const Bytes g = decoded(grouped, T), l = decoded(*latent, T), n = decoded(ring, T), p = decoded(paged, T);
    CHECK(g.counted == T * word);
    CHECK(g.held == g.counted);
    CHECK(l.counted == 4 * kBatch * T * (r + R));
    CHECK(l.held == l.counted);
    CHECK(n.counted == std::min(T, window + 1) * word);
    CHECK(n.held == n.counted);
    CHECK(p.counted == (T + page - 1) / page * page * word);  // whole pages
    CHECK(p.held == T * word);
    if (T % page == 0) CHECK(p.held == p.counted);
  }
}
