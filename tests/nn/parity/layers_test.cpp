// Layers and losses against PyTorch's own numbers: outputs and the gradient of every input and parameter.
#include <doctest/doctest.h>

#include <sstream>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/norm.h"
#include "tests/nn/parity/golden.h"

using namespace heed;
using parity::Golden;
using parity::in_both_precisions;

TEST_SUITE("parity") {
  TEST_CASE("Embedding") {
    for (std::string name : {"embedding", "embedding_padding"})
      in_both_precisions(name, [&](Golden& g, DType) {
        Generator rng(1);
        bool padded = name == "embedding_padding";
        nn::Embedding table({.vocabulary = g.integer("num_embeddings"),
                             .width = g.integer("embedding_dim"),
                             .padding = padded ? g.integer("padding_idx") : -1},
                            rng);
        g.load(table);
        g.check_module(table, {{"y", table(g.ids("ids"))}}, {});
      });
  }

  TEST_CASE("Linear") {
    for (std::string name : {"linear", "linear_nobias"})
      in_both_precisions(name, [](Golden& g, DType) {
        Generator rng(1);
        nn::Linear layer({.in = g.integer("in_features"), .out = g.integer("out_features"), .bias = g.flag("bias")},
                         rng);
        g.load(layer);
        Variable x = g.leaf("x");
        g.check_module(layer, {{"y", layer(x)}}, {{"x", x}});
      });
  }

  TEST_CASE("LayerNorm: fused and composed, to the second derivative") {
    for (std::string name : {"layer_norm", "layer_norm_eps", "layer_norm_noaffine", "layer_norm_two_axes"})
      for (bool fused : {true, false})
        in_both_precisions(name, [&](Golden& g, DType) {
          Generator rng(1);
          nn::LayerNorm::Options o{.shape = {}, .eps = g.number("eps"), .affine = g.flag("elementwise_affine")};
          std::stringstream sizes(g.text("normalized_shape"));
          for (std::string size; std::getline(sizes, size, ',');) o.shape.push_back(std::stoll(size));
          nn::LayerNorm layer(o, rng);
          g.load(layer);
          parity::Named inputs{{"x", g.leaf("x")}};
          for (auto& p : nn::named_parameters(layer)) inputs.emplace_back(p.name, p.variable);
          const Variable& x = inputs[0].second;
          Variable y = fused ? layer(x)
                             : layer_norm_composed(x, layer.weight, layer.bias, {.axes = o.shape.rank(), .eps = o.eps});
          g.check_second_order("y", y, inputs);
        });
  }

  TEST_CASE("softmax and log_softmax along any axis, and where exp would overflow") {
    for (std::string form : {"", "_dim0", "_dim1", "_large"}) {
      in_both_precisions("softmax" + form, [](Golden& g, DType) {
        Variable x = g.leaf("x");
        g.check({{"y", softmax(x, g.integer("dim"))}}, {{"x", x}});
      });
      in_both_precisions("log_softmax" + form, [](Golden& g, DType) {
        Variable x = g.leaf("x");
        g.check({{"y", log_softmax(x, g.integer("dim"))}}, {{"x", x}});
      });
    }
  }

  TEST_CASE("cross-entropy: smoothing, ignored targets, all three reductions; fused and composed") {
    std::vector<std::string> names{"cross_entropy_ignore_negative_mean",
                                   "cross_entropy_ignore_negative_smoothing_mean"};
    for (std::string what : {"plain", "smoothing", "ignore", "ignore_smoothing"})
      for (std::string reduction : {"mean", "sum", "none"}) names.push_back("cross_entropy_" + what + "_" + reduction);
    for (const std::string& name : names)
      for (auto* loss : {&cross_entropy, &cross_entropy_composed})
        in_both_precisions(name, [&](Golden& g, DType) {
          CrossEntropyOptions o{.label_smoothing = g.number("label_smoothing")};
          if (g.text("ignore_index") != "none") o.ignore_index = g.integer("ignore_index");
          std::string reduction = g.text("reduction");
          o.reduction = reduction == "mean" ? Reduction::mean : reduction == "sum" ? Reduction::sum : Reduction::none;
          Variable logits = g.leaf("logits");
          g.check({{"loss", loss(logits, g.ids("target"), o)}}, {{"logits", logits}});
        });
  }
}
