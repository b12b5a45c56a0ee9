#include "nn/attention/positions/rope_2d.h"

#include "autograd/ops.h"

namespace heed::nn {

Rope2D::Rope2D(const Options& o, Generator&) : RotaryPosition(o, "rope_2d"), settings(options.settings.as<Settings>()) {
  require_pairs();
}

Variable Rope2D::turned(const Variable& x, int64_t first, const Tensor& at, bool) const {
  int64_t B = x.size(0), T = x.size(1), K = x.size(3), W = settings.grid;
  Tensor given = at.defined() ? at.contiguous() : Tensor();
  Tensor rows = Tensor::empty({B, T}, DType::i64), columns = Tensor::empty({B, T}, DType::i64);
  for (int64_t n = 0; n < B * T; ++n) {
    int64_t place = given.defined() ? given.data<int64_t>()[n] : first + n % T;
    rows.data<int64_t>()[n] = place / W, columns.data<int64_t>()[n] = place % W;
  }
  double base = settings.base;
  int64_t of_rows = 2 * ((K / 2 + 1) / 2);  // entries
  Variable by_row = rotate_pairs(slice(x, 3, 0, of_rows), {.base = base, .at = rows});
  if (of_rows == K) return by_row;
  Variable by_column = rotate_pairs(slice(x, 3, of_rows, K), {.base = base, .at = columns});
  return concat({by_row, by_column}, 3);
}

}  // namespace heed::nn
