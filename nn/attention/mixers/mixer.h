// A mixer: what takes the place of self-attention in a layer of a transformer. It takes the words of a sequence,
// [B, T, D], and gives back as many, each with information from the others.
//
//   all words      operator()(x, in)           x [B, T, D]                                        -> [B, T, D]
//   word by word   extend(x, memory, in)       x [B, n, D] follows the words of the memory        -> [B, n, D]
//
// Both give the same numbers. A mixer whose output t reads the words up to t only is causal; one that cannot be made
// causal refuses `causal` when it is built, and can be used in encoders only. A causal mixer without a method for one
// word at a time keeps its inputs and computes all words again (input_memory.h): exact, and T times as much work.
//
// A mixer is told the key padding mask, and padding never changes the output of a word. Padding before the words is
// moved after them, so that tables of places and blocks begin at the first word; padding between words keeps its
// place, and is 0 there. A mixer takes no attention mask, no bias and no position inside attention: order enters with
// the embedding, or it is a part of the mixer.
//
// Options: query = key = D, the width of the model; heads; causal. A mixer is a header, a source, and a line of
// all.cpp; `heed train --mixers NAME` and --encoder-mixers NAME choose it. B batch, T words, D width.
#pragma once

#include <memory>

#include "nn/attention/memories/memory.h"
#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

using MixerOptions = StageOptions;

struct Passed;  // nn/attention/around/around.h

struct MixerInput {
  Tensor words = {};     // key padding mask, bool [B, T], with a memory of all words so far; undefined: no padding
  bool weights = false;  // set to get the weights back, from a mixer that has any
  // What earlier layers of a stack have left for this one, and it for later ones: values of the first layer, say. Null
  // outside a stack, or where no layer passes anything on. Of words in the order in which mixers see them: padding
  // last.
  Passed* passed = nullptr;
};

struct Mixed {
  Variable output;        // [B, T, D]
  Variable weights = {};  // [B, H, T, S]; undefined unless requested, and where a mixer has none
};

struct Mixer : Module {
  using Stage = Mixer;
  Mixer() = default;
  Mixer(Mixer&&) = default;
  Mixer& operator=(Mixer&&) = default;
  virtual ~Mixer() = default;
  // Checks the shapes, replaces padding by 0, moves what is before the first word to the end and calls `mix`. No words
  // give no words. ShapeError.
  Mixed operator()(const Variable& x, const MixerInput& in) const;
  virtual std::unique_ptr<AttentionMemory> memory() const;  // an empty one, for extend
  // Checks the shapes and calls `continued`. If that throws, the memory is what it was. ShapeError.
  Mixed extend(const Variable& x, AttentionMemory& memory, const MixerInput& in) const;
  virtual bool passes() const { return false; }  // does it use MixerInput::passed?
  virtual void visit(Visitor&) {}

  int64_t width = 0;  // D, if it is known: make_mixer sets it

 protected:
  virtual Mixed mix(const Variable& x, const MixerInput& in) const = 0;  // T > 0; x is 0 at padding
  // The words that follow those of the memory. in.words covers all of them.
  virtual Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const;
};

// From a row of the registry. ValueError for a name or a setting that it does not have.
std::unique_ptr<Mixer> make_mixer(const MixerOptions& options, Generator& rng);

// ValueError, with the reason, for a mixer that is to be causal and cannot be.
void require_not_causal(const MixerOptions& options, const char* reason);
// x with 0 at padding, whatever was there. x [B, T, D], words bool [B, T] or undefined.
Variable words_only(const Variable& x, const Tensor& words);

}  // namespace heed::nn
