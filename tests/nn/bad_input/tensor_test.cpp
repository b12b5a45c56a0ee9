// What tensors refuse: making, reading, shapes and views, elementwise functions.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/ops.h"
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
  TEST_CASE("tensor: making and reading") {
    refuses<ShapeError>("empty: sizes must not be negative; got [2, -1]", [] { zeros({2, -1}); });
    refuses<ShapeError>("empty: more elements than memory can hold; got [1073741824, 1073741824]", [] {
      zeros({1 << 30, 1 << 30});
    });
    refuses<ShapeError>("shape: a tensor has at most 8 axes; got one more", [] { zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}); });
    refuses<ShapeError>("from: the number of values must be the product of the sizes; got 3 values and [2]", [] {
      Tensor::from(std::vector<float>{1, 2, 3}, {2});
    });
    refuses<ShapeError>("from: sizes must not be negative; got [-2, -1]", [] {
      Tensor::from(std::vector<float>{1, 2}, {-2, -1});
    });
    refuses<ShapeError>("from: more elements than memory can hold; got [1099511627776, 1099511627776]", [] {
      Tensor::from(std::vector<float>{}, {int64_t{1} << 40, int64_t{1} << 40});
    });
    refuses<ShapeError>("empty: sizes must not be negative; got [-1, -1]", [] { Tensor::eye(-1); });
    refuses<ShapeError>("empty: sizes must not be negative; got [-3]", [] { Tensor::arange(-3); });
    refuses<DTypeError>("arange: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { Tensor::arange(3, DType::boolean); });
    refuses<ValueError>("arange: the steps must lead from begin to end; got 0, 1, step 0",
                        [] { Tensor::arange(0, 1, 0); });
    refuses<ValueError>("arange: the steps must lead from begin to end; got 0, 1, step -1",
                        [] { Tensor::arange(0, 1, -1); });
    refuses<ValueError>("arange: the steps must lead from begin to end; got 0, nan, step 1",
                        [] { Tensor::arange(0, kNan); });
    refuses<ValueError>("linspace: the count must not be negative; got -1", [] { Tensor::linspace(0, 1, -1); });
    refuses<DTypeError>("linspace: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { Tensor::linspace(0, 1, 3, DType::i64); });
    refuses<ValueError>("uniform: needs a finite low <= high; got 1 and 0", [] { Tensor::uniform({2}, dice, 1, 0); });
    refuses<ValueError>(
        "uniform: [low, high) must hold a number of type f32; got low 1.0000000009313226 and high 1.00000001",
        [] { Tensor::uniform({2}, dice, 1 + 0x1p-30, 1.00000001); });
    refuses<ValueError>("uniform: needs a finite low <= high; got 0 and inf",
                        [] { Tensor::uniform({2}, dice, 0, kInf); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean 0 and std -1",
                        [] { Tensor::normal({2}, dice, 0, -1); });
    refuses<ValueError>("normal: needs a finite mean and std at least 0; got mean nan and std 1",
                        [] { Tensor::normal({2}, dice, kNan, 1); });
    refuses<DTypeError>("random: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { Tensor::normal({2}, dice, 0, 1, DType::i64); });
    refuses<ValueError>("below: n must be at least 1; got 0", [] { dice.below(0); });
    refuses<ShapeError>("item: needs exactly one element; got [2, 3]", [] { matrix().item(); });
    refuses<ValueError>("item: the tensor must be defined; got an undefined one", [] { Tensor().item(); });
    refuses<IndexError>("at: needs one index for each axis; got 1 for [2, 3]", [] { matrix().at({1}); });
    refuses<IndexError>("at: an index must lie in [-3, 3); got 3 on axis 1 of [2, 3]", [] { matrix().at({1, 3}); });
    refuses<IndexError>("at: an index must lie in [-2, 2); got -3 on axis 0 of [2, 3]", [] {
      matrix().set({-3, 0}, 1);
    });
    refuses<IndexError>("size: axis must lie in [-2, 2); got axis 2", [] { matrix().size(2); });
    refuses<DTypeError>("data: the type asked for must be the tensor's; got f64 for a tensor of f32 [2, 3]",
                        [] { matrix().data<double>(); });
    refuses<ValueError>("to_string: needs a precision in [0, 40] and an edge of at least 0; got -1 and 3",
                        [] { to_string(matrix(), {.precision = -1}); });
    refuses<ValueError>("set_thread_count: needs 1 to 256; got 0", [] { set_thread_count(0); });
    refuses<ValueError>("set_thread_count: needs 1 to 256; got 257", [] { set_thread_count(257); });
    refuses<ValueError>("set_thread_count: must be called outside parallel loops; got a call from inside one", [] {
      int before = thread_count();
      set_thread_count(2);
      auto put_back = [&](void*) { set_thread_count(before); };
      std::unique_ptr<void, decltype(put_back)> later(&before, put_back);
      parallel_for(0, 4, 1, [](int64_t, int64_t) { set_thread_count(3); });
    });
  }

  TEST_CASE("tensor: an undefined tensor") {
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { Tensor().data<float>(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { Tensor().to_vector(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { Tensor().version(); });
    refuses<ValueError>("copy_into: both tensors must be defined; got b undefined", [] { Tensor().clone(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one",
                        [] { Tensor().as_strided({1}, {1}, 0); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one",
                        [] { target({}).mark_written("here"); });
    refuses<ValueError>("copy_into: both tensors must be defined; got a undefined", [] { fill_into(target({}), 1); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { scale_into(target({}), 1); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { exp(Tensor()); });
    refuses<ValueError>("copy_into: both tensors must be defined; got b undefined", [] { sum(Tensor()); });
    refuses<ValueError>("add: both tensors must be defined; got both undefined", [] { add(Tensor(), Tensor()); });
    refuses<ValueError>("add: both tensors must be defined; got b undefined", [] { add(matrix(), Tensor()); });
    refuses<ValueError>("matmul: both tensors must be defined; got a undefined", [] { matmul(Tensor(), matrix()); });
    refuses<ValueError>("concat: both tensors must be defined; got b undefined", [] {
      concat(Tensors{matrix(), Tensor()}, 0);
    });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one",
                        [] { index_select(Tensor().unsqueeze(0), ids({0})); });
    refuses<DTypeError>("gather: indices must be i64; got f32 [1]",
                        [] { gather(matrix().select(0, 0), 0, Tensor().unsqueeze(0)); });
    refuses<DTypeError>("where: the mask must be bool; got f32 []", [] { where(Tensor(), matrix(), matrix()); });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] { Variable().value(); });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] { exp(Variable()); });
    refuses<GraphError>("value: the variable must be defined; got an undefined one", [] { leaf({2}) + Variable(); });
    refuses<ValueError>("tensor: must be defined before use; got an undefined one", [] { square(Variable(Tensor())); });
    refuses<GraphError>("set_value: the variable and its value must be defined; got a variable undefined",
                        [] { Variable().set_value(matrix()); });
    refuses<GraphError>("set_value: the variable and its value must be defined; got a value undefined",
                        [] { leaf({2}).set_value({}); });
  }

  TEST_CASE("tensor: shapes and views") {
    refuses<ShapeError>("reshape: the number of elements must stay; got [2] (2 elements) to [3]",
                        [] { zeros({2}).reshape({3}); });
    refuses<ShapeError>("reshape: the number of elements must stay; got [2] (2 elements) to [-1, -1]", [] {
      zeros({2}).reshape({-1, -1});
    });
    refuses<ShapeError>("view: the number of elements must stay; got [4] (4 elements) to [3]",
                        [] { zeros({4}).view({3}); });
    refuses<ShapeError>(
        "view: the strides do not allow it without a copy; got [3, 2] with strides [1, 3] to [6]; hint: reshape copies",
        [] { matrix().transpose(0, 1).view({6}); });
    refuses<IndexError>("transpose: axis must lie in [-2, 2); got axis 2", [] { matrix().transpose(0, 2); });
    refuses<ShapeError>("permute: each axis must be named once; got [0, 0] for [2, 3]", [] {
      matrix().permute({0, 0});
    });
    refuses<IndexError>("permute: axis must lie in [-2, 2); got axis 5", [] { matrix().permute({0, 5}); });
    refuses<ShapeError>("expand: only axes of size 1 can be repeated; got [2, 3] to [4, 3]", [] {
      matrix().expand({4, 3});
    });
    refuses<ShapeError>("expand: sizes must not be negative; got [-2]", [] { ones({1}).expand({-2}); });
    refuses<ShapeError>("expand: more elements than memory can hold; got [1099511627776, 1099511627776]", [] {
      ones({1}).expand({int64_t{1} << 40, int64_t{1} << 40});
    });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 1:3:1 on axis 0 of [2, 3]",
                        [] { matrix().slice(0, 1, 3); });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 0:2:0 on axis 0 of [2, 3]",
                        [] { matrix().slice(0, 0, 2, 0); });
    refuses<IndexError>("slice: axis must lie in [-2, 2); got axis 7", [] { matrix().slice(7, 0, 1); });
    refuses<IndexError>("select: the index must lie in [-3, 3); got 3 on axis 1 of [2, 3]",
                        [] { matrix().select(1, 3); });
    refuses<IndexError>("select: the index must lie in [-3, 3); got -4 on axis 1 of [2, 3]",
                        [] { matrix().select(1, -4); });
    refuses<IndexError>("select: axis must lie in [-2, 2); got axis 2", [] { matrix().select(2, 0); });
    refuses<ShapeError>("squeeze: the axis must have size 1; got axis 0 of [2, 3]", [] { matrix().squeeze(0); });
    refuses<IndexError>("squeeze: axis must lie in [-2, 2); got axis 2", [] { matrix().squeeze(2); });
    refuses<IndexError>("unsqueeze: axis must lie in [-3, 3); got axis 4", [] { matrix().unsqueeze(4); });
    refuses<ShapeError>("shape: a tensor has at most 8 axes; got one more", [] {
      zeros({1, 1, 1, 1, 1, 1, 1, 1}).unsqueeze(0);
    });
    refuses<ShapeError>("as_strided: needs one stride for each axis, none negative; got [2] with strides [1, 1]", [] {
      matrix().as_strided({2}, {1, 1}, 0);
    });
    refuses<ShapeError>("as_strided: needs one stride for each axis, none negative; got [2] with strides [-1]",
                        [] { matrix().as_strided({2}, {-1}, 1); });
    refuses<ShapeError>("as_strided: sizes must not be negative; got [-2]", [] { matrix().as_strided({-2}, {1}, 0); });
    refuses<IndexError>(
        "as_strided: the elements must lie inside the storage; got [4] with strides [2] from 0 in 6 elements",
        [] { matrix().as_strided({4}, {2}, 0); });
    refuses<IndexError>(
        "as_strided: the elements must lie inside the storage; got [3] with strides [9223372036854775807] from 0 in 6 "
        "elements",
        [] { matrix().as_strided({3}, {INT64_MAX}, 0); });
    refuses<IndexError>(
        "as_strided: the elements must lie inside the storage; got [1] with strides [1] from -1 in 6 elements",
        [] { matrix().as_strided({1}, {1}, -1); });
  }

  TEST_CASE("tensor: elementwise") {
    refuses<ShapeError>(
        "add: sizes must be equal or 1, aligned at the right; got a [2, 3] and b [2, 4] (axis -1: 3 vs 4)", [] {
          add(ones({2, 3}), ones({2, 4}));
        });
    refuses<DTypeError>("add: both must have one dtype; got a f32 [2, 3] and b f64 [2, 3]; convert one with to(...)",
                        [] {
                          add(matrix(), ones({2, 3}, DType::f64));
                        });
    refuses<DTypeError>("add: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { add(mask({2}), mask({2})); });
    refuses<DTypeError>("add: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { add(mask({2}), 1); });
    refuses<DTypeError>("mul: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { mul(mask({2}), 2); });
    refuses<DTypeError>("neg: takes f32, f64 or i64; got bool; convert with to(DType::f32)", [] { neg(mask({2})); });
    refuses<DTypeError>("exp: takes f32 or f64; got i64; convert with to(DType::f32)", [] { exp(wholes({2})); });
    refuses<DTypeError>("div: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { div(wholes({2}), wholes({2})); });
    refuses<DTypeError>("pow: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { pow(wholes({2}), wholes({2})); });
    refuses<ShapeError>("pow: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] { pow(ones({2}), ones({3})); });
    refuses<DTypeError>("pow: both must have one dtype; got a f32 [2] and b i64 [2]; convert one with to(...)",
                        [] { pow(ones({2}), wholes({2})); });
    refuses<ValueError>("clamp: low must not exceed high; got 1 and 0", [] { clamp(matrix(), 1, 0); });
    refuses<ValueError>("clamp: low must not exceed high; got nan and 1", [] { clamp(matrix(), kNan, 1); });
    refuses<DTypeError>("where: the mask must be bool; got f32 [2, 3]", [] { where(matrix(), matrix(), matrix()); });
    refuses<DTypeError>("where: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)",
                        [] {
                          where(mask({2, 3}), matrix(), wholes({2, 3}));
                        });
    refuses<ShapeError>(
        "where: sizes must be equal or 1, aligned at the right; got a [2] and b [2, 3] (axis -1: 2 vs 3)",
        [] { where(mask({2}), matrix(), matrix()); });
    refuses<DTypeError>("masked_fill: the mask must be bool; got f32 [2, 3]",
                        [] { masked_fill(matrix(), matrix(), 0); });
    refuses<DTypeError>("less: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)",
                        [] {
                          less(matrix(), wholes({2, 3}));
                        });
    refuses<ShapeError>("equal: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] { equal(ones({2}), ones({3})); });
    refuses<DTypeError>("logical_not: the mask must be bool; got f32 [2, 3]", [] { logical_not(matrix()); });
    refuses<DTypeError>("logical_and: the mask must be bool; got f32 [2, 3]", [] {
      logical_and(matrix(), mask({2, 3}));
    });
    refuses<DTypeError>("logical_or: the mask must be bool; got f32 [2, 3]", [] {
      logical_or(matrix(), mask({2, 3}));
    });
    refuses<DTypeError>("logical_or: the mask must be bool; got f32 [2, 3]", [] {
      logical_or(mask({2, 3}), matrix());
    });
    refuses<DTypeError>(
        "copy_into: both must have one dtype; got a f32 [2, 3] and b i64 [2, 3]; convert one with to(...)", [] {
          copy_into(target(matrix()), wholes({2, 3}));
        });
    refuses<ShapeError>("copy_into: the value must broadcast to the target's shape; got target [1, 3] and value [2, 3]",
                        [] {
                          copy_into(target(ones({1, 3})), matrix());
                        });
    refuses<ShapeError>(
        "copy_into: sizes must be equal or 1, aligned at the right; got a [2, 3] and b [2] (axis -1: 3 vs 2)",
        [] { copy_into(target(matrix()), ones({2})); });
    refuses<ValueError>("copy_into: the target must not repeat elements; got [3] with strides [0]; hint: contiguous()",
                        [] { copy_into(target(ones({1}).expand({3})), ones({3})); });
    refuses<ValueError>("add_into: the target must not repeat elements; got [3] with strides [0]; hint: contiguous()",
                        [] { add_into(target(ones({1}).expand({3})), ones({3})); });
    refuses<ValueError>("scale_into: the target must not repeat elements; got [3] with strides [0]; hint: contiguous()",
                        [] { scale_into(target(ones({1}).expand({3})), 2); });
    refuses<DTypeError>("add_into: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { add_into(target(mask({3})), mask({3})); });
    refuses<DTypeError>("scale_into: takes f32, f64 or i64; got bool; convert with to(DType::f32)",
                        [] { scale_into(target(mask({3})), 2); });
    refuses<ValueError>("dropout: p must lie in [0, 1]; got 1.5", [] { dropout_mask({2}, DType::f32, 1.5, 1, 0); });
    refuses<DTypeError>("dropout: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { dropout_mask({2}, DType::i64, 0.5, 1, 0); });
    refuses<ShapeError>("max_abs_difference: shapes must be equal; got [2] and [3]",
                        [] { max_abs_difference(ones({2}), ones({3})); });
    refuses<ValueError>(
        "mul: the scalar must be a value of the tensor's dtype; got 0.5 for i64; convert with to(DType::f32)",
        [] { mul(wholes({2}), 0.5); });
    refuses<ValueError>("softplus: the parameter must fit f32; got 1e+40", [] { softplus(matrix(), {.beta = 1e40}); });
    refuses<ValueError>("softplus: beta must be positive; got 0", [] { softplus(matrix(), {.beta = 0}); });
    refuses<DTypeError>("gelu: takes f32 or f64; got i64; convert with to(DType::f32)", [] { gelu(wholes({2})); });
    refuses<ValueError>("elementwise: the table of tensor/functions.h has no row of this name",
                        [] { elementwise("no such function", matrix()); });
    refuses<ValueError>("hardtanh: low must be less than high; got 1 and 1", [] { hardtanh(matrix(), 1, 1); });
  }
}
