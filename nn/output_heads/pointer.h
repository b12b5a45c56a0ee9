// The pointer network (Vinyals, Fortunato and Jaitly, NeurIPS 2015, section 2.3): the output is a position of the
// source, and its probability is the weight that attention gives it. There is no output matrix, so one model serves
// sources of any length.
//
//   p(y_t = s) = a_ts
//
// Searches and losses keep the four special ids of a vocabulary: position s is the id 4 + s, and the position of the
// source's </s> is the id of </s>, which ends the output. So V' = 4 + S, and <pad>, <unk> and <s> are never reached.
// The decoder then reads the embedding of the source word at that position.
//
// Nothing keeps it from pointing at a position twice; a search for a permutation has to forbid that.
#pragma once

#include "autograd/ops.h"
#include "nn/about.h"
#include "nn/output_heads/output_head.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed::nn {

inline constexpr About kAboutPointer{
    .names = {"D6", "pointer", "Ptr-Net"},
    .formula = "p(y_t = s) = a_ts: the outputs are the positions of the source",
    .paper = {"Vinyals, Fortunato and Jaitly, NeurIPS 2015", 2015, 2},
    .idea =
        "The attention weights are the output probabilities: the model points at a position of its input. It needs no "
        "vocabulary of answers. So one model can be applied to sources of any length, also longer than those of "
        "training.",
    .wrong = "The number of possible outputs is the length of the source, so it changes from sentence to sentence.",
    .shapes = "a [B, T, S] -> log p [B, T, S]",
    .cost = "no parameters of its own",
    .own = {"outputs_are_the_attention", "a_pointer_network_reverses"},
};

struct Pointer final : OutputHead {
  using Words = text::Vocabulary;
  Pointer(const OutputHeadOptions& o, Generator&) : OutputHead(o) {}

  Variable operator()(const Variable&, const Variable& alignment, const OutputSource& source) const override {
    Call call(*this);
    return call.result("output", log(copied(alignment, slots(source), outputs(source)) + kUnreached));  // [.., 4 + S]
  }
  Tensor writable(const OutputSource& source) const override {
    return reached(slots(source), source.lengths, outputs(source));
  }
  bool needs_alignment() const override { return true; }
  Tensor source_words(const Tensor& ids) const override { return known_words(ids, options.vocabulary); }
  Tensor target_words(const Tensor& ids, const OutputSource& source) const override {  // [B, T] or [B]
    Tensor points = greater_equal(ids, kFirst), position = maximum(sub(ids, kFirst), Tensor::scalar(0, DType::i64));
    Tensor at = ids.rank() == 1 ? position.unsqueeze(1) : position;  // [B, T]
    return where(points, gather_last(source_words(source.ids), at).reshape(ids.shape()), ids);
  }

 private:
  static int64_t outputs(const OutputSource& source) {  // V'
    return source.ids.defined() ? Words::specials + source.ids.size(1) : 0;
  }
  static Tensor slots(const OutputSource& source) {  // the output of each position, [B, S]
    if (!source.ids.defined()) return {};
    return where(equal(source.ids, kStop), Tensor::full({}, kStop, DType::i64),
                 add(Tensor::arange(source.ids.size(1)), kFirst));
  }
  static constexpr double kStop = Words::stop, kFirst = Words::specials;
};

}  // namespace heed::nn
