// A mixer with heads of its own (own_heads.h) that keeps keys and values between steps in place of its inputs, so that
// a step projects only its own words. What else its kind of attention needs (the state of a convolution, a running sum)
// is part of the same state.
//
// `read_after` is given the words that follow those of the state, and replaces the state. All words at once are the
// words that follow none. An encoder does not go word by word: it keeps its inputs. B batch, n new words, S words so
// far.
#pragma once

#include <vector>

#include "nn/attention/mixers/own_heads.h"

namespace heed::nn {

struct OwnCacheMixer : OwnHeadsMixer {
  std::unique_ptr<AttentionMemory> memory() const final;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const final;

 protected:
  using OwnHeadsMixer::OwnHeadsMixer;
  // heads.allowed is a mask of [n, S]. The state is empty before the first word; [B, ..] each.
  virtual Attended read_after(const OwnHeads& heads, std::vector<Variable>& state) const = 0;
  Attended read(const OwnHeads& heads) const final;
};

}  // namespace heed::nn
