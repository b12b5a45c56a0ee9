// The list of the structures that no lesson uses (nn/zoo/, and a model around a transformer). Each is described in its
// own file.
#include "nn/attention/describe.h"
#include "nn/catalogue/lists.h"
#include "nn/transformer/recurrent_memory.h"
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
#include "nn/zoo/normalised.h"
#include "nn/zoo/prefix.h"
#include "nn/zoo/qk_clip.h"
#include "nn/zoo/two_stream.h"

namespace heed::nn {

std::vector<CatalogueEntry> zoo_entries() {
  return {
      described(DNCMemory::about, Kind::structure),
      described(BiDAF::about, Kind::structure),
      described(Coattention::about, Kind::structure),
      described(kAboutAttentionOverAttention, Kind::structure),
      described(DecomposableAttention::about, Kind::structure),
      described(GraphAttention::about, Kind::structure),
      described(kAboutConvAttention, Kind::structure),
      described(kAboutKnn, Kind::structure),
      described(MemorizingAttention::about, Kind::structure),
      described(ChunkedCrossAttention::about, Kind::structure),
      described(TwoStreamAttention::about, Kind::structure),
      described(MultiSourceAttention::about, Kind::structure),
      described(kAboutArea, Kind::structure),
      described(PrefixAttention::about, Kind::structure),
      described(EdgeAttention::about, Kind::structure),
      described(RecurrentMemory::about, Kind::structure),
      described(NormalisedLayer::about, Kind::block_option),
      described(kAboutQkClip, Kind::training_rule),
  };
}

}  // namespace heed::nn
