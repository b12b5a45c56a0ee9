// Two operations, each with right and with wrong gradients. Their values are always right, so only a check of the
// gradients finds the mistakes.
//
//   y = x + b       x [R, N], b [N]       dx = dy        db = sum over the R rows of dy
//   C = A B         A [M, K], B [K, N]    dA = dC B^T    dB = A^T dC
#pragma once

#include "autograd/attach.h"
#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/matmul.h"

namespace heed {

enum RowGradient { kAsItComes, kFirstRow, kMeanOfRows, kSumOfRows, kMarked };

inline Variable add_row(const Variable& x, const Variable& b, RowGradient how) {
  Input row = how == kMarked ? broadcast(b) : Input(b);  // marked: the engine sums what arrives to the shape of b
  return attach("add_row", {x, row}, add(x.value(), b.value()), [how](Grads& g, const Variable& dy) {
    g.add(0, dy);                                                  // [R, N]
    if (how == kAsItComes || how == kMarked) g.add(1, dy);         // [R, N], but b has the shape [N]
    if (how == kFirstRow) g.add(1, select(dy, 0, 0));              // [N]: the shape is right, the number is not
    if (how == kMeanOfRows) g.add(1, mean(dy, /*axes=*/Dims{0}));  // [N]
    if (how == kSumOfRows) g.add(1, sum(dy, /*axes=*/Dims{0}));    // [N]: b_n is used in R elements of y
  });
}

inline Variable matmul_with(Fault bug, const Variable& a, const Variable& b) {
  return attach("matmul_with_bug", {a, b}, matmul(a.value(), b.value()),
                [bug, sa = save(a), sb = save(b)](Grads& g, const Variable& dc) {
                  g.add(0, matmul(dc, transpose(g[sb], 0, 1)));      // [M, K], always right
                  Variable db = matmul(transpose(g[sa], 0, 1), dc);  // [K, N], right
                  if (bug == Fault::missing) return;
                  if (bug == Fault::sign) db = -db;
                  if (bug == Fault::mean) db = db / static_cast<double>(dc.size(0));     // over the M rows of dC
                  if (bug == Fault::transpose) db = matmul(transpose(dc, 0, 1), g[sa]);  // dC^T A = dB^T
                  g.add(1, db);
                  if (bug == Fault::twice) g.add(1, db);
                });
}

}  // namespace heed
