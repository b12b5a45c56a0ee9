// The list of the scores. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/scores/additive.h"
#include "nn/attention/scores/biaffine.h"
#include "nn/attention/scores/concat.h"
#include "nn/attention/scores/cosine.h"
#include "nn/attention/scores/dot.h"
#include "nn/attention/scores/gat.h"
#include "nn/attention/scores/gatv2.h"
#include "nn/attention/scores/gaussian.h"
#include "nn/attention/scores/gaussian_mixture.h"
#include "nn/attention/scores/general.h"
#include "nn/attention/scores/location.h"
#include "nn/attention/scores/location_aware.h"
#include "nn/attention/scores/normed_additive.h"
#include "nn/attention/scores/reduced_rank.h"
#include "nn/attention/scores/synthesizer_dense.h"
#include "nn/attention/scores/synthesizer_random.h"
#include "nn/attention/scores/trilinear.h"

namespace heed::nn {

std::vector<CatalogueEntry> score_entries() {
  return {
      described<DotScore>(),           described<ScaledDotScore>(),
      described<GeneralScore>(),       described<ConcatScore>(),
      described<AdditiveScore>(),      described<ReducedRankScore>(),
      described<CosineScore>(),        described<LocationScore>(),
      described<LocationAwareScore>(), described<GaussianMixtureScore>(),
      described<GaussianScore>(),      described<TrilinearScore>(),
      described<BiaffineScore>(),      described<GatScore>(),
      described<Gatv2Score>(),         described<DenseSynthesizer>(),
      described<RandomSynthesizer>(),  described<NormedAdditiveScore>(),
  };
}

}  // namespace heed::nn
