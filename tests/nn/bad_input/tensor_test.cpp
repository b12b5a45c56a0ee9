// What tensors refuse: making, reading, shapes and views, elementwise functions.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/matmul.h"
#include "tensor/print.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"
#include "tensor/thread_pool.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("tensor: making and reading") {
  refuses<ShapeError>("empty: negative got [2, -1]", [] { zeros({2, -1}); });
  refuses<ShapeError>("empty: elements got [1073741824, 1073741824]", [] { zeros({1 << 30, 1 << 30}); });
  refuses<ShapeError>("shape: 8 got", [] { zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); });
  refuses<ShapeError>("from: product got 3 [2]", [] { Tensor::from(std::vector<float>{1, 2, 3}, {2}); });
  refuses<ShapeError>("from: negative got [-2, -1]", [] { Tensor::from(std::vector<float>{1, 2}, {-2, -1}); });
  refuses<ShapeError>("from: elements got [1099511627776, 1099511627776]", [] {
    Tensor::from(std::vector<float>{}, {int64_t{1} << 40, int64_t{1} << 40});
  });
  refuses<ShapeError>("empty: negative got [-1, -1]", [] { Tensor::eye(-1); });
  refuses<ShapeError>("empty: negative got [-3]", [] { Tensor::arange(-3); });
  refuses<DTypeError>("arange: got bool", [] { Tensor::arange(3, DType::boolean); });
  refuses("arange: got 0 1 0", [] { Tensor::arange(0, 1, 0); });
  refuses("arange: got 0 1 -1", [] { Tensor::arange(0, 1, -1); });
  refuses("arange: got 0 nan 1", [] { Tensor::arange(0, kNan); });
  refuses("linspace: got -1", [] { Tensor::linspace(0, 1, -1); });
  refuses<DTypeError>("linspace: got i64", [] { Tensor::linspace(0, 1, 3, DType::i64); });
  refuses("uniform: finite got 1 0", [] { Tensor::uniform({2}, dice, 1, 0); });
  refuses("uniform: [low, high) f32 got 1.0000000009313226 1.00000001",
          [] { Tensor::uniform({2}, dice, 1 + 0x1p-30, 1.00000001); });
  refuses("uniform: finite got 0 inf", [] { Tensor::uniform({2}, dice, 0, kInf); });
  refuses("normal: 0 got 0 -1", [] { Tensor::normal({2}, dice, 0, -1); });
  refuses("normal: 0 got nan 1", [] { Tensor::normal({2}, dice, kNan, 1); });
  refuses<DTypeError>("random: got i64", [] { Tensor::normal({2}, dice, 0, 1, DType::i64); });
  refuses("below: 1 got 0", [] { dice.below(0); });
  refuses<ShapeError>("item: got [2, 3]", [] { matrix().item(); });
  refuses("item: defined got", [] { Tensor().item(); });
  refuses<IndexError>("at: needs got 1 [2, 3]", [] { matrix().at({1}); });
  refuses<IndexError>("at: lie [-3, 3) got 3 1 [2, 3]", [] { matrix().at({1, 3}); });
  refuses<IndexError>("at: lie [-2, 2) got -3 0 [2, 3]", [] { matrix().set({-3, 0}, 1); });
  refuses<IndexError>("size: [-2, 2) got 2", [] { matrix().size(2); });
  refuses<DTypeError>("data: got f64 f32 [2, 3]", [] { matrix().data<double>(); });
  refuses("to_string: [0, 40] 0 got -1 3", [] { to_string(matrix(), {.precision = -1}); });
  refuses("set_thread_count: needs 1 256 got 0", [] { set_thread_count(0); });
  refuses("set_thread_count: needs 1 256 got 257", [] { set_thread_count(257); });
  refuses("set_thread_count: parallel got", [] {
    int before = thread_count();
    set_thread_count(2);
    auto put_back = [&](void*) { set_thread_count(before); };
    std::unique_ptr<void, decltype(put_back)> later(&before, put_back);
    parallel_for(0, 4, 1, [](int64_t, int64_t) { set_thread_count(3); });
  });
}

