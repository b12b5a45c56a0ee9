// Cases of nn/layers.h, nn/lora.h, nn/norm.h, nn/batch_norm.h, nn/convolution2d.h and nn/sequential.h.
#include "nn/batch_norm.h"
#include "nn/cases/examples.h"
#include "nn/convolution2d.h"
#include "nn/layers.h"
#include "nn/lora.h"
#include "nn/norm.h"

namespace heed {

using nn::In;
using nn::module_case;

std::vector<CaseRow> layer_cases() {
  auto apply = [](nn::Linear& m, In in) { return m(in[0]); };
  std::vector<Case> dense{
      module_case<nn::Linear>("[2, 3]", {.in = 3, .out = 4}, {{2, 3}}, apply),
      module_case<nn::Linear>("[3]", {.in = 3, .out = 2}, {{3}}, apply),
      module_case<nn::Linear>("[2, 2, 3]", {.in = 3, .out = 2}, {{2, 2, 3}}, apply),
      module_case<nn::Linear>("[2, 3] no bias", {.in = 3, .out = 4, .bias = false}, {{2, 3}}, apply),
      module_case<nn::Linear>("[0, 3]", {.in = 3, .out = 4}, {{0, 3}}, apply),
      module_case<nn::Linear>("[3, 2] transposed", {.in = 3, .out = 4}, {{3, 2}},
                              [](nn::Linear& m, In in) { return m(transpose(in[0], 0, 1)); }),
  };

  Tensor ids = Tensor::from(std::vector<int64_t>{3, 1, 3, 0, 2, 1}, {2, 3});
  std::vector<Case> table{
      module_case<nn::Embedding>("[2, 3] of 4", {.vocabulary = 4, .width = 2}, {},
                                 [ids](nn::Embedding& m, In) { return m(ids); }),
      // The input contains the padding id. Its row gets no gradient, so it is a constant here, as it is in training.
      module_case<nn::Embedding>("[2, 3] of 4, padding 1", {.vocabulary = 4, .width = 2, .padding = 1}, {},
                                 [ids](nn::Embedding& m, In) {
                                   Tensor padding = Tensor::from_bools({0, 1, 0, 0}, {4, 1});
                                   m.weight = masked_fill(m.weight, padding, 0);
                                   return m(ids);
                                 }),
      module_case<nn::Embedding>("twice, tied to an output layer", {.vocabulary = 4, .width = 2}, {},
                                 [ids](nn::Embedding& m, In) { return linear(tanh(m(ids)), m.weight, {}); }),
  };

  std::vector<Case> adapters{
      module_case<nn::Lora>("[2, 4], rank 2", {.in = 4, .out = 3, .rank = 2, .alpha = 3}, {{2, 4}},
                            [](nn::Lora& m, In in) { return m(in[0]); }),
      module_case<nn::Lora>("their product beside a matrix", {.in = 3, .out = 3, .rank = 1}, {{2, 3}, {3, 3}},
                            [](nn::Lora& m, In in) { return linear(in[0], in[1] + m.product(), {}); }),
  };

  std::vector<Case> drops;
  for (double p : {0.0, 0.5, 1.0})
    drops.push_back(module_case<nn::Dropout>("[4, 5] training, p " + std::to_string(p).substr(0, 3), {.p = p}, {{4, 5}},
                                             [](nn::Dropout& m, In in) { return m(in[0] * in[0]); }));
  drops.push_back(module_case<nn::Dropout>("[4, 5] twice", {.p = 0.3}, {{4, 5}},
                                           [](nn::Dropout& m, In in) { return m(tanh(m(in[0]))); }));
  drops.push_back(module_case<nn::Dropout>("[4, 5] evaluating", {.p = 0.5}, {{4, 5}}, [](nn::Dropout& m, In in) {
    nn::set_training(m, /*training=*/false);
    return m(in[0] * in[0]);
  }));

  auto centre = [](nn::LayerNorm& m, In in) { return m(in[0]); };
  auto scale = [](nn::RMSNorm& m, In in) { return m(in[0]); };
  std::vector<Case> layer_norms{
      module_case<nn::LayerNorm>("[2, 3]", {.shape = {3}}, {{2, 3}}, centre),
      module_case<nn::LayerNorm>("[2, 2, 3] over two axes", {.shape = {2, 3}}, {{2, 2, 3}}, centre),
      module_case<nn::LayerNorm>("[4] no bias", {.shape = {4}, .bias = false}, {{4}}, centre),
      module_case<nn::LayerNorm>("[2, 3] neither weight nor bias", {.shape = {3}, .affine = false}, {{2, 3}}, centre),
  };
  std::vector<Case> rms_norms{
      module_case<nn::RMSNorm>("[2, 3]", {.shape = {3}}, {{2, 3}}, scale),
      module_case<nn::RMSNorm>("[2, 2, 3] over two axes", {.shape = {2, 3}}, {{2, 2, 3}}, scale),
      module_case<nn::RMSNorm>("[2, 3] no weight", {.shape = {3}, .affine = false}, {{2, 3}}, scale),
  };

  std::vector<Case> batch_norms{
      module_case<nn::BatchNorm>("[4, 3] training", {.width = 3}, {{4, 3}},
                                 [](nn::BatchNorm& m, In in) { return m(in[0]); }),
      module_case<nn::BatchNorm>("[2, 2, 3] evaluating", {.width = 3}, {{2, 2, 3}},
                                 [](nn::BatchNorm& m, In in) {
                                   nn::set_training(m, /*training=*/false);
                                   return m(in[0]);
                                 }),
  };
  auto convolve = [](nn::Convolution2d& m, In in) { return m(in[0]); };
  std::vector<Case> convolutions{
      module_case<nn::Convolution2d>("[1, 3, 2, 2]", {.in = 2, .out = 3, .height = 3, .width = 2}, {{1, 3, 2, 2}},
                                     convolve),
      module_case<nn::Convolution2d>("[1, 2, 3, 4] two groups",
                                     {.in = 4, .out = 4, .height = 3, .width = 3, .groups = 2, .bias = false},
                                     {{1, 2, 3, 4}}, convolve),
      module_case<nn::Convolution2d>("[2, 3, 2, 2] depthwise",
                                     {.in = 2, .out = 2, .height = 3, .width = 3, .groups = 2}, {{2, 3, 2, 2}},
                                     convolve),
  };

  std::vector<Case> rows_of_modules{
      module_case<Perceptron>("[2, 3]", {.in = 3, .inner = 4, .out = 2}, {{2, 3}},
                              [](Perceptron& m, In in) { return m(in[0]); }),
      module_case<Perceptron>("[2, 2, 3] dropout", {.in = 3, .inner = 4, .out = 1, .dropout = 0.5}, {{2, 2, 3}},
                              [](Perceptron& m, In in) { return m(in[0] * in[0]); }),
  };

  return {nn::module_row("Linear", std::move(dense)),
          nn::module_row("Embedding", std::move(table)),
          nn::module_row("Lora", std::move(adapters)),
          nn::module_row("Dropout", std::move(drops)),
          nn::module_row("LayerNorm", std::move(layer_norms)),
          nn::module_row("RMSNorm", std::move(rms_norms)),
          nn::module_row("BatchNorm", std::move(batch_norms)),
          nn::module_row("Convolution2d", std::move(convolutions)),
          nn::module_row("Sequential", std::move(rows_of_modules))};
}

}  // namespace heed
