// The list of the mixers. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/mixers/aft.h"
#include "nn/attention/mixers/attention_on_attention.h"
#include "nn/attention/mixers/clustered.h"
#include "nn/attention/mixers/compressive.h"
#include "nn/attention/mixers/convolution.h"
#include "nn/attention/mixers/cross_covariance.h"
#include "nn/attention/mixers/external.h"
#include "nn/attention/mixers/factorised.h"
#include "nn/attention/mixers/fastformer.h"
#include "nn/attention/mixers/fnet.h"
#include "nn/attention/mixers/gated_unit.h"
#include "nn/attention/mixers/gmlp.h"
#include "nn/attention/mixers/induced.h"
#include "nn/attention/mixers/interleaved_nope.h"
#include "nn/attention/mixers/latent.h"
#include "nn/attention/mixers/latent_exact.h"
#include "nn/attention/mixers/linformer.h"
#include "nn/attention/mixers/luna.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/mixers/mlp_mixer.h"
#include "nn/attention/mixers/multi_token.h"
#include "nn/attention/mixers/native_sparse.h"
#include "nn/attention/mixers/perceiver.h"
#include "nn/attention/mixers/persistent.h"
#include "nn/attention/mixers/reformer.h"
#include "nn/attention/mixers/routing.h"
#include "nn/attention/mixers/selective.h"
#include "nn/attention/mixers/shifted.h"
#include "nn/attention/mixers/simplicial.h"
#include "nn/attention/mixers/sinkhorn_blocks.h"
#include "nn/attention/mixers/star.h"
#include "nn/attention/mixers/talking_heads.h"
#include "nn/attention/mixers/tensor_product.h"
#include "nn/attention/recurrences/average.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/gated_linear.h"
#include "nn/attention/recurrences/mamba2.h"
#include "nn/attention/recurrences/retention.h"
#include "nn/attention/recurrences/rwkv.h"

namespace heed::nn {

std::vector<CatalogueEntry> mixer_entries() {
  return {
      described<AverageMixer>(),
      described<LatentMixer>(),
      described<RetentionMixer>(),
      described<GatedLinearMixer>(),
      described<DeltaRuleMixer>(kAboutFastWeights),
      described<DeltaRuleMixer>(kAboutDeltaRule),
      described<GatedDeltaMixer>(),
      described<Mamba2Mixer>(),
      described<SelectiveMixer>(),
      described<MultiTokenMixer>(),
      described<CompressiveMixer>(),
      described<PersistentMixer>(kAboutPersistent),
      described<PersistentMixer>(kAboutMemoryTokens),
      described<RwkvMixer>(),
      described<AftMixer, AftFullSettings>(kAboutAftFull),
      described<AftMixer>(kAboutAftSimple),
      described<AftMixer, AftLocalSettings>(kAboutAftLocal),
      described<AftMixer, AftConvSettings>(kAboutAftConv),
      described<ConvolutionMixer>(kAboutLightweightConv),
      described<ConvolutionMixer>(kAboutDynamicConv),
      described<LinformerMixer>(),
      described<ReformerMixer>(),
      described<MemoryCompressedMixer>(),
      described<RoutingMixer>(),
      described<NativeSparseMixer>(),
      described<SinkhornBlocksMixer>(),
      described<ClusteredMixer>(),
      described<TalkingHeadsMixer>(),
      described<FNetMixer>(),
      described<GmlpMixer>(),
      described<MlpMixer>(),
      described<LunaMixer>(),
      described<InducedMixer>(),
      described<PerceiverMixer>(),
      described<StarMixer>(),
      described<GatedUnitMixer>(),
      described<CrossCovarianceMixer>(),
      described<ExternalMixer>(),
      described<FastformerMixer>(),
      described<AttentionOnAttentionMixer>(),
      described<SimplicialMixer>(),
      described<ShiftedAttention>(),
      described<LatentExactMixer>(),
      described<TensorProductMixer>(),
      described<FactorisedMixer>(),
      described<InterleavedNopeMixer>(),
  };
}

}  // namespace heed::nn