TEST_CASE("tensor: an undefined tensor") {
  refuses("tensor: defined got", [] { Tensor().data<float>(); });
  refuses("tensor: defined got", [] { Tensor().to_vector(); });
  refuses("tensor: defined got", [] { Tensor().version(); });
  refuses("copy_into: got b", [] { Tensor().clone(); });
  refuses("tensor: defined got", [] { Tensor().as_strided({1}, {1}, 0); });
  refuses("tensor: defined got", [] { target({}).mark_written("here"); });
  refuses("copy_into: tensors got", [] { fill_into(target({}), 1); });
  refuses("tensor: defined got", [] { scale_into(target({}), 1); });
  refuses("tensor: defined got", [] { exp(Tensor()); });
  refuses("copy_into: got b", [] { sum(Tensor()); });
  refuses("add: got both", [] { add(Tensor(), Tensor()); });
  refuses("add: got b", [] { add(matrix(), Tensor()); });
  refuses("matmul: tensors got", [] { matmul(Tensor(), matrix()); });
  refuses("concat: got b", [] { concat(Tensors{matrix(), Tensor()}, 0); });
  refuses("tensor: defined got", [] { index_select(Tensor().unsqueeze(0), ids({0})); });
  refuses<DTypeError>("gather: got f32 [1]", [] { gather(matrix().select(0, 0), 0, Tensor().unsqueeze(0)); });
  refuses<DTypeError>("where: mask got f32 []", [] { where(Tensor(), matrix(), matrix()); });
  refuses<GraphError>("value: variable got", [] { Variable().value(); });
  refuses<GraphError>("value: variable got", [] { exp(Variable()); });
  refuses<GraphError>("value: variable got", [] { leaf({2}) + Variable(); });
  refuses("tensor: defined got", [] { square(Variable(Tensor())); });
  refuses<GraphError>("set_value: got variable", [] { Variable().set_value(matrix()); });
  refuses<GraphError>("set_value: variable got value", [] { leaf({2}).set_value({}); });
}

