// One call of a stack: the input of each of its layers. It is the input of the call, and in addition
//   self.bias     what a position that all layers share (t5) adds to the scores of the keys in the layer's cache
//   self.passed   where layers leave keys and values for later layers
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

struct StackCall {
  // With caches that are empty it makes one for each layer.
  StackCall(const TransformerStack& stack, const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches);
  StackCall(const StackCall&) = delete;
  StackCall& operator=(const StackCall&) = delete;

  bool one_word_at_a_time() const;  // a memory forgets, and x has several words
  bool checkpoints();               // training in checkpoints? `layer_input` is then complete, for all layers
  size_t next(size_t i) const;      // the first layer after those which share a checkpoint with layer i
  const LayerInput& of_layer(size_t i);
  LayerCache* cache(size_t i) const { return caches ? &caches->at(i) : nullptr; }

  LayerInput layer_input;

 private:
  bool passes_on() const;                     // do layers leave anything for later ones?
  KeptKeys kept(size_t i) const;              // of the memory of layer i, with the words of x
  Places places_of(size_t i) const;           // of the queries and keys of layer i
  void add(const Variable& bias);             // sets layer_input.self.bias: that of the call plus this one
  Variable bias(const Places& places) const;  // of the shared position, [1, H, T, S] or [B, H, T, S]; undefined: none

  const TransformerStack& stack;
  const Variable& x;
  const LayerInput& in;
  std::vector<LayerCache>* caches;
  Passed passed;
  Variable shared_bias;         // of the shared position
  int64_t bias_first_key = -1;  // where its keys begin, if they are without gaps
};

}  // namespace heed::nn
