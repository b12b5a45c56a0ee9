// The list of the mixers. Each is described in its own file.
#include "nn/attention/describe.h"
#include "nn/attention/grids/cbam.h"
#include "nn/attention/grids/coordinate.h"
#include "nn/attention/grids/criss_cross.h"
#include "nn/attention/grids/cross_stripes.h"
#include "nn/attention/grids/deformable.h"
#include "nn/attention/grids/eca.h"
#include "nn/attention/grids/focal.h"
#include "nn/attention/grids/global_context.h"
#include "nn/attention/grids/grid_attention.h"
#include "nn/attention/grids/lambda_layer.h"
#include "nn/attention/grids/neighbourhood.h"
#include "nn/attention/grids/non_local.h"
#include "nn/attention/grids/outlook.h"
#include "nn/attention/grids/shifted_window.h"
#include "nn/attention/grids/swin_v2.h"
#include "nn/attention/mixers/aft.h"
#include "nn/attention/mixers/attention_on_attention.h"
#include "nn/attention/mixers/block_recurrent.h"
#include "nn/attention/mixers/clustered.h"
#include "nn/attention/mixers/compressive.h"
#include "nn/attention/mixers/convolution.h"
#include "nn/attention/mixers/cross_covariance.h"
#include "nn/attention/mixers/external.h"
#include "nn/attention/mixers/factorised.h"
#include "nn/attention/mixers/fastformer.h"
#include "nn/attention/mixers/fnet.h"
#include "nn/attention/mixers/gated_unit.h"
#include "nn/attention/mixers/global_local.h"
#include "nn/attention/mixers/gmlp.h"
#include "nn/attention/mixers/induced.h"
#include "nn/attention/mixers/interleaved_nope.h"
#include "nn/attention/mixers/landmark.h"
#include "nn/attention/mixers/latent.h"
#include "nn/attention/mixers/latent_exact.h"
#include "nn/attention/mixers/lightning_index.h"
#include "nn/attention/mixers/linformer.h"
#include "nn/attention/mixers/longnet.h"
#include "nn/attention/mixers/luna.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/mixers/mlp_mixer.h"
#include "nn/attention/mixers/moba.h"
#include "nn/attention/mixers/multi_token.h"
#include "nn/attention/mixers/native_sparse.h"
#include "nn/attention/mixers/path.h"
#include "nn/attention/mixers/perceiver.h"
#include "nn/attention/mixers/persistent.h"
#include "nn/attention/mixers/reformer.h"
#include "nn/attention/mixers/routing.h"
#include "nn/attention/mixers/selective.h"
#include "nn/attention/mixers/selective_rope.h"
#include "nn/attention/mixers/shifted.h"
#include "nn/attention/mixers/simplicial.h"
#include "nn/attention/mixers/sinkhorn_blocks.h"
#include "nn/attention/mixers/star.h"
#include "nn/attention/mixers/talking_heads.h"
#include "nn/attention/mixers/tensor_product.h"
#include "nn/attention/mixers/transient_global.h"
#include "nn/attention/mixers/yoco.h"
#include "nn/attention/recurrences/average.h"
#include "nn/attention/recurrences/bounded_memory.h"
#include "nn/attention/recurrences/comba.h"
#include "nn/attention/recurrences/delta_product.h"
#include "nn/attention/recurrences/delta_rule.h"
#include "nn/attention/recurrences/fast_weights.h"
#include "nn/attention/recurrences/gated_delta.h"
#include "nn/attention/recurrences/gated_linear.h"
#include "nn/attention/recurrences/gated_slots.h"
#include "nn/attention/recurrences/h3.h"
#include "nn/attention/recurrences/hgrn.h"
#include "nn/attention/recurrences/hgrn2.h"
#include "nn/attention/recurrences/hyena.h"
#include "nn/attention/recurrences/infini.h"
#include "nn/attention/recurrences/kda.h"
#include "nn/attention/recurrences/lightning.h"
#include "nn/attention/recurrences/log_linear.h"
#include "nn/attention/recurrences/mamba.h"
#include "nn/attention/recurrences/mamba2.h"
#include "nn/attention/recurrences/mamba3.h"
#include "nn/attention/recurrences/mega.h"
#include "nn/attention/recurrences/mesa.h"
#include "nn/attention/recurrences/mlstm.h"
#include "nn/attention/recurrences/neural_memory.h"
#include "nn/attention/recurrences/polynomial.h"
#include "nn/attention/recurrences/retention.h"
#include "nn/attention/recurrences/rg_lru.h"
#include "nn/attention/recurrences/rwkv.h"
#include "nn/attention/recurrences/rwkv5.h"
#include "nn/attention/recurrences/rwkv6.h"
#include "nn/attention/recurrences/rwkv7.h"
#include "nn/attention/recurrences/s4d.h"
#include "nn/attention/recurrences/slstm.h"
#include "nn/attention/recurrences/ttt_linear.h"
#include "nn/attention/recurrences/vq_attention.h"

