// Multi-step attention of a convolutional decoder (ConvS2S, section 3): each layer reads the last k words by a
// convolution, and has its own attention to the source.
//
//   glu([a; b]) = a * sigmoid(b); words before the first are 0       d_t = W_d h_t + b_d + g_t is the query
//
// z decides which position gets weight, and e adds which word is there. The paper also multiplies c by S sqrt(1/S),
// which is left out here. One factor sqrt(1/2) scales the sum of three; fairseq scales each sum of two. S words of the
// source.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/past_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"
#include "nn/padding.h"

namespace heed::nn {

inline constexpr About kAboutConvAttention{
    .names = {"E16", "conv_attention", "ConvS2S", "multi-step attention"},
    .formula =
        "h = glu(conv_k(x));  a = softmax_s((W_d h + b_d + g) . z_s);  c = sum_s a_s (z_s + e_s);  y = (x + h + c) "
        "sqrt(1/2)",
    .paper = {"Gehring et al., ICML 2017", 2017, 2},
    .idea =
        "Each layer of a decoder of convolutions reads the last few words and then attends to the source. With several "
        "layers attention takes several steps, and a later step knows what an earlier one has read. All words of a "
        "sentence are trained at once.",
    .wrong =
        "The source's word embeddings are added to the values and not to the keys. The convolution must be padded on "
        "the left alone, or a word sees the next one.",
    .shapes = "g [B, T, D], z, e [B, S, D] -> y [B, T, D], weights [B, T, S]",
    .cost = "(2 k + 1) T D^2 + 2 T S D products for each layer; (2 k + 1) D^2 parameters",
    .own = {"keys_may_be_permuted", "convolution_sees_only_the_past", "embeddings_are_added_to_values_only",
            "layers_attend_one_by_one"},
    .cases = "ConvAttentionDecoder",
    .more = "a decoder for a model of your own, nn::ConvAttentionDecoder; no option of heed train has it",
};

struct ConvAttentionOptions {
  int64_t width;       // D
  int64_t kernel = 3;  // k
  int64_t layers = 1;  // L, of the decoder
};

struct ConvAttended {
  Variable output;            // y [B, T, D]
  Variable context, weights;  // c [B, T, D], a [B, T, S]; of a decoder those of its last layer
};

struct ConvAttentionLayer : Module {
  using Options = ConvAttentionOptions;
  ConvAttentionLayer(const Options& o, Generator& rng)
      : options(o),
        window({.in = o.kernel * o.width, .out = 2 * o.width}, rng),
        query({.in = o.width, .out = o.width}, rng) {}
  // x, g [B, T, D], z, e [B, S, D]; allowed bool, broadcastable to [B, T, S]
  ConvAttended operator()(const Variable& x, const Variable& g, const Variable& z, const Variable& e,
                          const Tensor& allowed = {}) const {
    Call call(*this);
    Variable past = unfold(pad(x, {{.axis = 1, .before = options.kernel - 1}}), 1, options.kernel, 1);  // [B, T, D, k]
    std::vector<Variable> halves = chunk(window(reshape(past, {x.size(0), x.size(1), -1})), 2, -1);
    Variable h = halves[0] * sigmoid(halves[1]), d = query(h) + g;
    Variable keys = without_unread(z, allowed);
    Attended read = attend(matmul(d, transpose(keys, 1, 2)), keys + e, allowed);
    Variable y = (x + h + read.context) * std::sqrt(0.5);
    return {call.result("output", y), read.context, call.result("weights", read.weights)};
  }
  void visit(Visitor& v) { v.child("window", window), v.child("query", query); }
  Options options;
  Linear window, query;  // W_c, W_d
};

struct ConvAttentionDecoder : Module {  // L layers; g is the embedding of the target words, and the first layer's x
  using Options = ConvAttentionOptions;
  ConvAttentionDecoder(const Options& o, Generator& rng) : options(o) {
    for (int64_t i = 0; i < o.layers; ++i) layers.emplace_back(o, rng);
  }
  ConvAttended operator()(const Variable& g, const Variable& z, const Variable& e, const Tensor& allowed = {}) const {
    Call call(*this);
    ConvAttended seen{g, {}, {}};
    for (const ConvAttentionLayer& layer : layers) seen = layer(seen.output, g, z, e, allowed);
    return seen;
  }
  void visit(Visitor& v) {
    for (size_t i = 0; i < layers.size(); ++i) v.child("layer_" + std::to_string(i), layers[i]);
  }
  Options options;
  std::vector<ConvAttentionLayer> layers;
};

}  // namespace heed::nn
