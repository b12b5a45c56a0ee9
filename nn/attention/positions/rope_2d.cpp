#include "nn/attention/positions/rope_2d.h"

#include <fmt/format.h>

#include "autograd/ops.h"
#include "nn/attention/registry.h"

namespace heed::nn {

Rope2D::Rope2D(const Options& o, Generator&) : options(completed_stage(Kind::position, o, "rope_2d")) {
  if (o.key % 2 != 0)
    throw ValueError(fmt::format("{}: turns pairs, so a head must have an even width; got {}", options.name, o.key));
}

Variable Rope2D::turn(const Variable& x, int64_t first, const Tensor& at) const {
  Call call(*this);
  int64_t B = x.size(0), T = x.size(1), K = x.size(3), W = options.settings.whole("grid");
  Tensor given = at.defined() ? at.contiguous() : Tensor();
  Tensor rows = Tensor::empty({B, T}, DType::i64), columns = Tensor::empty({B, T}, DType::i64);
  for (int64_t n = 0; n < B * T; ++n) {
    int64_t place = given.defined() ? given.data<int64_t>()[n] : first + n % T;
    rows.data<int64_t>()[n] = place / W, columns.data<int64_t>()[n] = place % W;
  }
  double base = options.settings.number("base");
  int64_t of_rows = 2 * ((K / 2 + 1) / 2);  // entries
  Variable by_row = rotate_pairs(slice(x, 3, 0, of_rows), {.base = base, .at = rows});
  if (of_rows == K) return call.result("turned", by_row);
  Variable by_column = rotate_pairs(slice(x, 3, of_rows, K), {.base = base, .at = columns});
  return call.result("turned", concat({by_row, by_column}, 3));
}

Variable Rope2D::turn_query(const Variable& q, const Places& p) const { return turn(q, p.first_query, p.query_at); }
Variable Rope2D::turn_key(const Variable& k, const Places& p) const { return turn(k, p.first_key, p.key_at); }

}  // namespace heed::nn
