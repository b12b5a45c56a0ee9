// One call of a stack: what its layers share. The input of each layer is the call's, with the bias of the stack's own
// position, where that position finds the keys which the layer's cache still has, and what layers pass on.
#pragma once

#include "nn/transformer/transformer.h"

namespace heed::nn {

struct StackCall {
  // With caches that are empty it makes one for each layer.
  StackCall(const TransformerStack& stack, const Variable& x, const LayerInput& in, std::vector<LayerCache>* caches);
  StackCall(const StackCall&) = delete;
  StackCall& operator=(const StackCall&) = delete;

  bool one_word_at_a_time() const;  // a memory forgets, and x has several words
  bool checkpoints();               // training, with layers that keep only their input: `seen` is then complete
  size_t next(size_t i) const;      // the first layer after those which share a checkpoint with layer i
  const LayerInput& of_layer(size_t i);
  LayerCache* cache(size_t i) const { return caches ? &caches->at(i) : nullptr; }

  LayerInput seen;

 private:
  bool passes_on() const;                     // do its layers leave anything for each other?
  KeptKeys kept(size_t i) const;              // of the memory of layer i, with the words of x
  Places places_of(size_t i) const;           // of the queries and keys of layer i
  void add(const Variable& bias);             // of the shared position
  Variable bias(const Places& places) const;  // [1, H, T, S] or [B, H, T, S]; undefined: none

  const TransformerStack& stack;
  const Variable& x;
  const LayerInput& in;
  std::vector<LayerCache>* caches;
  Passed passed;
  Variable more;              // the bias of the shared position
  int64_t of_first_key = -1;  // the first key that it is for, in a row without gaps
};

}  // namespace heed::nn
