#include "nn/recurrent/side_by_side.h"

#include <algorithm>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "autograd/shorthand.h"
#include "nn/recurrent/gate_rows.h"
#include "tensor/compare.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed::nn {
namespace {

// Calls visit(t, b, d, kept) for each row of each direction.
template <class F>
void each_row(int64_t T, int64_t B, size_t D, int64_t N, const Tensor& keep, const F& visit) {
  const bool* kept = keep.defined() ? keep.data<bool>() : nullptr;
  parallel_for(0, B, std::max<int64_t>(1, rows_grain(N) / T), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      for (int64_t t = 0; t < T; ++t)
        for (size_t d = 0; d < D; ++d) visit(t, b, d, !kept || kept[t * B + b]);
  });
}

}  // namespace

Variable side_by_side_composed(const std::vector<Variable>& sides, const Tensor& keep) {
  Variable y = transpose(concat(sides, -1), 0, 1);  // [B, T, D N]
  return contiguous(keep.defined() ? masked_fill(y, logical_not(keep.transpose(0, 1)).unsqueeze(-1), 0) : y);
}

Variable side_by_side(const std::vector<Variable>& sides, const Tensor& keep) {
  int64_t T = sides[0].size(0), B = sides[0].size(1), N = sides[0].size(2), width = N * std::ssize(sides);
  Tensor y = Tensor::empty({B, T, width}, sides[0].dtype());
  {
    Kernel kernel("side_by_side", y.count());
    std::vector<Tensor> from;
    for (const Variable& side : sides) from.push_back(side.value().contiguous());
    dispatch_float(y.dtype(), "side_by_side", [&](auto zero) {
      using F = decltype(zero);
      each_row(T, B, sides.size(), N, keep, [&](int64_t t, int64_t b, size_t d, bool kept) {
        F* to = y.data<F>() + (b * T + t) * width + static_cast<int64_t>(d) * N;
        const F* row = from[d].data<F>() + (t * B + b) * N;
        if (kept)
          std::copy(row, row + N, to);
        else
          std::fill(to, to + N, F{0});
      });
    });
  }
  Inputs inputs(sides.begin(), sides.end());
  auto made = attach_many("side_by_side", inputs, {y}, [sides, sk = save_optional(keep), T, B, N, width](Grads& grads) {
    Tensor mask = sk.in(grads);
    if (grads.recording()) return grads.replay({side_by_side_composed(sides, mask)});
    Tensor dy = grads.dy(0).value().contiguous();
    Kernel kernel("side_by_side_backward", dy.count());
    std::vector<Tensor> to;
    for (size_t d = 0; d < sides.size(); ++d) to.push_back(Tensor::empty({T, B, N}, dy.dtype()));
    dispatch_float(dy.dtype(), "side_by_side", [&](auto zero) {
      using F = decltype(zero);
      each_row(T, B, sides.size(), N, mask, [&](int64_t t, int64_t b, size_t d, bool kept) {
        const F* row = dy.data<F>() + (b * T + t) * width + static_cast<int64_t>(d) * N;
        F* out = to[d].data<F>() + (t * B + b) * N;
        if (kept)
          std::copy(row, row + N, out);
        else
          std::fill(out, out + N, F{0});
      });
    });
    for (size_t d = 0; d < sides.size(); ++d) grads.add(d, to[d]);
  });
  return made[0];
}

}  // namespace heed::nn
