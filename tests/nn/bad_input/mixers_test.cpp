// What mixers refuse, and the layers, stacks and models that they stand in.
#include "autograd/ops.h"
#include "nn/attention/grids/deformable.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/mixers/input_memory.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/batch_norm.h"
#include "nn/convolution2d.h"
#include "nn/transformer/segments.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
nn::TransformerLayerOptions mixing() { return {.model = 4, .heads = 2, .inner = 3, .mixer = {.name = "average"}}; }
void mix(const nn::HeadMasks& masks) { nn::TransformerLayer(mixing(), dice)(constant({1, 2, 4}), {.self = masks}); }
nn::TransformerStack stack_of(const std::string& position = "") {
  return nn::TransformerStack({.layer = {.model = 4, .heads = 2, .inner = 3, .position = {.name = position}},
                               .layers = 2,
                               .mixers = {{}, {.mixer = {.name = "average"}}}},
                              dice);
}
template <class Change>
void build(const Change& change) {
  nn::TransformerOptions o{.source_vocabulary = 9, .target_vocabulary = 9, .model = 4, .heads = 2, .inner = 3};
  o.encoder_layers = o.decoder_layers = 1, o.mixers = "average";
  change(o);
  nn::Transformer(o, dice);
}
void mix(const std::string& name, int64_t T, int64_t heads = 2, nn::SettingValues settings = {}, bool causal = false) {
  nn::MixerOptions o{.name = name, .query = 4, .key = 4, .settings = std::move(settings), .heads = heads};
  o.causal = causal;
  (*nn::make_mixer(o, dice))(constant({1, T, 4}), {});
}
}  // namespace

TEST_CASE("bad input: mixers") {
  refuses("fnet: it mixes all words fnet",
          [] { nn::require_not_causal({.name = "fnet", .causal = true}, "it mixes all words"); });
  refuses("HeadwiseLinear: multiple got 20 6", [] { mix("mlstm", 2, 2, {{"inner", 5}, {"block", 3}}); });
  refuses("average: reads got", [] {
    nn::HeadCache other;
    nn::make_mixer({.name = "average", .query = 4, .key = 4, .causal = true}, dice)
        ->extend(constant({1, 1, 4}), other, {});
  });
  refuses("aft_simple: reads got", [] {
    nn::HeadCache other;
    nn::make_mixer({.name = "aft_simple", .query = 4, .key = 4, .causal = true}, dice)
        ->extend(constant({1, 1, 4}), other, {});
  });
  refuses("mega: reads got", [] {
    nn::HeadCache other;
    nn::make_mixer({.name = "mega", .query = 4, .key = 4, .causal = true}, dice)
        ->extend(constant({1, 1, 4}), other, {});
  });
  refuses<ShapeError>("InputMemory: [B, 1, n, D] none got [2, 3]", [] {
    nn::InputMemory().append({constant({2, 3}), {}});
  });
  refuses<ShapeError>("InputMemory: [B, 1, n, D] [1, 1, 1, 4] got [1, 1, 1, 3]", [] {
    nn::InputMemory m;
    m.append({constant({1, 1, 1, 4}), {}});
    m.append({constant({1, 1, 1, 3}), {}});
  });
  refuses<ShapeError>("InputMemory: [B, 1, n, D] none got [1, 1, 1, 4] values", [] {
    nn::InputMemory().append({constant({1, 1, 1, 4}), constant({1, 1, 1, 4})});
  });
}

TEST_CASE("bad input: layers that share keys") {
  nn::MultiHeadOptions o{.model = 4, .heads = 2, .shared_keys = true};
  auto made = [](const nn::MultiHeadOptions& options) { return nn::MultiHeadAttention(options, dice); };
  refuses("MultiHeadAttention: got in", [&] { made(o)(constant({1, 2, 4})); });
  refuses("MultiHeadAttention: got make", [&] { made(o).remember(constant({1, 2, 4}), constant({1, 2, 4})); });
  refuses("MultiHeadAttention: layer's got another", [&] {
    nn::MultiHeadOptions mixing = o;
    mixing.around = {{"value_residual"}}, mixing.layer = 1;
    made(mixing);
  });
  refuses("MultiHeadAttention: another got linear", [&] {
    nn::MultiHeadOptions linear = o;
    linear.evaluator.name = "linear";
    made(linear);
  });
  refuses("TransformerStack: their 1 got 0", [] {
    nn::TransformerStack({.layer = {.model = 4, .heads = 2, .inner = 3}, .layers = 2, .shared_keys = 0}, dice);
  });
  refuses("TransformerStack: scores one scope got score_residual", [] {
    nn::TransformerStack(
        {.layer = {.model = 4, .heads = 2, .inner = 3, .around = {{"score_residual"}}}, .layers = 2, .mixers = {{}}},
        dice);
  });
  refuses("TransformerStack: keys alike got", [] {
    nn::TransformerStack({.layer = {.model = 4, .heads = 2, .inner = 3}, .layers = 2, .shared_keys = 2, .mixers = {{}}},
                         dice);
  });
}

