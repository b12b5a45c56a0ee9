// The segment memory of Transformer-XL (Dai et al., ACL 2019, section 3.2): a long text is read in segments, and each
// segment also sees the M words before it. The vectors of those words are kept without gradient.
//
//   h~ = [stop_gradient(h of the last M words); h of this segment]        the input of attention in one layer
//   q = h W_q^T        k, v = h~ W_k^T, h~ W_v^T                          projected again, with the current weights
//
// One append is one segment. As in the paper, gradient flows into the words of this segment, and into W_k and W_v
// through all words; it never flows into an earlier segment. Keeping projected keys would be cheaper, but those keys
// would come from weights that training has changed since. Each layer reaches back M words, so N layers reach N M.
//
// What is kept is the input of attention. With norm last that is the paper's h; with norm first it is norm(h), whose
// scale and shift are those of the step that computed it.
//
// Each call of view() projects again; the result is not stored. B batch, n words of a segment, D width of the model.
#pragma once

#include <functional>

#include "nn/attention/memories/memory.h"
#include "nn/attention/stage.h"

namespace heed::nn {

inline constexpr About kAboutSegmentMemory{
    .names = {"E18", "segment_memory", "Transformer-XL recurrence", "segment_caches"},
    .formula = "k, v from [stop_gradient(h of the last M words); h of the segment], with the weights of now",
    .paper = {"Dai et al., ACL 2019", 2019, 2},
    .idea =
        "A long text is read in segments, and the states of earlier words are kept for the next segment. So the "
        "context is longer than a segment, and it grows with the number of layers. Positions must be relative, since "
        "every segment counts its positions from the start.",
    .wrong =
        "As in the paper, no gradient flows into the memory. What is kept are states, which the current weights "
        "project to keys and values again.",
    .shapes = "h [B, n, D] -> keys and values of M + n words",
    .cost = "2 (M + n) D^2 products a segment for keys and values; M D numbers a layer and sentence",
    .own = {"long_memory_is_full_attention", "gradient_stays_in_the_segment", "segments_train_a_model"},
    .cases = "MultiHeadAttention",
};

// Inputs of attention [B, S, D], the place of the first -> keys and values of heads.
using Projection = std::function<HeadMemory(const Variable& inputs, int64_t first)>;

class SegmentMemory final : public AttentionMemory {
 public:
  SegmentMemory(int64_t length, Projection project);  // M; ValueError below 0
  bool keeps_inputs() const override { return true; }
  void append(const HeadMemory& words) override;  // a segment [B, 1, n, D] as the keys, no values
  HeadMemory view() const override;
  void keep(const Tensor& rows) override;
  int64_t words() const override { return words_; }
  KeptKeys kept() const override;
  KeptKeys kept_after(int64_t n) const override;
  int64_t bytes() const override;
  Undo undo() override { return undo_of(*this); }

 private:
  int64_t rows() const;
  int64_t length_, words_ = 0;
  Projection project_;
  Variable past_, segment_;  // [B, S, D] without gradient, [B, n, D]
};

}  // namespace heed::nn
