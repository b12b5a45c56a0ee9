// The list of the poolings. Each is described in its own file.
#include "nn/attention/attention_pooling.h"
#include "nn/attention/describe.h"
#include "nn/catalogue/lists.h"
#include "nn/pool.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/poolers.h"
#include "nn/pooling/pooling.h"

namespace heed::nn {

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
  };
}

}  // namespace heed::nn
