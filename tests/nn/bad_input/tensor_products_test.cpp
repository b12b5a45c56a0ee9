// What tensors refuse: reductions, order, products, picking, rearranging.
#include "tests/nn/bad_input/refuses.h"

#include "tensor/half_matrix.h"
#include "tensor/indexing.h"
#include "tensor/kernels/layer_norm.h"
#include "tensor/matmul.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("tensor: reductions, softmax, order") {
  refuses<IndexError>("sum: lie [-2, 2) got 2", [] { sum(matrix(), {2}); });
  refuses<IndexError>("sum: named got [0, -2]", [] { sum(matrix(), {0, -2}); });
  refuses<DTypeError>("sum: got bool", [] { sum(mask({2})); });
  refuses<ShapeError>("sum_to: got [2, 3] [2]", [] { sum_to(matrix(), {2}); });
  refuses<ShapeError>("sum_to: got [2] [1, 2]", [] { sum_to(ones({2}), {1, 2}); });
  refuses<IndexError>("max: empty got [2, 0]", [] { max(zeros({2, 0}), 1); });
  refuses<IndexError>("max: lie [-2, 2) got 2", [] { max(matrix(), 2); });
  refuses<IndexError>("min: got [2, 0]", [] { min(zeros({2, 0}), 1); });
  refuses<IndexError>("argmax: got [0]", [] { argmax(zeros({0}), 0); });
  refuses<IndexError>("argmin: got [0]", [] { argmin(zeros({0}), 0); });
  refuses<DTypeError>("argmax: got bool", [] { argmax(mask({2}), 0); });
  refuses<IndexError>("amax: got [2, 0]", [] { amax(zeros({2, 0})); });
  refuses<DTypeError>("amin: got bool", [] { amin(mask({2})); });
  refuses<IndexError>("prod: got [1, 1]", [] { prod(matrix(), {1, 1}); });
  refuses<IndexError>("logsumexp: [-2, 2) got 3", [] { logsumexp(matrix(), {3}); });
  refuses<DTypeError>("logsumexp: got i64", [] { logsumexp(wholes({2})); });
  refuses<IndexError>("cumsum: [-2, 2) got 2", [] { cumsum(matrix(), 2); });
  refuses<DTypeError>("cumsum: got bool", [] { cumsum(mask({2}), 0); });
  refuses<ShapeError>("linear_scan: factor got 2 3", [] { linear_scan(Tensor::ones({2}), Tensor::ones({3}), 0); });
  refuses<DTypeError>("linear_scan: one type got f64 f32",
                      [] { linear_scan(Tensor::ones({2}, DType::f64), Tensor::ones({2}), 0); });
  refuses<ShapeError>("HalfMatrix: x W agree in K got x [2, 3] W [2, 2]", [] {
    HalfMatrix::of(Tensor::ones({2, 2}))->product(ones({2, 3}));
  });
  refuses<ShapeError>("HalfMatrix: x W agree in K got x []", [] {
    HalfMatrix::of(Tensor::ones({2, 2}))->product(Tensor::scalar(1));
  });
  refuses<IndexError>("HalfMatrix: row [0, 2) got 2", [] {
    HalfMatrix::of(Tensor::ones({2, 2}))->rows(Tensor::from(std::vector<int64_t>{2}, {1}));
  });
  refuses<ShapeError>("softmax: got []", [] { softmax_rows(Tensor::scalar(1)); });
  refuses<ShapeError>("log_softmax: got []", [] { log_softmax_rows(Tensor::scalar(1)); });
  refuses<ShapeError>("logsumexp: got []", [] { logsumexp_rows(Tensor::scalar(1)); });
  refuses<DTypeError>("softmax: got i64", [] { softmax_rows(wholes({2})); });
  refuses<ShapeError>("softmax_backward: got [2] [3]", [] { softmax_rows_backward(ones({2}), ones({3})); });
  refuses<DTypeError>("softmax_backward: got f32 [2] i64 [2]", [] { softmax_rows_backward(ones({2}), wholes({2})); });
  refuses<IndexError>("argsort: [-2, 2) got 2", [] { argsort(matrix(), 2); });
  refuses("topk: lie [0, 3] got 4 1 [2, 3]", [] { argtopk(matrix(), 4); });
  refuses("topk: negative got -1", [] { argtopk(matrix(), -1); });
  refuses<ShapeError>("norm_rows: [R, N] [N] got x [3]", [] { norm_rows(ones({3}), {}, {}, 1e-5, Centre::mean); });
  refuses<ShapeError>("norm_rows: [R, N] [N] got [2, 3] [2]",
                      [] { norm_rows(matrix(), ones({2}), {}, 1e-5, Centre::mean); });
  refuses<ShapeError>("norm_rows_backward: [R, N] [N] got [2, 3] [2, 2]", [] {
    NormRows y = norm_rows(matrix(), {}, {}, 1e-5, Centre::mean);
    norm_rows_backward(matrix(), {}, y, ones({2, 2}), Centre::mean);
  });
  refuses<ShapeError>("norm_rows_weight: [R, N] [N] got [2, 3] [3, 3]", [] {
    NormRows y = norm_rows(matrix(), {}, {}, 1e-5, Centre::mean);
    norm_rows_weight(matrix(), y, ones({3, 3}));
  });
}

