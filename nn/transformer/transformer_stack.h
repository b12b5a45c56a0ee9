// A stack of transformer layers (transformer_layer.h), with what its layers share: a position, keys and values, and
// what they pass on to each other (nn/attention/around/around.h). Training may keep the input of a group of layers
// alone (stack_checkpoint.cpp). B batch, T words, S words of the source, D width of the model, H heads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/transformer/transformer_layer.h"

namespace heed::nn {

// What takes the place of self-attention, or of one of its stages, in one layer of a stack; without a name: the stack's
// own.
struct LayerMixer {
  ScopeOptions scope = {};
  EvaluatorOptions evaluator = {};
  MixerOptions mixer = {};
};

struct TransformerStackOptions {
  TransformerLayerOptions layer;
  int64_t layers;
  bool final_norm = true;               // as nn.Transformer's stacks have it, norm first or last
  int64_t shared_keys = 1;              // this many layers in a row have the keys and values of the first of them
  std::vector<LayerMixer> mixers = {};  // layer i has mixer i mod their number; none: all layers alike
};
// Layer i of a stack: the stack's layer with its mixer and its pruned heads. The first mixes no values.
TransformerLayerOptions layer_of(const TransformerStackOptions& stack, int64_t i);

struct TransformerStack : Module {
  static constexpr About about{
      .names = {"G9", "shared_keys", "cross-layer attention", "CLA", "YOCO"},
      .formula = "layers n, n + 1, .., n + L - 1 read k and v of layer n; each has queries of its own",
      .paper = {"Brandon et al. (CLA), NeurIPS 2024; Sun et al. (YOCO), NeurIPS 2024", 2024, 4},
      .idea =
          "Several layers in a row use the keys and values that the first of them has computed. Each layer has queries "
          "of its own, so it can still look for something else. The cache of a decoder shrinks by the number of layers "
          "that share.",
      .wrong =
          "A layer that shares keys still needs to know the position of its first query. It has no cache of its own to "
          "count the words in.",
      .shapes = "[B, G, S, K] -> [B, G, S, K]",
      .cost = "in a layer that shares 2 S D^2 G/H products and as many parameters less, and no cache",
      .own = {"second_layer_reads_the_first", "shared_cache_is_the_whole"},
      .cases = "TransformerStack",
      .architecture = "transformer",
      .option = "shared_keys",
      .text = "L",
  };

  using Options = TransformerStackOptions;
  TransformerStack(const Options& options, Generator& rng);
  // ValueError if a layer has a stage that reads places themselves: in rows that begin elsewhere it would be wrong.
  void require_distances(const char* rows) const;
  // The weights are those of the last layer, if `in` asks for them. One cache for each layer, in order; if it throws,
  // all are what they were.
  LayerOutput operator()(const Variable& x, const LayerInput& in = {}, std::vector<LayerCache>* caches = nullptr) const;
  void visit(Visitor& v);
  Options options;
  // Training: this many layers at a time keep only their input, and backward computes the rest again
  // (autograd/checkpoint.h): less memory, one forward pass more, the same bits. 0: every layer keeps its values. The
  // stack must stay where it is until backward.
  int64_t checkpoint = 0;
  std::vector<TransformerLayer> layers;
  std::unique_ptr<HeadPosition> position;  // one for all layers; none where each layer has its own
  std::optional<AnyNorm> norm;

 private:
  LayerOutput run(const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches) const;
  // Where layer i finds the keys of its memory, which may keep the last words only.
  KeptKeys kept(size_t i, int64_t count, const std::vector<LayerCache>& caches) const;  // after `count` more words
  LayerOutput in_turn(const Variable& x, const LayerInput& in, std::vector<LayerCache>& caches) const;
  Places places_of(const Variable& x, const Places& given, size_t i, std::vector<LayerCache>* caches) const;
  bool passes_on() const;                                        // do its layers leave anything for each other?
  Variable bias(const Variable& x, const Places& places) const;  // [1, H, T, S] or [B, H, T, S]; undefined: none
  LayerOutput finished(Call& call, LayerOutput h) const;         // with the norm of the stack
  // Layers [first, last) in one checkpoint (stack_checkpoint.cpp).
  LayerOutput checkpointed(size_t first, size_t last, const Variable& x, const LayerInput& in) const;
};

}  // namespace heed::nn