TEST_CASE("tensor: shapes and views") {
  refuses<ShapeError>("reshape: got [2] 2 [3]", [] { zeros({2}).reshape({3}); });
  refuses<ShapeError>("reshape: got [2] 2 [-1, -1]", [] { zeros({2}).reshape({-1, -1}); });
  refuses<ShapeError>("view: elements got [4] 4 [3]", [] { zeros({4}).view({3}); });
  refuses<ShapeError>("view: strides got [3, 2] [1, 3] [6]", [] { matrix().transpose(0, 1).view({6}); });
  refuses<IndexError>("transpose: [-2, 2) got 2", [] { matrix().transpose(0, 2); });
  refuses<ShapeError>("permute: got [0, 0] [2, 3]", [] { matrix().permute({0, 0}); });
  refuses<IndexError>("permute: [-2, 2) got 5", [] { matrix().permute({0, 5}); });
  refuses<ShapeError>("expand: 1 repeated got [2, 3] [4, 3]", [] { matrix().expand({4, 3}); });
  refuses<ShapeError>("expand: negative got [-2]", [] { ones({1}).expand({-2}); });
  refuses<ShapeError>("expand: elements got [1099511627776, 1099511627776]", [] {
    ones({1}).expand({int64_t{1} << 40, int64_t{1} << 40});
  });
  refuses<IndexError>("slice: begin got 1:3:1 0 [2, 3]", [] { matrix().slice(0, 1, 3); });
  refuses<IndexError>("slice: begin got 0:2:0 0 [2, 3]", [] { matrix().slice(0, 0, 2, 0); });
  refuses<IndexError>("slice: lie [-2, 2) got 7", [] { matrix().slice(7, 0, 1); });
  refuses<IndexError>("select: index [-3, 3) got 3 1 [2, 3]", [] { matrix().select(1, 3); });
  refuses<IndexError>("select: index [-3, 3) got -4 1 [2, 3]", [] { matrix().select(1, -4); });
  refuses<IndexError>("select: axis [-2, 2) got 2", [] { matrix().select(2, 0); });
  refuses<ShapeError>("squeeze: 1 got 0 [2, 3]", [] { matrix().squeeze(0); });
  refuses<IndexError>("squeeze: [-2, 2) got 2", [] { matrix().squeeze(2); });
  refuses<IndexError>("unsqueeze: [-3, 3) got 4", [] { matrix().unsqueeze(4); });
  refuses<ShapeError>("shape: 8 got", [] { zeros({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0); });
  refuses<ShapeError>("as_strided: stride got [2] [1, 1]", [] { matrix().as_strided({2}, {1, 1}, 0); });
  refuses<ShapeError>("as_strided: stride got [2] [-1]", [] { matrix().as_strided({2}, {-1}, 1); });
  refuses<ShapeError>("as_strided: sizes got [-2]", [] { matrix().as_strided({-2}, {1}, 0); });
  refuses<IndexError>("as_strided: got [4] [2] 0 6", [] { matrix().as_strided({4}, {2}, 0); });
  refuses<IndexError>("as_strided: got [3] [9223372036854775807] 0 6",
                      [] { matrix().as_strided({3}, {INT64_MAX}, 0); });
  refuses<IndexError>("as_strided: got [1] [1] -1 6", [] { matrix().as_strided({1}, {1}, -1); });
}

TEST_CASE("tensor: elementwise") {
  refuses<ShapeError>("add: 1 got [2, 3] [2, 4] -1 3 4", [] { add(ones({2, 3}), ones({2, 4})); });
  refuses<DTypeError>("add: got f32 [2, 3] f64 [2, 3]", [] { add(matrix(), ones({2, 3}, DType::f64)); });
  refuses<DTypeError>("add: got bool", [] { add(mask({2}), mask({2})); });
  refuses<DTypeError>("add: got bool", [] { add(mask({2}), 1); });
  refuses<DTypeError>("mul: got bool", [] { mul(mask({2}), 2); });
  refuses<DTypeError>("neg: got bool", [] { neg(mask({2})); });
  refuses<DTypeError>("exp: got i64", [] { exp(wholes({2})); });
  refuses<DTypeError>("div: got i64", [] { div(wholes({2}), wholes({2})); });
  refuses<DTypeError>("pow: takes got i64", [] { pow(wholes({2}), wholes({2})); });
  refuses<ShapeError>("pow: 1 got [2] [3] -1 2 3", [] { pow(ones({2}), ones({3})); });
  refuses<DTypeError>("pow: got f32 [2] i64 [2]", [] { pow(ones({2}), wholes({2})); });
  refuses("clamp: got 1 0", [] { clamp(matrix(), 1, 0); });
  refuses("clamp: got nan 1", [] { clamp(matrix(), kNan, 1); });
  refuses<DTypeError>("where: mask got f32 [2, 3]", [] { where(matrix(), matrix(), matrix()); });
  refuses<DTypeError>("where: got f32 [2, 3] i64 [2, 3]", [] { where(mask({2, 3}), matrix(), wholes({2, 3})); });
  refuses<ShapeError>("where: 1 got [2] [2, 3] -1 2 3", [] { where(mask({2}), matrix(), matrix()); });
  refuses<DTypeError>("masked_fill: got f32 [2, 3]", [] { masked_fill(matrix(), matrix(), 0); });
  refuses<DTypeError>("less: got f32 [2, 3] i64 [2, 3]", [] { less(matrix(), wholes({2, 3})); });
  refuses<ShapeError>("equal: 1 got [2] [3] -1 2 3", [] { equal(ones({2}), ones({3})); });
  refuses<DTypeError>("logical_not: got f32 [2, 3]", [] { logical_not(matrix()); });
  refuses<DTypeError>("logical_and: got f32 [2, 3]", [] { logical_and(matrix(), mask({2, 3})); });
  refuses<DTypeError>("logical_or: got f32 [2, 3]", [] { logical_or(matrix(), mask({2, 3})); });
  refuses<DTypeError>("logical_or: got f32 [2, 3]", [] { logical_or(mask({2, 3}), matrix()); });
  refuses<DTypeError>("copy_into: got f32 [2, 3] i64 [2, 3]", [] { copy_into(target(matrix()), wholes({2, 3})); });
  refuses<ShapeError>("copy_into: broadcast got [1, 3] [2, 3]", [] { copy_into(target(ones({1, 3})), matrix()); });
  refuses<ShapeError>("copy_into: 1 aligned got [2, 3] [2] -1 3 2", [] { copy_into(target(matrix()), ones({2})); });
  refuses("copy_into: elements got [3] [0]", [] { copy_into(target(ones({1}).expand({3})), ones({3})); });
  refuses("add_into: got [3] [0]", [] { add_into(target(ones({1}).expand({3})), ones({3})); });
  refuses("scale_into: got [3] [0]", [] { scale_into(target(ones({1}).expand({3})), 2); });
  refuses<DTypeError>("add_into: got bool", [] { add_into(target(mask({3})), mask({3})); });
  refuses<DTypeError>("scale_into: got bool", [] { scale_into(target(mask({3})), 2); });
  refuses("dropout: [0, 1] got 1.5", [] { dropout_mask({2}, DType::f32, 1.5, 1, 0); });
  refuses<DTypeError>("dropout: got i64", [] { dropout_mask({2}, DType::i64, 0.5, 1, 0); });
  refuses<ShapeError>("max_abs_difference: got [2] [3]", [] { max_abs_difference(ones({2}), ones({3})); });
  refuses("mul: got 0.5 i64", [] { mul(wholes({2}), 0.5); });
  refuses("softplus: parameter got 1e+40", [] { softplus(matrix(), {.beta = 1e40}); });
  refuses("softplus: positive got 0", [] { softplus(matrix(), {.beta = 0}); });
  refuses<DTypeError>("gelu: got i64", [] { gelu(wholes({2})); });
  refuses("elementwise: table", [] { elementwise("no such function", matrix()); });
  refuses("hardtanh: got 1 1", [] { hardtanh(matrix(), 1, 1); });
}
