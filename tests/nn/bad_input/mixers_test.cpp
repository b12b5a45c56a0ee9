// What mixers refuse, and the layers, stacks and models that they stand in.
#include "autograd/ops.h"
#include "nn/attention/memories/head_cache.h"
#include "nn/attention/mixers/input_memory.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/mixers/state_memory.h"
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
}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: mixers") {
    refuses<ValueError>("fnet: it mixes all words, so no layer of a decoder can have it; hint: --encoder-mixers fnet",
                        [] { nn::require_not_causal({.name = "fnet", .causal = true}, "it mixes all words"); });
    refuses<ValueError>("average: it reads from a state of its own; got another memory; hint: memory() makes one", [] {
      nn::HeadCache other;
      nn::make_mixer({.name = "average", .query = 4, .key = 4, .causal = true}, dice)
          ->extend(constant({1, 1, 4}), other, {});
    });
    refuses<ValueError>("aft_simple: it reads from a state of its own; got another memory; hint: memory() makes one",
                        [] {
                          nn::HeadCache other;
                          nn::make_mixer({.name = "aft_simple", .query = 4, .key = 4, .causal = true}, dice)
                              ->extend(constant({1, 1, 4}), other, {});
                        });
    refuses<ShapeError>(
        "InputMemory: needs inputs [B, 1, n, D] that fit those that are kept, none, and no values; got [2, 3]", [] {
          nn::InputMemory().append({constant({2, 3}), {}});
        });
    refuses<ShapeError>(
        "InputMemory: needs inputs [B, 1, n, D] that fit those that are kept, [1, 1, 1, 4], and no "
        "values; got [1, 1, 1, 3]",
        [] {
          nn::InputMemory m;
          m.append({constant({1, 1, 1, 4}), {}});
          m.append({constant({1, 1, 1, 3}), {}});
        });
    refuses<ShapeError>(
        "InputMemory: needs inputs [B, 1, n, D] that fit those that are kept, none, and no values; got "
        "[1, 1, 1, 4] with values",
        [] {
          nn::InputMemory().append({constant({1, 1, 1, 4}), constant({1, 1, 1, 4})});
        });
  }

  TEST_CASE("bad input: layers that share keys") {
    nn::MultiHeadOptions o{.model = 4, .heads = 2, .shared_keys = true};
    auto made = [](const nn::MultiHeadOptions& options) { return nn::MultiHeadAttention(options, dice); };
    refuses<ValueError>("MultiHeadAttention: it reads keys and values of another layer; got none in HeadMasks::passed",
                        [&] {
                          made(o)(constant({1, 2, 4}));
                        });
    refuses<ValueError>("MultiHeadAttention: it reads keys and values of another layer; got words to make its own of",
                        [&] {
                          made(o).remember(constant({1, 2, 4}), constant({1, 2, 4}));
                        });
    refuses<ValueError>(
        "MultiHeadAttention: values that are mixed must be a layer's own; got shared keys and value residuals", [&] {
          nn::MultiHeadOptions mixing = o;
          mixing.value_residual = true;
          made(mixing);
        });
    refuses<ValueError>(
        "MultiHeadAttention: keys and values of another layer need an evaluator that reads them; got linear; use auto",
        [&] {
          nn::MultiHeadOptions linear = o;
          linear.evaluator.name = "linear";
          made(linear);
        });
    refuses<ValueError>("TransformerStack: layers that share their keys must be at least 1; got 0", [] {
      nn::TransformerStack({.layer = {.model = 4, .heads = 2, .inner = 3}, .layers = 2, .shared_keys = 0}, dice);
    });
    refuses<ValueError>("TransformerStack: layers that share keys must be alike; got shared keys and mixers", [] {
      nn::TransformerStack(
          {.layer = {.model = 4, .heads = 2, .inner = 3}, .layers = 2, .shared_keys = 2, .mixers = {{}}}, dice);
    });
  }

  TEST_CASE("bad input: mixers in a transformer") {
    refuses<ValueError>(
        "TransformerLayer: a mixer takes the key padding mask alone; got an attention mask for the mixer average; "
        "hint: "
        "one sentence per row",
        [] {
          mix({.allowed = Tensor::from_bools({1, 0, 1, 1}, {2, 2})});
        });
    refuses<ValueError>(
        "TransformerLayer: a mixer takes the key padding mask alone; got a bias for the mixer average; hint: one "
        "sentence per row",
        [] {
          mix({.bias = constant({2, 2})});
        });
    refuses<ValueError>(
        "TransformerLayer: a mixer takes the key padding mask alone; got factors of heads for the mixer average; hint: "
        "one sentence per row",
        [] { mix({.heads = constant({2})}); });
    refuses<ValueError>("TransformerLayer: the mixer average has no heads that could be pruned; got head 1", [] {
      nn::TransformerLayerOptions o = mixing();
      o.pruned = {1};
      nn::TransformerLayer(o, dice);
    });
    refuses<ValueError>(
        "TransformerStack: the position t5 is shared by the attention of all layers; got the mixer average; hint: a "
        "position of the embedding, such as sinusoidal",
        [] { stack_of("t5"); });
    refuses<ValueError>(
        "TransformerStack: packed rows need attention, which reads a mask; got the mixer average; hint: one sentence "
        "per "
        "row",
        [] { stack_of().require_distances("packed rows"); });
    refuses<ValueError>("segment_caches: segments are read by attention; got the mixer average in layer 1",
                        [] { nn::segment_caches(stack_of(), 3); });
    refuses<ValueError>(
        "Transformer: values that are passed on need attention in every layer; got value residuals with the mixer "
        "average",
        [] { build([](auto& o) { o.value_residual = true; }); });
    refuses<ValueError>(
        "Transformer: values that are passed on need attention in every layer; got value residuals with the mixer "
        "average",
        [] { build([](auto& o) { o.value_residual = true, o.encoder_layers = 2, o.mixers = "attention,average"; }); });
    refuses<ValueError>(
        "Transformer: positions inside attention do not reach the mixer average; got the positions rope; "
        "hint: sinusoidal, learned or none",
        [] { build([](auto& o) { o.positions = "rope"; }); });
  }
}
