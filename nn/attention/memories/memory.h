// The memory of attention: what a sequence that grows word by word, or segment by segment, keeps of its earlier words.
//
// clang-format off
//   growing     all keys and values                     head_cache.h     T rows after T words
//   ring        those of the last W words               ring.h           W rows, whatever T is
//   segment     inputs of the layer, the last M words,  segment.h        M rows and the segment
//               without gradient, projected when read
//   latent      one narrow row per word, widened        latent.h         T narrow rows
//   paged       as growing, in blocks that beams share  paged.h          T rows, fewer for beams
//   forgetting  those of the first and the last words,  forgetting.h     a fixed number of rows
//               and of the most read ones
//   prompt      those of the prompt that its last       chosen_prompt.h  c rows, and those of
//               words read most, and all later ones                      the words after the prompt
//   state       running sums of an evaluator            the evaluator's  one matrix per head
// clang-format on
//
// Causal attention never looks ahead, so the keys and values of past words do not change when a word is added
// (Shazeer, "Fast transformer decoding", 2019): a step projects one word and reads the rest from here. A memory carries
// no gradient unless it says so. B batch, G heads of keys and values (those of the queries, or fewer), n new words, S
// words that are kept, K and V widths of a head.
#pragma once

#include <functional>

#include "autograd/variable.h"
#include "nn/attention/places.h"

namespace heed::nn {

// Keys and values projected and cut into heads, keys as the score prepared them. For a memory that keeps rows of which
// keys and values are made, `append` takes those rows in the place of the keys, [B, 1, n, width], and no values.
struct HeadMemory {
  Variable keys, values;     // [B, G, S, K], [B, G, S, V]
  Tensor padding_mask = {};  // bool [B, S], false for padding: of words appended to a state that keeps no single word
};

using Undo = std::function<void()>;

class AttentionMemory {
 public:
  virtual ~AttentionMemory() = default;
  virtual void append(const HeadMemory& words) = 0;    // [B, G, n, K] and [B, G, n, V]: one word or several
  virtual HeadMemory view() const = 0;                 // what is kept; holds until the next append; undefined before it
  virtual bool keeps_inputs() const { return false; }  // does append take the inputs of attention, [B, 1, n, D]?
  virtual void keep(const Tensor& rows) = 0;  // rows [B'] i64: row i becomes what row rows[i] was (beam search)
  virtual int64_t words() const = 0;          // the number appended in all: the place of the next word
  virtual KeptKeys kept() const { return {.end = words()}; }                     // the words whose keys view() has
  virtual KeptKeys kept_after(int64_t n) const { return {.end = words() + n}; }  // the same, after n more words
  virtual bool one_word_at_a_time() const { return false; }  // does what is kept depend on each word that is appended?
  virtual bool keeps_unturned() const {
    return false;
  }  // are keys appended before the position rotates them and the score prepares them?
  // Does it choose what it keeps by the weights of this call? saw: [B, H, n, L], over the keys of view().
  virtual bool reads_weights() const { return false; }
  virtual void saw(const Tensor& /*weights*/) {}
  virtual int64_t bytes() const = 0;  // of what is kept, without the room to spare
  virtual Undo undo() = 0;            // restores what is kept now, after any number of appends: undo_of(*this)
};

// A copy shares the rows with the memory, and an append never overwrites them: it writes after them, or elsewhere.
template <class Memory>
Undo undo_of(Memory& memory) {
  return [&memory, kept = memory] { memory = kept; };
}

// Calls step(). If it throws, `undo` restores the memory, as if the step had not been tried.
template <class Step>
auto or_undo(const Undo& undo, const Step& step) {
  try {
    return step();
  } catch (...) {
    undo();
    throw;
  }
}

}  // namespace heed::nn
