// The list of the parts around attention that stabilise training. What is said of each stands beside it.
#include "nn/attention/around/attention_gate.h"
#include "nn/attention/around/head_scale.h"
#include "nn/attention/around/pruned_heads.h"
#include "nn/attention/around/query_key_norm.h"
#include "nn/attention/around/score_residual.h"
#include "nn/attention/around/value_residual.h"
#include "nn/attention/describe.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/catalogue/lists.h"
#include "nn/norm.h"
#include "nn/optim/warmup.h"
#include "nn/train/fit.h"
#include "nn/transformer/token_embedding.h"
#include "nn/transformer/transformer_layer.h"

namespace heed::nn {

std::vector<CatalogueEntry> block_entries() {
  return {
      described(TransformerLayer::about, Kind::block_option),
      described(kAboutQueryKeyNorm, Kind::block_option),
      described(kAboutValueResidual, Kind::block_option),
      described(kAboutScoreResidual, Kind::block_option),
      described(TransformerStack::about, Kind::block_option),
      described(kAboutAttentionGate, Kind::block_option),
      described(kAboutPrunedHeads, Kind::block_option),
      described(kAboutHeadScale, Kind::block_option),
      described(kAboutAttentionDropout, Kind::regulariser),
      described(kAboutScaledTiedEmbedding, Kind::block_option),
      described(kAboutNoam, Kind::training_rule),
      described(kAboutLabelSmoothing, Kind::regulariser),
      described(LayerNorm::about, Kind::block_option),
  };
}

}  // namespace heed::nn
