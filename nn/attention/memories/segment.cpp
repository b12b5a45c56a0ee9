#include "nn/attention/memories/segment.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

int64_t rows_of(const Variable& x) { return x.defined() ? x.size(1) : 0; }

Variable joined_words(const Variable& past, const Variable& segment) {
  return past.defined() ? concat({past, segment}, 1) : segment;
}

}  // namespace

SegmentMemory::SegmentMemory(int64_t length, Projection project) : length_(length), project_(std::move(project)) {
  if (length < 0) throw ValueError(fmt::format("SegmentMemory: its length must not be negative; got {}", length));
}

int64_t SegmentMemory::rows() const { return rows_of(past_) + rows_of(segment_); }
KeptKeys SegmentMemory::kept() const { return {.first = words_ - rows(), .end = words_}; }
KeptKeys SegmentMemory::kept_after(int64_t n) const {
  return {.first = words_ - std::min(rows(), length_), .end = words_ + n};
}

void SegmentMemory::append(const HeadMemory& words) {
  const Variable& x = words.keys;
  bool inputs = x.rank() == 4 && x.size(1) == 1 && !words.values.defined();
  bool fits = inputs && (!segment_.defined() || (x.size(0) == segment_.size(0) && x.size(3) == segment_.size(2) &&
                                                 x.dtype() == segment_.dtype()));
  if (!fits)
    throw ShapeError(
        fmt::format("SegmentMemory: needs inputs of attention [B, 1, n, D] that fit those that are kept, {}, and no "
                    "values; got {}{}",
                    segment_.defined() ? to_string(segment_.shape()) : "none", to_string(x.shape()),
                    words.values.defined() ? " with values" : ""));
  if (segment_.defined()) {  // the previous segment becomes part of the past
    int64_t left = std::min(rows(), length_);
    Tensor all = joined_words(past_, segment_).value();
    past_ = left ? Variable(all.slice(1, all.size(1) - left, all.size(1)).clone()) : Variable();
  }
  segment_ = squeeze(x, 1);
  words_ += x.size(2);
}

HeadMemory SegmentMemory::view() const {
  if (!segment_.defined()) return {};
  return project_(joined_words(past_, segment_), kept().first);
}

void SegmentMemory::keep(const Tensor& rows) {
  if (past_.defined()) past_ = index_select(past_, 0, rows);
  if (segment_.defined()) segment_ = index_select(segment_, 0, rows);
}

int64_t SegmentMemory::bytes() const {
  if (!segment_.defined()) return 0;
  return rows() * segment_.size(0) * segment_.size(2) * (segment_.dtype() == DType::f64 ? 8 : 4);
}

}  // namespace heed::nn
