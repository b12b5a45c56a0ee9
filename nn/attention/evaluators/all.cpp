// The list of the evaluators, and what else makes attention cheaper. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/evaluators/chunked.h"
#include "nn/attention/evaluators/cosformer.h"
#include "nn/attention/evaluators/dense.h"
#include "nn/attention/evaluators/differential.h"
#include "nn/attention/evaluators/dpfp.h"
#include "nn/attention/evaluators/heavy_hitters.h"
#include "nn/attention/evaluators/hedgehog.h"
#include "nn/attention/evaluators/hyper_attention.h"
#include "nn/attention/evaluators/linear.h"
#include "nn/attention/evaluators/nystrom.h"
#include "nn/attention/evaluators/paged.h"
#include "nn/attention/evaluators/performer.h"
#include "nn/attention/evaluators/random_features.h"
#include "nn/attention/evaluators/snapkv.h"
#include "nn/attention/evaluators/split.h"
#include "nn/attention/evaluators/streaming.h"
#include "nn/attention/evaluators/tiled.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/memories/segment.h"
#include "nn/attention/structures/roles_of_heads.h"

namespace heed::nn {

std::vector<CatalogueEntry> evaluator_entries() {
  return {
      described<DenseEvaluator>(),
      described<TiledEvaluator>(),
      described<ChunkedEvaluator>(),
      described(kAboutCache, Kind::evaluator),
      described(kAboutSegmentMemory, Kind::evaluator),
      described(kAboutMultiQuery, Kind::structure),
      described(kAboutGroupedQuery, Kind::structure),
      described<LinearEvaluator>(),
      described<PagedEvaluator>(),
      described<SplitEvaluator>(),
      described<StreamingEvaluator>(),
      described<HeavyHitters>(),
      described<SnapKV>(),
      described<PerformerEvaluator>(),
      described<RandomFeatureEvaluator>(),
      described<CosformerEvaluator>(),
      described<DPFPEvaluator>(),
      described<HedgehogEvaluator>(),
      described<NystromEvaluator>(),
      described<DifferentialEvaluator>(),
      described<HyperAttention>(),
  };
}

}  // namespace heed::nn
