// A mixer whose output t depends on the words up to t through a state of constant size, as in a recurrent network.
//
//   causal    y = pass(x)                                `extend` continues from the state, without a cache
//   encoder   y = pass(x) + flip(pass(flip(x)))          read from the left and from the right with the same parameters
//
// The papers of these mixers describe causal models only; the sum of two directions is a choice of this library. The
// bytes of the state do not depend on the number of words. Words of padding are 0 and must leave the state as it was. B
// batch, T words, D width, H heads, K = D / H width of a head.
#pragma once

#include <vector>

#include "nn/attention/mixers/heads.h"
#include "nn/layers.h"

namespace heed::nn {

struct RecurrentMixer : Mixer {
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const final;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const final;
  MixerOptions options;

 protected:
  RecurrentMixer(const MixerOptions& o, const char* name);
  static Linear square_layer(int64_t width, Generator& rng);  // without a bias
  // x [B, n, D] follows `first` words; words bool [B, n] or undefined. `state` has what those left, nothing before the
  // first word, and receives what the next words need: [B, ..] each.
  virtual Variable pass(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state) const = 0;
  // The same for a mixer that passes(): `left` is its place in MixerInput::passed, one for each direction. It is
  // undefined in the first layer that reads it, which fills it; null outside a stack.
  virtual Variable pass_on(const Variable& x, const Tensor& words, int64_t first, std::vector<Variable>& state,
                           Variable* /*left*/) const {
    return pass(x, words, first, state);
  }

 private:
  Variable* left_in(const MixerInput& in, const char* direction) const;
};

// The inputs shifted by one place: word t - 1 at t, and `before` [B, 1, D] (undefined: 0) at the first.
Variable previous_words(const Variable& x, const Variable& before);
Variable last_word(const Variable& x);  // [B, T, D] -> [B, 1, D]

}  // namespace heed::nn
