// What tensors refuse: reductions, order, products, picking, rearranging.
#include "tests/nn/bad_input/refuses.h"

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/kernels/layer_norm.h"
#include "tensor/matmul.h"
#include "tensor/print.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"
#include "tensor/thread_pool.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("tensor: reductions, softmax, order") {
    refuses<IndexError>("sum: axis must lie in [-2, 2); got axis 2", [] { sum(matrix(), {2}); });
    refuses<IndexError>("sum: an axis is named twice; got [0, -2]", [] { sum(matrix(), {0, -2}); });
    refuses<DTypeError>("sum: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { sum(mask({2})); });
    refuses<ShapeError>("sum_to: can only undo a repetition of axes; got [2, 3] to [2]", [] { sum_to(matrix(), {2}); });
    refuses<ShapeError>("sum_to: can only undo a repetition of axes; got [2] to [1, 2]", [] {
      sum_to(ones({2}), {1, 2});
    });
    refuses<IndexError>("max: the axis is empty; got [2, 0]", [] { max(zeros({2, 0}), 1); });
    refuses<IndexError>("max: axis must lie in [-2, 2); got axis 2", [] { max(matrix(), 2); });
    refuses<IndexError>("min: the axis is empty; got [2, 0]", [] { min(zeros({2, 0}), 1); });
    refuses<IndexError>("argmax: the axis is empty; got [0]", [] { argmax(zeros({0}), 0); });
    refuses<IndexError>("argmin: the axis is empty; got [0]", [] { argmin(zeros({0}), 0); });
    refuses<DTypeError>("argmax: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { argmax(mask({2}), 0); });
    refuses<IndexError>("amax: the axis is empty; got [2, 0]", [] { amax(zeros({2, 0})); });
    refuses<DTypeError>("amin: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { amin(mask({2})); });
    refuses<IndexError>("prod: an axis is named twice; got [1, 1]", [] { prod(matrix(), {1, 1}); });
    refuses<IndexError>("logsumexp: axis must lie in [-2, 2); got axis 3", [] { logsumexp(matrix(), {3}); });
    refuses<DTypeError>("logsumexp: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { logsumexp(wholes({2})); });
    refuses<IndexError>("cumsum: axis must lie in [-2, 2); got axis 2", [] { cumsum(matrix(), 2); });
    refuses<DTypeError>("cumsum: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { cumsum(mask({2}), 0); });
    refuses<ShapeError>("softmax: needs at least one axis; got []", [] { softmax_rows(Tensor::scalar(1)); });
    refuses<ShapeError>("log_softmax: needs at least one axis; got []", [] { log_softmax_rows(Tensor::scalar(1)); });
    refuses<ShapeError>("logsumexp: needs at least one axis; got []", [] { logsumexp_rows(Tensor::scalar(1)); });
    refuses<DTypeError>("softmax: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { softmax_rows(wholes({2})); });
    refuses<ShapeError>("softmax_backward: both must have one shape of at least one axis; got y [2] and dy [3]",
                        [] { softmax_rows_backward(ones({2}), ones({3})); });
    refuses<DTypeError>(
        "softmax_backward: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
        [] { softmax_rows_backward(ones({2}), wholes({2})); });
    refuses<IndexError>("argsort: axis must lie in [-2, 2); got axis 2", [] { argsort(matrix(), 2); });
    refuses<ValueError>("topk: k must lie in [0, 3]; got 4 on axis 1 of [2, 3]", [] { argtopk(matrix(), 4); });
    refuses<ValueError>("topk: k must not be negative; got -1", [] { argtopk(matrix(), -1); });
    refuses<ShapeError>("norm_rows: needs x [R, N], rows [N] and dy of x's shape; got x [3]",
                        [] { norm_rows(ones({3}), {}, {}, 1e-5, Centre::mean); });
    refuses<ShapeError>("norm_rows: needs x [R, N], rows [N] and dy of x's shape; got x [2, 3] and a row of [2]",
                        [] { norm_rows(matrix(), ones({2}), {}, 1e-5, Centre::mean); });
    refuses<ShapeError>("norm_rows_backward: needs x [R, N], rows [N] and dy of x's shape; got x [2, 3] and dy [2, 2]",
                        [] {
                          NormRows y = norm_rows(matrix(), {}, {}, 1e-5, Centre::mean);
                          norm_rows_backward(matrix(), {}, y, ones({2, 2}), Centre::mean);
                        });
    refuses<ShapeError>("norm_rows_weight: needs x [R, N], rows [N] and dy of x's shape; got x [2, 3] and dy [3, 3]",
                        [] {
                          NormRows y = norm_rows(matrix(), {}, {}, 1e-5, Centre::mean);
                          norm_rows_weight(matrix(), y, ones({3, 3}));
                        });
  }

  TEST_CASE("tensor: products, picking, rearranging") {
    refuses<ShapeError>("matmul: inner sizes must agree; got a [32, 128] and b [256, 512] (128 vs 256)", [] {
      matmul(ones({32, 128}), ones({256, 512}));
    });
    refuses<ShapeError>("matmul: both must have at least one axis; got a [] and b [2, 3]; hint: use mul for scalars",
                        [] { matmul(Tensor::scalar(1), matrix()); });
    refuses<ShapeError>("matmul: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] {
                          matmul(ones({2, 1, 3}), ones({3, 3, 1}));
                        });
    refuses<DTypeError>("matmul: both must have one dtype; got a f32 [2, 3] and b f64 [3, 2]; convert one with to(...)",
                        [] {
                          matmul(matrix(), ones({3, 2}, DType::f64));
                        });
    refuses<DTypeError>("matmul: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      matmul(wholes({2, 3}), wholes({3, 2}));
    });
    refuses<ShapeError>("matmul_into: needs c [M, N], a [M, K], b [K, N]; got c [2, 2], a [2, 3] and b [2, 3]", [] {
      matmul_into(target(ones({2, 2})), matrix(), matrix());
    });
    refuses<DTypeError>(
        "matmul_into: both must have one dtype; got a f32 [2, 3] and b f64 [2, 2]; convert one with to(...)", [] {
          matmul_into(target(ones({2, 2}, DType::f64)), matrix(), ones({3, 2}));
        });
    refuses<DTypeError>("matmul_into: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      matmul_into(target(wholes({2, 2})), wholes({2, 3}), wholes({3, 2}));
    });
    refuses<DTypeError>("matmul: both must have one dtype; got a f32 [2, 3] and b i64 [3, 2]; convert one with to(...)",
                        [] {
                          matmul_reference(matrix(), wholes({3, 2}));
                        });
    refuses<ShapeError>("PackedMatrix: needs a matrix [K, N]; got [2]", [] { PackedMatrix(ones({2})); });
    refuses<DTypeError>("PackedMatrix: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      PackedMatrix(wholes({2, 2}));
    });
    refuses<ShapeError>("matmul: needs a [M, K] beside a packed matrix; got a [3] and b [3, 2]", [] {
      matmul(ones({3}), PackedMatrix(ones({3, 2})));
    });
    refuses<ShapeError>("matmul_into: needs c [M, N], a [M, K], b [K, N]; got c [2, 2], a [2, 3] and b [2, 2]", [] {
      matmul_into(target(ones({2, 2})), matrix(), PackedMatrix(ones({2, 2})));
    });
    refuses<ShapeError>("index_select: the table needs at least one axis; got []",
                        [] { index_select(Tensor::scalar(1), ids({0})); });
    refuses<IndexError>("index_select: an index must lie in [0, 2); got 2 at position 1", [] {
      index_select(matrix(), ids({0, 2}));
    });
    refuses<IndexError>("index_select: an index must lie in [0, 2); got -1 at position 0",
                        [] { index_select(matrix(), ids({-1})); });
    refuses<DTypeError>("index_select: indices must be i64; got f32 [1]", [] { index_select(matrix(), ones({1})); });
    refuses<IndexError>("index_select: axis must lie in [-2, 2); got axis 2",
                        [] { index_select(matrix(), 2, ids({0})); });
    refuses<IndexError>("index_add_into: an index must lie in [0, 2); got 2 at position 0", [] {
      index_add_into(target(matrix()), ids({2}), ones({1, 3}));
    });
    refuses<ShapeError>(
        "index_add_into: needs a contiguous table [V, D] and dy [index.., D]; got [2, 3], [2] and [3, 2]", [] {
          index_add_into(target(matrix()), ids({0, 1}), ones({3, 2}));
        });
    refuses<DTypeError>(
        "index_add_into: both must have one dtype; got a f32 [2, 3] and b i64 [1, 3]; convert one with to(...)", [] {
          index_add_into(target(matrix()), ids({0}), wholes({1, 3}));
        });
    refuses<DTypeError>("index_add_into: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] {
      index_add_into(target(mask({2, 3})), ids({0}), mask({1, 3}));
    });
    refuses<IndexError>("gather: an index must lie in [0, 3); got 3 at position 0", [] {
      gather(matrix(), 1, ids({3}).expand({2, 1}));
    });
    refuses<IndexError>("gather: axis must lie in [-2, 2); got axis 2", [] {
      gather(matrix(), 2, ids({3}).expand({2, 1}));
    });
    refuses<ShapeError>("gather: the index needs as many axes as x, none but axis 1 longer; got x [2, 3] and index [1]",
                        [] { gather(matrix(), 1, ids({0})); });
    refuses<ShapeError>("gather: all axes but the last must agree; got x [2, 3] and index [3, 1]", [] {
      gather_last(matrix(), wholes({3, 1}));
    });
    refuses<DTypeError>("gather: indices must be i64; got f32 [2, 3]", [] { gather(matrix(), 1, matrix()); });
    refuses<ShapeError>("scatter_add: all axes but the last must agree; got x [2, 3] and index [3, 1]", [] {
      scatter_add_last_into(target(matrix()), wholes({3, 1}), ones({3, 1}));
    });
    refuses<ShapeError>(
        "scatter_add: index and values must have one shape, the target be contiguous; got [2, 1] and [2, 2]", [] {
          scatter_add_into(target(matrix()), 1, wholes({2, 1}), ones({2, 2}));
        });
    refuses<IndexError>("scatter_add: an index must lie in [0, 3); got 3 at position 0", [] {
      scatter_add_into(target(matrix()), 1, ids({3}).expand({2, 1}), ones({2, 1}));
    });
    refuses<DTypeError>(
        "scatter_add: both must have one dtype; got a f32 [2, 3] and b i64 [2, 1]; convert one with to(...)", [] {
          scatter_add_into(target(matrix()), 1, wholes({2, 1}), wholes({2, 1}));
        });
    refuses<DTypeError>("scatter_add: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] {
      scatter_add_into(target(mask({2, 3})), 1, wholes({2, 1}), mask({2, 1}));
    });
    refuses<ValueError>("concat: needs at least one tensor; got none", [] { concat(Tensors{}, 0); });
    refuses<ShapeError>("concat: all sizes but that of axis 1 must agree; got [2, 3] and [3, 3]", [] {
      concat(Tensors{matrix(), ones({3, 3})}, 1);
    });
    refuses<IndexError>("concat: axis must lie in [-2, 2); got axis 2", [] { concat(Tensors{matrix()}, 2); });
    refuses<IndexError>("concat: axis must lie in [0, 0); got axis 0", [] { concat(Tensors{Tensor::scalar(1)}, 0); });
    refuses<DTypeError>("concat: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)",
                        [] {
                          concat(Tensors{matrix(), wholes({2, 3})}, 0);
                        });
    refuses<ValueError>("stack: needs at least one tensor; got none", [] { stack(Tensors{}, 0); });
    refuses<ShapeError>("stack: all must have one shape; got [2] and [3]", [] {
      stack(Tensors{ones({2}), ones({3})}, 0);
    });
    refuses<DTypeError>("stack: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)", [] {
      stack(Tensors{ones({2}), wholes({2})}, 0);
    });
    refuses<IndexError>("unsqueeze: axis must lie in [-2, 2); got axis 3", [] { stack(Tensors{ones({2})}, 3); });
    refuses<IndexError>("one_hot: an index must lie in [0, 3); got 3 at position 0", [] { one_hot(ids({3}), 3); });
    refuses<ShapeError>("empty: sizes must not be negative; got [0, -1]", [] { one_hot(ids({}), -1); });
    refuses<DTypeError>("one_hot: indices must be i64; got f32 [1]", [] { one_hot(ones({1}), 3); });
    refuses<IndexError>("flip: an axis is named twice; got [0, 0]", [] { flip(matrix(), {0, 0}); });
    refuses<IndexError>("flip: axis must lie in [-2, 2); got axis 2", [] { flip(matrix(), {2}); });
    refuses<ValueError>("roll: needs one shift for each axis; got shifts [1] and axes [0, 1]", [] {
      roll(matrix(), {1}, {0, 1});
    });
    refuses<IndexError>("roll: an axis is named twice; got [1, -1]", [] { roll(matrix(), {1, 1}, {1, -1}); });
    refuses<ValueError>("unfold: needs 0 <= size <= the axis and step >= 1; got size 4 and step 1 on axis 1 of [2, 3]",
                        [] { unfold(matrix(), 1, 4, 1); });
    refuses<IndexError>("pad: an axis is named twice; got [0, 0]", [] {
      pad(matrix(), {{.axis = 0, .before = 1}, {.axis = 0, .after = 1}});
    });
    refuses<ShapeError>("pad: cannot take away more than there is; got -2 before and -1 after on axis 0 of [2, 3]",
                        [] { pad(matrix(), {{.axis = 0, .before = -2, .after = -1}}); });
    refuses<ShapeError>(
        "pad: a margin must be at most 2^46 long; got -9223372036854775808 before and 0 after on axis 0",
        [] { pad(matrix(), {{.axis = 0, .before = INT64_MIN}}); });
    refuses<ShapeError>("tril: needs a matrix [.., M, N]; got [3]", [] { tril(ones({3})); });
    refuses<ShapeError>("triu: needs a matrix [.., M, N]; got [3]", [] { triu(ones({3})); });
    refuses<IndexError>("diagonal: needs two different axes; got 1 and -1", [] { diagonal(matrix(), 0, 1, -1); });
    refuses<IndexError>("diagonal: axis must lie in [-1, 1); got axis -2", [] { diagonal(ones({3})); });
    refuses<IndexError>("movedim: axis must lie in [-2, 2); got axis 2", [] { movedim(matrix(), 2, 0); });
  }
}
