// The list of the structures: forms of attention that are built from the stages. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/structures/dynamic_memory.h"
#include "nn/attention/structures/feature_wise.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/hopfield.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/attention/structures/roles_of_heads.h"
#include "nn/attention/structures/sagan.h"
#include "nn/attention/structures/set_transformer.h"
#include "nn/attention/structures/slot_attention.h"
#include "nn/attention/structures/squeeze_excite.h"
#include "nn/attention/structures/structured.h"
#include "nn/catalogue/lists.h"
#include "nn/pooling/episode_poolings.h"
#include "nn/pooling/feature_wise_pooling.h"
#include "nn/pooling/hierarchical_pooling.h"
#include "nn/pooling/memory_pooling.h"
#include "nn/pooling/poolers.h"
#include "nn/pooling/set_poolings.h"
#include "nn/zoo/area_attention.h"
#include "nn/zoo/attention_over_attention.h"
#include "nn/zoo/bidaf.h"
#include "nn/zoo/chunked_cross_attention.h"
#include "nn/zoo/coattention.h"
#include "nn/zoo/conv_attention.h"
#include "nn/zoo/decomposable.h"
#include "nn/zoo/dnc.h"
#include "nn/zoo/edge_attention.h"
#include "nn/zoo/graph_attention.h"
#include "nn/zoo/knn.h"
#include "nn/zoo/memorizing.h"
#include "nn/zoo/multi_source.h"
#include "nn/zoo/prefix.h"
#include "nn/zoo/two_stream.h"

namespace heed::nn {

std::vector<CatalogueEntry> structure_entries() {
  return {
      described(kAboutSelfAttention, Kind::structure),
      described(LSTMN::about, Kind::structure),
      described<KeyValueMemory>(),
      described(kAboutCrossAttention, Kind::structure),
      described(kAboutMultiHead, Kind::structure),
      described(kAboutCausalSelfAttention, Kind::structure),
      described<HierarchicalPooling>(HierarchicalAttention::about, Kind::structure),
      described<StructuredPooler>(StructuredEmbedding::about, Kind::structure),
      described<FeatureWisePooling>(FeatureWiseAttention::about, Kind::structure),
      described<MemoryNetworkPooling>(MemoryNetwork::about, Kind::structure),
      described(NTMHead::about, Kind::structure),
      described(DNCMemory::about, Kind::structure),
      described(BiDAF::about, Kind::structure),
      described(Coattention::about, Kind::structure),
      described(kAboutAttentionOverAttention, Kind::structure),
      described(DecomposableAttention::about, Kind::structure),
      described<SetTransformerPooling>(kAboutSetTransformer, Kind::structure),
      described<SlotPooling>(SlotAttention::about, Kind::structure),
      described<HopfieldPooling>(kAboutHopfield, Kind::structure),
      described(GraphAttention::about, Kind::structure),
      described(kAboutConvAttention, Kind::structure),
      described(kAboutKnn, Kind::structure),
      described(MemorizingAttention::about, Kind::structure),
      described(ChunkedCrossAttention::about, Kind::structure),
      described(TwoStreamAttention::about, Kind::structure),
      described(MultiSourceAttention::about, Kind::structure),
      described<DynamicMemoryPooling>(DynamicMemory::about, Kind::structure),
      described(kAboutArea, Kind::structure),
      described(SaganAttention::about, Kind::structure),
      described<SqueezeExcitePooling>(SqueezeExcite::about, Kind::structure),
      described(PrefixAttention::about, Kind::structure),
      described(EdgeAttention::about, Kind::structure),
  };
}

}  // namespace heed::nn
