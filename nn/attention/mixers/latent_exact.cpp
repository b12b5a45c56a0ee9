#include "nn/attention/mixers/latent_exact.h"

#include <algorithm>

#include "nn/attention/registry.h"

namespace heed::nn {
namespace {

LatentHeads::Sizes exact_sizes(const MixerOptions& o) {
  const auto s = completed_stage(Kind::mixer, o, "latent_exact").settings.as<LatentExactMixer::Settings>();
  const int64_t queries = s.query_rank == 0 ? std::max<int64_t>(1, o.query / 2) : std::max<int64_t>(0, s.query_rank);
  return {s.rank, s.rope, queries, s.absorb != 0, true};
}

}  // namespace

LatentExactMixer::LatentExactMixer(const MixerOptions& o, Generator& rng)
    : LatentHeads(completed_stage(Kind::mixer, o, "latent_exact"), exact_sizes(o), rng) {}

}  // namespace heed::nn
