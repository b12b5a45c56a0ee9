// The pointer network (Vinyals, Fortunato and Jaitly, NeurIPS 2015, section 2.3): the output is a position of the
// source, and its probability is the weight that attention gives it. There is no output matrix, so one model serves
// sources of any length.
//
//   p(y_t = s) = a_ts
//
// Searches and losses keep the four special ids of a vocabulary: position s is the id 4 + s, and the position of the
// source's </s> is the id of </s>, which ends the output. So V' = 4 + S, and <pad>, <unk> and <s> are never reached.
// What the decoder reads next is the embedding of the source word at the position.
//
// Nothing keeps it from pointing at a position twice; a search for a permutation has to forbid that.
#pragma once

#include "autograd/ops.h"
#include "nn/models/output_heads/output_head.h"
#include "nn/text/vocabulary.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace heed::nn {

struct Pointer final : OutputHead {
  using Words = text::Vocabulary;
  Pointer(const OutputHeadOptions& o, Generator&) : OutputHead(o) {}

  Variable operator()(const Variable&, const Variable& alignment, const OutputSource& source) const override {
    Call call(*this);
    Tensor slots;
    if (source.ids.defined())
      slots = where(equal(source.ids, kStop), Tensor::full({}, kStop, DType::i64),
                    add(Tensor::arange(source.ids.size(1)), kFirst));  // [B, S]
    int64_t size = source.ids.defined() ? Words::specials + source.ids.size(1) : 0;
    return call.result("output", log(copied(alignment, slots, size) + kUnreached));  // [.., 4 + S]
  }
  bool needs_alignment() const override { return true; }
  Tensor source_words(const Tensor& ids) const override { return known_words(ids, options.vocabulary); }
  Tensor target_words(const Tensor& ids, const OutputSource& source) const override {  // [B, T] or [B]
    Tensor points = greater_equal(ids, kFirst), position = maximum(sub(ids, kFirst), Tensor::scalar(0, DType::i64));
    Tensor at = ids.rank() == 1 ? position.unsqueeze(1) : position;  // [B, T]
    return where(points, gather_last(source_words(source.ids), at).reshape(ids.shape()), ids);
  }

 private:
  static constexpr double kStop = Words::stop, kFirst = Words::specials;
};

}  // namespace heed::nn
