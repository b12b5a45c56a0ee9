#include "autograd/ops_matmul.h"

#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/ops_arithmetic.h"
#include "autograd/ops_reduce.h"
#include "autograd/ops_shape.h"
#include "tensor/matmul.h"

namespace heed {

Variable matmul(const Variable& a, const Variable& b) {
  if (a.rank() == 1 || b.rank() == 1) {  // a row on the left, a column on the right
    Variable row = a.rank() == 1 ? unsqueeze(a, 0) : a, column = b.rank() == 1 ? unsqueeze(b, 1) : b;
    Variable c = matmul(row, column);
    if (b.rank() == 1) c = squeeze(c, -1);
    return a.rank() == 1 ? squeeze(c, b.rank() == 1 ? -1 : -2) : c;
  }
  return attach("matmul", {broadcast(a), broadcast(b)}, matmul(a.value(), b.value()),
                [sa = save(a), sb = save(b)](Grads& g, const Variable& dc) {
                  Variable x = g[sa], y = g[sb];
                  if (g.needs(0)) g.add(0, matmul(dc, transpose(y, -1, -2)));
                  if (!g.needs(1)) return;
                  if (y.rank() == 2 && x.rank() > 2) {  // one tall product instead of a sum over the batch
                    int64_t K = x.size(-1), N = dc.size(-1), rows = 1;  // not -1: K or N may be 0
                    for (int i = 0; i < x.rank() - 1; ++i) rows *= x.shape()[i];
                    return g.add(1, matmul(transpose(reshape(x, {rows, K}), 0, 1), reshape(dc, {rows, N})));
                  }
                  g.add(1, matmul(transpose(x, -1, -2), dc));
                });
}

Variable linear(const Variable& x, const Variable& w, const Variable& bias) {
  if (x.rank() == 0 || w.rank() != 2 || x.size(-1) != w.size(1))
    throw ShapeError(fmt::format("linear: x [.., I] and w [O, I] must agree in I; got x {} and w {}",
                                 to_string(x.shape()), to_string(w.shape())));
  if (x.rank() == 1) return squeeze(linear(unsqueeze(x, 0), w, bias), 0);
  Variable y = matmul(x, transpose(w, 0, 1));
  return bias.defined() ? y + bias : y;
}

}  // namespace heed