namespace heed::nn {

std::vector<CatalogueEntry> mixer_entries() {
  return {
      described<AverageMixer>(),
      described<LatentMixer>(),
      described<RetentionMixer>(),
      described<GatedLinearMixer>(),
      described<FastWeightsMixer>(),
      described<DeltaRuleMixer>(),
      described<GatedDeltaMixer>(),
      described<Mamba2Mixer>(),
      described<SelectiveMixer>(),
      described<MultiTokenMixer>(),
      described<CompressiveMixer>(),
      described<PersistentMixer>(kAboutPersistent),
      described<PersistentMixer>(kAboutMemoryTokens),
      described<RwkvMixer>(),
      described<GatedSlotsMixer>(),
      described<BoundedMemoryMixer>(),
      described<HgrnMixer>(),
      described<Hgrn2Mixer>(),
      described<MlstmMixer>(),
      described<SlstmMixer>(),
      described<PolynomialMixer>(kAboutBased),
      described<PolynomialMixer>(kAboutRebased),
      described<KdaMixer>(),
      described<Rwkv7Mixer>(),
      described<DeltaProductMixer>(),
      described<Rwkv5Mixer>(),
      described<Rwkv6Mixer>(),
      described<CombaMixer>(),
      described<LightningMixer>(),
      described<LogLinearMixer>(),
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
      described<LongNetMixer>(),
      described<TransientGlobalMixer>(),
      described<YocoMixer>(),
      described<BlockRecurrentMixer>(),
      described<GlobalLocalMixer>(),
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
      described<Cbam>(),
      described<Eca>(),
      described<Coordinate>(),
      described<NonLocal>(),
      described<GlobalContext>(),
      described<CrissCross>(),
      described<ShiftedWindow>(),
      described<Neighbourhood>(),
      described<Deformable>(),
      described<LambdaLayer>(),
      described<CrossStripes>(),
      described<GridAttention>(),
      described<Outlook>(),
      described<Focal>(),
      described<SwinV2>(),
      described<S4dMixer>(),
      described<MambaMixer>(kAboutMamba),
      described<Mamba3Mixer>(),
      described<HyenaMixer>(),
      described<H3Mixer>(),
      described<RgLruMixer>(),
      described<MegaMixer>(),
      described<MambaMixer>(kAboutLonghorn),
      described<MobaMixer>(),
      described<PathMixer>(),
      described<MesaMixer>(),
      described<LandmarkMixer>(),
      described<InfiniMixer>(),
      described<TttLinearMixer>(),
      described<NeuralMemoryMixer>(),
      described<SelectiveRopeMixer>(),
      described<LightningIndexMixer>(),
      described<VqAttentionMixer>(),
      described<LatentExactMixer>(),
      described<TensorProductMixer>(),
      described<FactorisedMixer>(),
      described<InterleavedNopeMixer>(),
  };
}

}  // namespace heed::nn
