// The blocks of module_support.cpp for transformers, and for what stands on them.
#include "autograd/ops.h"
#include "nn/sentence/masked_word_model.h"
#include "nn/transformer/bert.h"
#include "nn/transformer/language_model.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/module_instance.h"

namespace heed::nn_test {

// nn/transformer/: sources of 4 and 2 words, targets of 3.
void transformers(std::vector<ModuleCase>& all) {
  static constexpr int64_t D = 4, F = 6, attention = 4 * D * D + 4 * D, wide = 2 * D * F + F + D, norm = 2 * D;
  {
    for (const char* name : {"layer", "rms"})
      add<nn::AnyNorm>(all, name[0] == 'r' ? "AnyNorm rms" : "AnyNorm layer", {.name = name, .width = 5},
                       name[0] == 'r' ? 5 : 10, [](nn::AnyNorm& m, DType d) {
                         return weighted_sum(tanh(m(random({4, 2, 5}, 1, d))));
                       });
    auto through = [](nn::FeedForward& m, DType d) { return weighted_sum(m(random({2, 3, 4}, 1, d))); };
    add<nn::FeedForward>(all, "FeedForward", {.model = D, .inner = F, .dropout = 0.1}, wide, through);
    add<nn::FeedForward>(all, "FeedForward with a gate", {.model = D, .inner = F, .activation = "swiglu"},
                         3 * D * F + 2 * F + D, through);
  }
  {
    nn::TransformerLayerOptions encodes{.model = D, .heads = 2, .inner = F, .norm_first = true, .dropout = 0.1},
        decodes = encodes;
    decodes.causal = decodes.cross = true;
    add<nn::TransformerLayer>(all, "TransformerLayer encoder", encodes, attention + wide + 2 * norm,
                              [](nn::TransformerLayer& m, DType d) {
                                return weighted_sum(m(random({2, 3, 4}, 1, d)).output);
                              });
    add<nn::TransformerLayer>(
        all, "TransformerLayer decoder", decodes, 2 * attention + wide + 3 * norm,
        [](nn::TransformerLayer& m, DType d) {
          return weighted_sum(m(random({2, 3, 4}, 1, d), {.memory = random({2, 4, 4}, 2, d)}).output);
        });
    nn::TransformerLayerOptions shaw = encodes, t5 = encodes;
    shaw.position = {.name = "shaw", .settings = {{"max_distance", 3}}}, shaw.kv_heads = 1,
    shaw.around = {{"query_key_norm"}};
    t5.position.name = "t5";
    int64_t few = 3 * D * D + 3 * D + 2 * 2, tables = 2 * (2 * 3 + 1) * 2;  // one head of keys, of width 2
    add<nn::TransformerLayer>(all, "TransformerLayer shaw", shaw, few + tables + wide + 2 * norm,
                              [](nn::TransformerLayer& m, DType d) {
                                return weighted_sum(m(random({2, 3, 4}, 1, d)).output);
                              });
    add<nn::TransformerStack>(all, "TransformerStack t5", {.layer = t5, .layers = 2},
                              2 * (attention + wide + 2 * norm) + norm + 32 * 2, [](nn::TransformerStack& m, DType d) {
                                return weighted_sum(m(random({2, 3, 4}, 1, d)).output);
                              });
    add<nn::TransformerStack>(all, "TransformerStack", {.layer = encodes, .layers = 2},
                              2 * (attention + wide + 2 * norm) + norm, [](nn::TransformerStack& m, DType d) {
                                return weighted_sum(m(random({2, 3, 4}, 1, d)).output);
                              });
  }
  {
    nn::TokenEmbeddingOptions o{.vocabulary = 7, .width = D, .max_positions = 4, .kinds = 2, .dropout = 0.1};
    auto embed = [](nn::TokenEmbedding& m, DType) {
      Tensor ids = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 1, 2}, {2, 4});
      Tensor kinds = Tensor::from(std::vector<int64_t>{0, 0, 1, 1, 0, 1, 1, 1}, {2, 4});
      return weighted_sum(tanh(m(ids, {.kinds = kinds})));
    };
    add<nn::TokenEmbedding>(all, "TokenEmbedding", o, (7 + 2) * D, embed);
    o.positions = "learned";
    add<nn::TokenEmbedding>(all, "TokenEmbedding, learned positions", o, (7 + 2 + 4) * D, embed);
  }
  nn::TransformerOptions o{.source_vocabulary = 7,
                           .target_vocabulary = 8,
                           .model = D,
                           .heads = 2,
                           .inner = F,
                           .encoder_layers = 2,
                           .decoder_layers = 1,
                           .norm_first = true,
                           .dropout = 0.1};
  int64_t encoder = 2 * (attention + wide + 2 * norm) + norm, decoder = 2 * attention + wide + 3 * norm + norm;
  auto translate = [](nn::Transformer& m, DType) {
    Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4});
    Tensor lengths = Tensor::from(std::vector<int64_t>{4, 2}, {2});
    Tensor in = Tensor::from(std::vector<int64_t>{2, 4, 5, 2, 6, 6}, {2, 3});
    Tensor out_ids = Tensor::from(std::vector<int64_t>{4, 5, 3, 6, 6, 3}, {2, 3});
    return cross_entropy(m(source, lengths, in), out_ids);
  };
  add<nn::Transformer>(all, "Transformer", o, encoder + decoder + 7 * D + 8 * D + 8 * D + 8, translate);
  o.tie = "target", o.output_bias = false;
  add<nn::Transformer>(all, "Transformer, target tied", o, encoder + decoder + 7 * D + 8 * D, translate);
  o.tie = "all", o.source_vocabulary = 8;
  add<nn::Transformer>(all, "Transformer, all tied", o, encoder + decoder + 8 * D, translate);
  o.token_types = 1;
  add<nn::Bert>(all, "Bert", o, encoder + 8 * D + D, [](nn::Bert& m, DType) {
    Tensor ids = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4});
    return weighted_sum(m(ids, Tensor::from(std::vector<int64_t>{4, 2}, {2})));
  });
  add<nn::LanguageModel>(all, "LanguageModel", o, decoder - attention - norm + 8 * D, [](nn::LanguageModel& m, DType) {
    return weighted_sum(m(Tensor::from(std::vector<int64_t>{2, 4, 5, 2, 6, 6}, {2, 3})));
  });
}

// nn/sentence/
void sentences(std::vector<ModuleCase>& all) {
  nn::TransformerOptions o{.source_vocabulary = 7,
                           .model = 4,
                           .heads = 2,
                           .inner = 6,
                           .encoder_layers = 2,
                           .activation = "gelu",
                           .norm_first = true,
                           .dropout = 0.1,
                           .token_types = 2};
  auto guess = [](nn::MaskedWordModel& m, DType) {
    Tensor ids = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4});
    Tensor kinds = Tensor::from(std::vector<int64_t>{0, 0, 1, 1, 0, 1, 1, 1}, {2, 4});
    Tensor lengths = Tensor::from(std::vector<int64_t>{4, 2}, {2}),
           places = Tensor::from(std::vector<int64_t>{1, 4}, {2});
    return cross_entropy(m(ids, lengths, kinds, places), Tensor::from(std::vector<int64_t>{6, 2}, {2}));
  };
  add<nn::MaskedWordModel>(all, "MaskedWordModel", o, nn::masked_word_parameters(o), guess);
  o.positions = "learned", o.max_positions = 4, o.norm = "rms", o.output_bias = false;
  add<nn::MaskedWordModel>(all, "MaskedWordModel, learned positions", o, nn::masked_word_parameters(o), guess);
}

}  // namespace heed::nn_test