TEST_CASE("tensor: products, picking, rearranging") {
  refuses<ShapeError>("matmul: inner got [32, 128] [256, 512] 128 256", [] {
    matmul(ones({32, 128}), ones({256, 512}));
  });
  refuses<ShapeError>("matmul: both got [] [2, 3]", [] { matmul(Tensor::scalar(1), matrix()); });
  refuses<ShapeError>("matmul: 1 aligned got [2] [3] -1 2 3", [] { matmul(ones({2, 1, 3}), ones({3, 3, 1})); });
  refuses<DTypeError>("matmul: got f32 [2, 3] f64 [3, 2]", [] { matmul(matrix(), ones({3, 2}, DType::f64)); });
  refuses<DTypeError>("matmul: takes got i64", [] { matmul(wholes({2, 3}), wholes({3, 2})); });
  refuses<ShapeError>("matmul_into: [M, N] [M, K] [K, N] got [2, 2] [2, 3] [2, 3]", [] {
    matmul_into(target(ones({2, 2})), matrix(), matrix());
  });
  refuses<DTypeError>("matmul_into: got f32 [2, 3] f64 [2, 2]", [] {
    matmul_into(target(ones({2, 2}, DType::f64)), matrix(), ones({3, 2}));
  });
  refuses<DTypeError>("matmul_into: got i64", [] {
    matmul_into(target(wholes({2, 2})), wholes({2, 3}), wholes({3, 2}));
  });
  refuses<DTypeError>("matmul: got f32 [2, 3] i64 [3, 2]", [] { matmul_reference(matrix(), wholes({3, 2})); });
  refuses<ShapeError>("PackedMatrix: [K, N] got [2]", [] { PackedMatrix(ones({2})); });
  refuses<DTypeError>("PackedMatrix: got i64", [] { PackedMatrix(wholes({2, 2})); });
  refuses<ShapeError>("matmul: [M, K] beside got [3] [3, 2]", [] { matmul(ones({3}), PackedMatrix(ones({3, 2}))); });
  refuses<ShapeError>("matmul_into: [M, N] [M, K] [K, N] got [2, 2] [2, 3] [2, 2]", [] {
    matmul_into(target(ones({2, 2})), matrix(), PackedMatrix(ones({2, 2})));
  });
  refuses<ShapeError>("index_select: got []", [] { index_select(Tensor::scalar(1), ids({0})); });
  refuses<IndexError>("index_select: index [0, 2) got 2 1", [] { index_select(matrix(), ids({0, 2})); });
  refuses<IndexError>("index_select: index [0, 2) got -1 0", [] { index_select(matrix(), ids({-1})); });
  refuses<DTypeError>("index_select: got f32 [1]", [] { index_select(matrix(), ones({1})); });
  refuses<IndexError>("index_select: axis [-2, 2) got 2", [] { index_select(matrix(), 2, ids({0})); });
  refuses<IndexError>("index_add_into: [0, 2) got 2 0", [] {
    index_add_into(target(matrix()), ids({2}), ones({1, 3}));
  });
  refuses<ShapeError>("index_add_into: [V, D] [index.., D] got [2, 3] [2] [3, 2]", [] {
    index_add_into(target(matrix()), ids({0, 1}), ones({3, 2}));
  });
  refuses<DTypeError>("index_add_into: got f32 [2, 3] i64 [1, 3]", [] {
    index_add_into(target(matrix()), ids({0}), wholes({1, 3}));
  });
  refuses<DTypeError>("index_add_into: got bool", [] { index_add_into(target(mask({2, 3})), ids({0}), mask({1, 3})); });
  refuses<IndexError>("gather: index [0, 3) got 3 0", [] { gather(matrix(), 1, ids({3}).expand({2, 1})); });
  refuses<IndexError>("gather: axis [-2, 2) got 2", [] { gather(matrix(), 2, ids({3}).expand({2, 1})); });
  refuses<ShapeError>("gather: 1 longer got [2, 3] [1]", [] { gather(matrix(), 1, ids({0})); });
  refuses<ShapeError>("gather: agree got [2, 3] [3, 1]", [] { gather_last(matrix(), wholes({3, 1})); });
  refuses<DTypeError>("gather: got f32 [2, 3]", [] { gather(matrix(), 1, matrix()); });
  refuses<ShapeError>("scatter_add: agree got [2, 3] [3, 1]", [] {
    scatter_add_last_into(target(matrix()), wholes({3, 1}), ones({3, 1}));
  });
  refuses<ShapeError>("scatter_add: contiguous got [2, 1] [2, 2]", [] {
    scatter_add_into(target(matrix()), 1, wholes({2, 1}), ones({2, 2}));
  });
  refuses<IndexError>("scatter_add: index [0, 3) got 3 0", [] {
    scatter_add_into(target(matrix()), 1, ids({3}).expand({2, 1}), ones({2, 1}));
  });
  refuses<DTypeError>("scatter_add: got f32 [2, 3] i64 [2, 1]", [] {
    scatter_add_into(target(matrix()), 1, wholes({2, 1}), wholes({2, 1}));
  });
  refuses<DTypeError>("scatter_add: got bool", [] {
    scatter_add_into(target(mask({2, 3})), 1, wholes({2, 1}), mask({2, 1}));
  });
  refuses("concat: tensor got", [] { concat(Tensors{}, 0); });
  refuses<ShapeError>("concat: 1 got [2, 3] [3, 3]", [] { concat(Tensors{matrix(), ones({3, 3})}, 1); });
  refuses<IndexError>("concat: [-2, 2) got 2", [] { concat(Tensors{matrix()}, 2); });
  refuses<IndexError>("concat: [0, 0) got 0", [] { concat(Tensors{Tensor::scalar(1)}, 0); });
  refuses<DTypeError>("concat: got f32 [2, 3] i64 [2, 3]", [] { concat(Tensors{matrix(), wholes({2, 3})}, 0); });
  refuses("stack: tensor got", [] { stack(Tensors{}, 0); });
  refuses<ShapeError>("stack: got [2] [3]", [] { stack(Tensors{ones({2}), ones({3})}, 0); });
  refuses<DTypeError>("stack: got f32 [2] i64 [2]", [] { stack(Tensors{ones({2}), wholes({2})}, 0); });
  refuses<IndexError>("unsqueeze: [-2, 2) got 3", [] { stack(Tensors{ones({2})}, 3); });
  refuses<IndexError>("one_hot: [0, 3) got 3 0", [] { one_hot(ids({3}), 3); });
  refuses<ShapeError>("empty: negative got [0, -1]", [] { one_hot(ids({}), -1); });
  refuses<DTypeError>("one_hot: got f32 [1]", [] { one_hot(ones({1}), 3); });
  refuses<IndexError>("flip: named got [0, 0]", [] { flip(matrix(), {0, 0}); });
  refuses<IndexError>("flip: lie [-2, 2) got 2", [] { flip(matrix(), {2}); });
  refuses("roll: got [1] [0, 1]", [] { roll(matrix(), {1}, {0, 1}); });
  refuses<IndexError>("roll: got [1, -1]", [] { roll(matrix(), {1, 1}, {1, -1}); });
  refuses("unfold: 0 1 got 4 1 1 [2, 3]", [] { unfold(matrix(), 1, 4, 1); });
  refuses<IndexError>("pad: got [0, 0]", [] { pad(matrix(), {{.axis = 0, .before = 1}, {.axis = 0, .after = 1}}); });
  refuses<ShapeError>("pad: take got -2 -1 0 [2, 3]", [] { pad(matrix(), {{.axis = 0, .before = -2, .after = -1}}); });
  refuses<ShapeError>("pad: margin got -9223372036854775808 0 0",
                      [] { pad(matrix(), {{.axis = 0, .before = INT64_MIN}}); });
  refuses<ShapeError>("tril: [.., M, N] got [3]", [] { tril(ones({3})); });
  refuses<ShapeError>("triu: [.., M, N] got [3]", [] { triu(ones({3})); });
  refuses<IndexError>("diagonal: different got 1 -1", [] { diagonal(matrix(), 0, 1, -1); });
  refuses<IndexError>("diagonal: axis [-1, 1) got -2", [] { diagonal(ones({3})); });
  refuses<IndexError>("movedim: [-2, 2) got 2", [] { movedim(matrix(), 2, 0); });
}
