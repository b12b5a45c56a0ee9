#include "nn/attention/segment_sums.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/places.h"

namespace heed::nn {

Variable segment_sums(const Variable& x, int64_t axis) { return segment_sums(x, axis, x.size(axis)); }

Variable segment_sums(const Variable& x, int64_t axis, int64_t last) {
  const int64_t at = axis < 0 ? axis + x.rank() : axis, S = x.size(at), T = last, first = S - T;
  if (T < 0 || first < 0)
    throw ValueError(fmt::format("segment_sums: the last rows must be among those of all words; got {} of {}", T, S));
  // [T, S, 1, ..]: true where word t is not after word s
  Tensor outside = mask_of_distances("segment_sums", {.queries = T, .keys = S, .first_query = first},
                                     [](int64_t d) { return d >= 0; });
  Shape all;
  for (int i = 0; i < x.rank(); ++i) {
    if (i == at) all.push_back(T);
    all.push_back(x.size(i));
    if (i > at) outside = outside.unsqueeze(-1);
  }
  const auto axis_of_t = static_cast<int>(at);
  // Row t of the terms is x_t wherever t is after s, and each row of y is that before it and these.
  Variable terms = masked_fill(expand(unsqueeze(slice(x, axis_of_t, first, S), axis_of_t + 1), all), outside, 0);
  if (first > 0 && T > 0) {  // the first row begins with the words before it: x_(s+1) + .. + x_(first-1)
    Variable before = cumsum(slice(x, axis_of_t, 1, first), axis_of_t, {.reverse = true});  // s = 0 .. first - 2
    before = pad(before, {{.axis = axis_of_t, .after = S - first + 1}});
    terms = terms + pad(unsqueeze(before, axis_of_t), {{.axis = axis_of_t, .after = T - 1}});
  }
  return cumsum(terms, at);
}

}  // namespace heed::nn
