// Transformer layers and an encoder-decoder of 2 + 2 layers against PyTorch's numbers: outputs, and the gradient of
// every input and parameter, under PyTorch's own names.
#include <doctest/doctest.h>

#include "autograd/ops.h"
#include "nn/transformer/transformer.h"
#include "tensor/compare.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;
using parity::Named;

namespace {

nn::TransformerLayerOptions options_of(const Golden& g) {
  return {.model = g.integer("d_model"),
          .heads = g.integer("nhead"),
          .inner = g.integer("dim_feedforward"),
          .activation = g.text("activation"),
          .norm_first = g.flag("norm_first")};
}

// PyTorch's masks say who may NOT be looked at.
Tensor allowed(Golden& g, const char* name) {
  return g.has(std::string("input.") + name) ? equal(g.ids(name), 0) : Tensor();
}

// nn.Transformer: two stacks and nothing else.
struct TwoStacks : nn::Module {
  struct Options {
    nn::TransformerLayerOptions layer;
    int64_t encoder_layers, decoder_layers;
  };
  TwoStacks(const Options& o, Generator& rng)
      : encoder({.layer = with(o.layer, false), .layers = o.encoder_layers}, rng),
        decoder({.layer = with(o.layer, true), .layers = o.decoder_layers}, rng) {}
  static nn::TransformerLayerOptions with(nn::TransformerLayerOptions o, bool decodes) {
    o.cross = o.causal = decodes;
    return o;
  }
  void visit(nn::Visitor& v) {
    v.child("encoder", encoder);
    v.child("decoder", decoder);
  }
  nn::TransformerStack encoder, decoder;
};

}  // namespace

TEST_SUITE("parity") {
  TEST_CASE("TransformerLayer as encoder: ReLU and GELU, norm first and last, padding, a causal mask") {
    for (std::string form : {"post_relu", "post_gelu", "pre_relu", "pre_gelu", "post_relu_padding", "pre_gelu_padding",
                             "post_relu_causal"}) {
      CAPTURE(form);
      in_both_precisions("encoder_layer_" + form, [](Golden& g, DType) {
        Generator rng(1);
        nn::TransformerLayer m(options_of(g), rng);
        g.load(m);
        Variable x = g.leaf("x");
        nn::LayerInput in{.self = {.words = allowed(g, "src_key_padding_mask"), .allowed = allowed(g, "src_mask")}};
        g.check_module(m, {{"y", m(x, in).output}}, {{"x", x}});
      });
    }
  }

  TEST_CASE("TransformerLayer, causal: the same as PyTorch's encoder layer with a triangular mask") {
    in_both_precisions("encoder_layer_post_relu_causal", [](Golden& g, DType) {
      Generator rng(1);
      nn::TransformerLayerOptions o = options_of(g);
      o.causal = true;
      nn::TransformerLayer m(o, rng);
      g.load(m);
      g.ids("src_mask");
      Variable x = g.leaf("x");
      g.check_module(m, {{"y", m(x).output}}, {{"x", x}});
    });
  }

  TEST_CASE("TransformerLayer as decoder, with and without masks") {
    for (std::string form : {"post_relu", "post_relu_masks", "pre_gelu", "pre_gelu_masks"}) {
      CAPTURE(form);
      in_both_precisions("decoder_layer_" + form, [](Golden& g, DType) {
        Generator rng(1);
        nn::TransformerLayerOptions o = options_of(g);
        o.cross = true;
        nn::TransformerLayer m(o, rng);
        g.load(m);
        Variable x = g.leaf("x"), memory = g.leaf("memory");
        nn::LayerInput in{.self = {.words = allowed(g, "tgt_key_padding_mask"), .allowed = allowed(g, "tgt_mask")},
                          .memory = memory,
                          .cross = {.words = allowed(g, "memory_key_padding_mask")}};
        g.check_module(m, {{"y", m(x, in).output}}, {{"x", x}, {"memory", memory}});
      });
    }
  }

  TEST_CASE("nn.Transformer, 2 + 2 layers: its weights load under their names, and give its outputs and gradients") {
    for (std::string form : {"post_relu", "pre_gelu"}) {
      CAPTURE(form);
      in_both_precisions("transformer_" + form, [](Golden& g, DType) {
        Generator rng(1);
        TwoStacks m({options_of(g), g.integer("num_encoder_layers"), g.integer("num_decoder_layers")}, rng);
        g.load(m);
        g.ids("tgt_mask");  // the decoder's own
        Variable src = g.leaf("src"), tgt = g.leaf("tgt");
        Variable memory = m.encoder(src, {.self = {.words = allowed(g, "src_key_padding_mask")}}).output;
        Variable y = m.decoder(tgt, {.self = {.words = allowed(g, "tgt_key_padding_mask")},
                                     .memory = memory,
                                     .cross = {.words = allowed(g, "memory_key_padding_mask")}})
                         .output;
        g.check_module(m, {{"y", y}}, {{"src", src}, {"tgt", tgt}});
      });
    }
  }
}
