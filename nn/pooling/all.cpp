// The list of the poolings, and of the structures that are poolings too. Each is described in its own file.
#include "nn/attention/attention_pooling.h"
#include "nn/attention/describe.h"
#include "nn/pool.h"
#include "nn/pooling/episode_poolings.h"
#include "nn/pooling/feature_wise_pooling.h"
#include "nn/pooling/hierarchical_pooling.h"
#include "nn/pooling/memory_pooling.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/poolers.h"
#include "nn/pooling/pooling.h"
#include "nn/pooling/set_poolings.h"

namespace heed::nn {

// The kind of the rows that have this factory; describe.h has those of attention.
template <>
struct KindOf<Pooler> : KindWith<Kind::pooling, PoolerOptions, &CatalogueEntry::pooling> {};

std::vector<CatalogueEntry> pooling_entries() {
  return {
      described<FixedPooler>(kAboutLasttoken),
      described<FixedPooler>(kAboutCls),
      described<FixedPooler>(kAboutMean),
      described<FixedPooler>(kAboutMax),
      described<FixedPooler>(kAboutMeanSqrtLenTokens),
      described<FixedPooler>(kAboutWeightedmean),
      described<AttentionPooler>(AttentionPooling::about),
      described(kAboutStructuredRows, Kind::pooling),
      described<MultiHeadPooler>(MultiHeadPooling::about),
      described(Pooling::about, Kind::pooling),
      described<FixedPooler>(kAboutSum),
      described<FixedPooler>(kAboutPositionEncoding),
      described<HierarchicalPooling>(HierarchicalAttention::about, Kind::structure),
      described<StructuredPooler>(StructuredEmbedding::about, Kind::structure),
      described<FeatureWisePooling>(FeatureWiseAttention::about, Kind::structure),
      described<MemoryNetworkPooling>(MemoryNetwork::about, Kind::structure),
      described<SetTransformerPooling>(kAboutSetTransformer, Kind::structure),
      described<SlotPooling>(SlotAttention::about, Kind::structure),
      described<HopfieldPooling>(kAboutHopfield, Kind::structure),
      described<DynamicMemoryPooling>(DynamicMemory::about, Kind::structure),
      described<SqueezeExcitePooling>(SqueezeExcite::about, Kind::structure),
  };
}

const Stages& poolings() {
  static const std::vector<CatalogueEntry> rows = [] {
    std::vector<CatalogueEntry> all = pooling_entries();
    std::erase_if(all, [](const CatalogueEntry& e) { return !e.pooling; });
    return all;
  }();
  static const Stages stages(Kind::pooling, rows);
  return stages;
}

std::vector<Stages> all_stages() {
  return {Kind::score, Kind::scope,  Kind::normaliser, Kind::position, Kind::evaluator,
          poolings(),  Kind::reader, Kind::memory,     Kind::mixer};
}

}  // namespace heed::nn