TEST_CASE("bad input: mixers in a transformer") {
  refuses("TransformerLayer: got an attention mask average", [] {
    mix({.allowed = Tensor::from_bools({1, 0, 1, 1}, {2, 2})});
  });
  refuses("TransformerLayer: got bias average", [] { mix({.bias = constant({2, 2})}); });
  refuses("TransformerLayer: got factors heads average", [] { mix({.heads = constant({2})}); });
  refuses("TransformerLayer: heads prune got pruned_heads average", [] {
    nn::TransformerLayerOptions o = mixing();
    o.around = {{"pruned_heads", "0.1"}};
    nn::TransformerLayer(o, dice);
  });
  refuses("TransformerStack: t5 got average", [] { stack_of("t5"); });
  refuses("TransformerStack: packed rows got average", [] { stack_of().require_distances("packed rows"); });
  refuses("segment_caches: got average 1", [] { nn::segment_caches(stack_of(), 3); });
  refuses("TransformerLayer: values got value_residual average",
          [] { build([](auto& o) { o.around["value_residual"].on = true; }); });
  refuses("TransformerLayer: values got value_residual average", [] {
    build([](auto& o) { o.around["value_residual"].on = true, o.encoder_layers = 2, o.mixers = "attention,average"; });
  });
  refuses("Transformer: average got rope", [] { build([](auto& o) { o.positions = "rope"; }); });
  refuses("Transformer: average got rope",
          [] { build([](auto& o) { o.positions = "rope", o.encoder_layers = 2, o.mixers = "attention,average"; }); });
}

TEST_CASE("bad input: mixers with a state") {
  refuses("delta_rule: heads got 4 3",
          [] { nn::make_mixer({.name = "delta_rule", .query = 4, .key = 4, .heads = 3}, dice); });
  auto with_cache = [](const char* name) {
    nn::HeadCache other;
    nn::make_mixer({.name = name, .query = 4, .key = 4, .causal = true}, dice)->extend(constant({1, 1, 4}), other, {});
  };
  refuses("yoco: state got another", [&] { with_cache("yoco"); });
  refuses("block_recurrent: state got another", [&] { with_cache("block_recurrent"); });
  refuses("yoco: width got 1", [] { mix("yoco", 2, 4); });
  refuses("yoco: half got none", [] {
    nn::MixerOptions upper{.name = "yoco", .query = 4, .key = 4, .layer = 3, .layers = 4};
    (*nn::make_mixer(upper, dice))(constant({1, 2, 4}), {});
  });
  refuses("retention: width got 3",
          [] { nn::make_mixer({.name = "retention", .query = 6, .key = 6, .heads = 2}, dice); });
  refuses("ttt_linear: width got 3",
          [] { nn::make_mixer({.name = "ttt_linear", .query = 6, .key = 6, .heads = 2}, dice); });
  refuses("selective_rope: pairs got 3",
          [] { nn::make_mixer({.name = "selective_rope", .query = 6, .key = 6, .heads = 2}, dice); });
  refuses("vq_attention: sinusoids got 3",
          [] { nn::make_mixer({.name = "vq_attention", .query = 3, .key = 3, .heads = 1}, dice); });
}

TEST_CASE("bad input: mixers with a longest sentence") {
  refuses("aft_full: 3 got 4 aft_full:4", [] {
    nn::MixerOptions o{.name = "aft_full", .query = 4, .key = 4};
    o.settings["max_source"] = 3;
    (*nn::make_mixer(o, dice))(constant({1, 4, 4}), {});
  });
}

TEST_CASE("bad input: mixers with heads and with parameters for each place") {
  refuses("talking_heads: got 4 3", [] { mix("talking_heads", 2, 3); });
  refuses("gmlp: 3 got 4 gmlp:max_source=4", [] { mix("gmlp", 4, 2, {{{"max_source", 3}}}); });
  refuses("linformer: linformer", [] { mix("linformer", 2, 2, {}, true); });
  refuses("native_sparse: divide got 3 2", [] { mix("native_sparse", 2, 2, {{{"kv_heads", 3}}}); });
}

TEST_CASE("bad input: mixers of pictures, and their layers") {
  refuses<ShapeError>("cbam: columns places [1, 4, 4] 3 cbam:columns=N", [] { mix("cbam", 4, 2, {{{"columns", 3}}}); });
  refuses("cross_stripes: even 1", [] { mix("cross_stripes", 4, 1); });
  refuses<ShapeError>("DeformableAttention: 2 1", [] {
    nn::DeformableAttention({.width = 4, .heads = 2, .levels = 2}, dice)(constant({1, 1, 4}), constant({1, 2}),
                                                                         {constant({1, 2, 2, 4})});
  });
  refuses<ShapeError>("BatchNorm: 3 channels [2, 4]", [] { nn::BatchNorm({.width = 3}, dice)(constant({2, 4})); });
  refuses("BatchNorm: more than one row [1, 3]", [] { nn::BatchNorm({.width = 3}, dice)(constant({1, 3})); });
  refuses<ShapeError>("convolution2d: groups [1, 2, 2, 3] [2, 2, 1, 1] 2", [] {
    nn::convolution2d(constant({1, 2, 2, 3}), constant({2, 2, 1, 1}), {}, 2);
  });
}
