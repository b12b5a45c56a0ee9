// What Variables, the graph and the operations refuse.
#include "tests/nn/bad_input/refuses.h"

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/gradcheck.h"
#include "autograd/modes.h"
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
  TEST_CASE("autograd: variables and the graph") {
    refuses<DTypeError>("set_requires_grad: only f32 and f64 have gradients; got i64",
                        [] { Variable(wholes({2}), Variable::kRequiresGrad); });
    refuses<GraphError>(
        "set_requires_grad: only a leaf can be changed; got a value made by an operation; hint: detach() it",
        [] { (leaf({2}) * 2).set_requires_grad(false); });
    refuses<DTypeError>("set_value: only f32 and f64 have gradients; got i64",
                        [] { leaf({2}).set_value(wholes({2})); });
    refuses<GraphError>("set_value: only a leaf's value can be replaced; got a value made by an operation",
                        [] { (leaf({2}) * 2).set_value(ones({2})); });
    refuses<ShapeError>("set_grad: the gradient must have the value's shape and dtype; got f32 [3] for f32 [2]",
                        [] { leaf({2}).set_grad(ones({3})); });
    refuses<ShapeError>("set_grad: the gradient must have the value's shape and dtype; got f64 [2] for f32 [2]",
                        [] { leaf({2}).set_grad(ones({2}, DType::f64)); });
    refuses<GraphError>("set_grad: only a leaf that requires a gradient has one to set; got a constant",
                        [] { constant({2}).set_grad(ones({2})); });
    refuses<GraphError>(
        "set_grad: only a leaf that requires a gradient has one to set; got a value made by an operation",
        [] { (leaf({2}) * 2).set_grad(ones({2})); });
    refuses<GraphError>("retain_grad: the value must require a gradient; got a constant",
                        [] { constant({2}).retain_grad(); });
    refuses<GraphError>("on_grad: the value must require a gradient; got a constant",
                        [] { constant({2}).on_grad([](const Variable& g) { return g; }); });
    refuses<GraphError>(
        "add_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new value",
        [] { add_(leaf({2}), ones({2})); });
    refuses<GraphError>(
        "mul_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new value",
        [] { mul_(leaf({2}), 2); });
    refuses<GraphError>(
        "copy_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new "
        "value",
        [] { copy_(leaf({2}), ones({2})); });
    refuses<GraphError>(
        "fill_: cannot write into a value that needs a gradient; got [2]; hint: use a NoGrad scope, or make a new "
        "value",
        [] { fill_(leaf({2}), 2); });
    refuses<GraphError>("backward: the value must require a gradient; got a constant; hint: was it made under NoGrad?",
                        [] { backward(constant({})); });
    refuses<GraphError>("backward: the value must require a gradient; got a constant; hint: was it made under NoGrad?",
                        [] { backward(Variable()); });
    refuses<GraphError>("backward: a value with more than one element needs a seed; got [2]; hint: sum it first",
                        [] { backward(leaf({2}) * 2); });
    refuses<GradientShapeError>(
        "backward: a gradient must have the shape and dtype of its value; got f32 [3] for f32 [2] of mul",
        [] { backward(leaf({2}) * 2, {.seed = ones({3})}); });
    refuses<GradientShapeError>(
        "backward: a gradient must have the shape and dtype of its value; got f64 [2] for f32 [2] of mul",
        [] { backward(leaf({2}) * 2, {.seed = ones({2}, DType::f64)}); });
    refuses<GraphError>("backward: the graph was already freed at sum; pass retain_graph to the first pass", [] {
      Variable y = sum(square(leaf({2})));
      backward(y);
      backward(y);
    });
    refuses<GraphError>(
        "backward of square: a value that it saved was overwritten by add_; got version 1, saved at 0; hint: compute "
        "on a clone()",
        [] {
          Variable x = leaf({2}), y = sum(square(x));
          NoGrad guard;
          add_(x, ones({2}));
          backward(y);
        });
    refuses<GraphError>(
        "backward of square: a value that it saved was replaced by set_value; hint: "
        "compute on a clone()",
        [] {
          Variable x = leaf({2}), y = sum(square(x));
          x.set_value(ones({2}));
          backward(y);
        });
    refuses<GraphError>("grad: every input must require a gradient; got a constant",
                        [] { grad({leaf({})}, {constant({})}); });
    refuses<GraphError>("grad: no output depends on input 0; pass allow_unused to get an undefined one",
                        [] { grad({leaf({}) * 2}, {leaf({})}); });
    refuses<GraphError>("grad: needs one seed per output; got 2 seeds for 1 outputs", [] {
      Variable x = leaf({});
      grad({x * 2}, {x}, {.seeds = {constant({}), constant({})}});
    });
    refuses<GradientShapeError>(
        "backward of half: a gradient must have the shape and dtype of its value; got f32 [] for f32 [2] of leaf", [] {
          Variable x = leaf({2});
          backward(sum(attach("half", {x}, x.value(), [](Grads& g, const Variable& dy) { g.add(0, sum(dy)); })));
        });
    refuses<GraphError>("backward of half: gives a gradient to one of its 1 inputs; got one for input 1", [] {
      Variable x = leaf({2});
      backward(sum(attach("half", {x}, x.value(), [](Grads& g, const Variable& dy) { g.add(1, dy); })));
    });
    refuses<GradientShapeError>(
        "backward: a gradient must have the shape and dtype of its value; got f32 [] for f32 [2] of leaf", [] {
          Variable x = leaf({2});
          x.on_grad([](const Variable& dy) { return sum(dy); });
          backward(sum(x));
        });
    refuses<GraphError>("log: gave nan at position 0 of its result [2]; got inputs [2]", [] {
      Anomaly watch;
      log(leaf({2}) * -1);
    });
    refuses<GraphError>("backward of sqrt: gave inf at position 0 of the gradient of input 0; got shape [2]", [] {
      Anomaly watch;
      backward(sum(sqrt(leaf({2}) * 0)));
    });
    refuses<GraphError>(
        "checkpoint: the second run of f must give the same bits as the first; hint: f may depend only on its inputs, "
        "on parameters that nobody changes in between, and on generators",
        [] {
          int runs = 0;
          Variable x = leaf({2});
          backward(sum(checkpoint([&](const Variable& h) { return h * ++runs; }, x)));
        });
    refuses<ValueError>(
        "random: the second run of a computation must draw what its first run drew; got another draw", [] {
          Variable x = leaf({2});
          Generator rng(1), other(2);
          int runs = 0;
          backward(sum(checkpoint([&](const Variable& h) { return dropout(h, 0.5, runs++ % 2 ? rng : other); }, x)));
        });
  }

  TEST_CASE("autograd: operations") {
    refuses<ShapeError>("add: sizes must be equal or 1, aligned at the right; got a [2] and b [3] (axis -1: 2 vs 3)",
                        [] { leaf({2}) + leaf({3}); });
    refuses<DTypeError>("mul: both must have one dtype; got a f32 [2] and b f64 [2]; convert one with to(...)",
                        [] { leaf({2}) * leaf({2}, DType::f64); });
    refuses<ValueError>("clamp: low must not exceed high; got 1 and 0", [] { clamp(leaf({2}), 1, 0); });
    refuses<DTypeError>("where: the mask must be bool; got f32 [2]", [] { where(ones({2}), leaf({2}), leaf({2})); });
    refuses<ValueError>("dropout: p must lie in [0, 1]; got nan", [] { dropout(leaf({2}), kNan, dice); });
    refuses<ShapeError>("reshape: the number of elements must stay; got [2, 3] (6 elements) to [4]", [] {
      reshape(leaf({2, 3}), {4});
    });
    refuses<IndexError>("transpose: axis must lie in [-2, 2); got axis 2", [] { transpose(leaf({2, 3}), 0, 2); });
    refuses<ShapeError>("permute: each axis must be named once; got [0] for [2, 3]", [] {
      permute(leaf({2, 3}), {0});
    });
    refuses<IndexError>("movedim: axis must lie in [-2, 2); got axis 2", [] { movedim(leaf({2, 3}), 0, 2); });
    refuses<IndexError>("slice: axis must lie in [-2, 2); got axis 2", [] { slice(leaf({2, 3}), 2, 0, 1); });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 1:0:1 on axis 0 of [2, 3]", [] {
      slice(leaf({2, 3}), 0, 1, 0);
    });
    refuses<IndexError>("narrow: the piece must lie inside the axis; got 2 from 2 on axis 1 of [2, 3]", [] {
      narrow(leaf({2, 3}), 1, 2, 2);
    });
    refuses<IndexError>("narrow: the piece must lie inside the axis; got -1 from 0 on axis 1 of [2, 3]", [] {
      narrow(leaf({2, 3}), 1, 0, -1);
    });
    refuses<IndexError>("narrow: axis must lie in [-2, 2); got axis 2", [] { narrow(leaf({2, 3}), 2, 0, 1); });
    refuses<IndexError>("select: the index must lie in [-2, 2); got 2 on axis 0 of [2, 3]", [] {
      select(leaf({2, 3}), 0, 2);
    });
    refuses<IndexError>("select: axis must lie in [-2, 2); got axis 2", [] { select(leaf({2, 3}), 2, 0); });
    refuses<IndexError>("slice: needs 0 <= begin <= end <= size and step >= 1; got 4:6:1 on axis 0 of [5]",
                        [] { place(leaf({2}), 0, 4, 1, 5); });
    refuses<IndexError>("place: axis must lie in [-1, 1); got axis 1", [] { place(leaf({2}), 1, 0, 1, 5); });
    refuses<ValueError>("concat: needs at least one tensor; got none", [] { concat(Variables{}, 0); });
    refuses<ValueError>("stack: needs at least one tensor; got none", [] { stack(Variables{}, 0); });
    refuses<ShapeError>("split: the sizes must add up to the axis; got [1, 1] for axis 1 of [2, 3]", [] {
      split(leaf({2, 3}), {1, 1}, 1);
    });
    refuses<ShapeError>("split: the sizes must add up to the axis; got [1, 9223372036854775807] for axis 0 of [3]", [] {
      split(leaf({3}), {1, INT64_MAX}, 0);
    });
    refuses<ShapeError>("split: the sizes must add up to the axis; got [1, 1, 1, 1, 1, 1, 1, 1, 1] for axis 0 of [3]",
                        [] {
                          split(leaf({3}), {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0);
                        });
    refuses<IndexError>("split: axis must lie in [-1, 1); got axis 1", [] { split(leaf({3}), {3}, 1); });
    refuses<ValueError>("chunk: needs at least one piece; got 0", [] { chunk(leaf({3}), 0, 0); });
    refuses<IndexError>("chunk: axis must lie in [-1, 1); got axis 1", [] { chunk(leaf({3}), 2, 1); });
    refuses<IndexError>("unstack: axis must lie in [-1, 1); got axis 1", [] { unstack(leaf({3}), 1); });
    refuses<ShapeError>("place_diagonal: x must have the shape of the diagonal; got x [2] for a diagonal [3] of [3, 3]",
                        [] {
                          place_diagonal(leaf({2}), {3, 3}, 0, 0, 1);
                        });
    refuses<IndexError>("index_select: an index must lie in [0, 2); got 2 at position 0", [] {
      index_select(leaf({2, 3}), ids({2}));
    });
    refuses<IndexError>("index_select: axis must lie in [-2, 2); got axis 2", [] {
      index_select(leaf({2, 3}), 2, ids({0}));
    });
    refuses<IndexError>("index_add_into: an index must lie in [0, 2); got 2 at position 1", [] {
      index_add(leaf({2, 3}), ids({0, 2}), 2);
    });
    refuses<ShapeError>("index_add_into: needs a contiguous table [V, D] and dy [index.., D]; got [2], [2, 2] and [4]",
                        [] {
                          index_add(leaf({4}), wholes({2, 2}), 2);
                        });
    refuses<ShapeError>("empty: sizes must not be negative; got [-1]", [] { index_add(leaf({0}), ids({}), -1); });
    refuses<IndexError>("gather: an index must lie in [0, 3); got 3 at position 0", [] {
      gather(leaf({2, 3}), 1, wholes({2, 1}) = ids({3}).expand({2, 1}));
    });
    refuses<IndexError>("gather: axis must lie in [-2, 2); got axis 2", [] {
      gather(leaf({2, 3}), 2, wholes({2, 1}));
    });
    refuses<ShapeError>("gather: all axes but the last must agree; got x [2, 3] and index [1, 1]", [] {
      gather(leaf({2, 3}), wholes({1, 1}));
    });
    refuses<ShapeError>("gather: all axes but the last must agree; got x [] and index []",
                        [] { gather(leaf({}), wholes({})); });
    refuses<IndexError>("scatter_add: axis must lie in [-2, 2); got axis 2", [] {
      scatter_add(leaf({2, 3}), 2, wholes({2, 1}), leaf({2, 1}));
    });
    refuses<ShapeError>(
        "scatter_add: index and values must have one shape, the target be contiguous; got [2, 2] and [2, 1]", [] {
          scatter_add(leaf({2, 3}), 1, wholes({2, 2}), leaf({2, 1}));
        });
    refuses<ShapeError>("scatter_add: needs at least one axis; got []", [] { scatter_add(leaf({}), wholes({}), 3); });
    refuses<IndexError>("scatter_add: an index must lie in [0, 3); got 3 at position 1", [] {
      scatter_add(leaf({2}), ids({0, 3}), 3);
    });
    refuses<IndexError>("index_select: an index must lie in [0, 4); got 4 at position 0", [] {
      embedding(leaf({4, 2}), ids({4}));
    });
    refuses<IndexError>("index_select: an index must lie in [0, 4); got -1 at position 0", [] {
      embedding(leaf({4, 2}), ids({-1}));
    });
    refuses<DTypeError>("index_select: indices must be i64; got f32 [1]", [] { embedding(leaf({4, 2}), ones({1})); });
    refuses<ShapeError>("fold: needs the windows that unfold gives; got [3, 2] for [5] in steps of 1", [] {
      fold(leaf({3, 2}), 0, 5, 1);
    });
    refuses<ShapeError>("embedding: needs a table [V, D] that has the row of padding; got [4] and padding -1",
                        [] { embedding(leaf({4}), ids({0})); });
    refuses<ShapeError>("embedding: needs a table [V, D] that has the row of padding; got [4, 2] and padding 4", [] {
      embedding(leaf({4, 2}), ids({0}), 4);
    });
    refuses<ShapeError>("matmul: inner sizes must agree; got a [2, 3] and b [2, 3] (3 vs 2)", [] {
      matmul(leaf({2, 3}), leaf({2, 3}));
    });
    refuses<ShapeError>("linear: x [.., I] and w [O, I] must agree in I; got x [2, 3] and w [4, 2]", [] {
      linear(leaf({2, 3}), leaf({4, 2}), {});
    });
    refuses<ShapeError>("linear: the bias must be [O], a number for each row of w [O, I]; got bias [5] and w [4, 3]",
                        [] {
                          linear(leaf({2, 3}), leaf({4, 3}), leaf({5}));
                        });
    refuses<IndexError>("sum: axis must lie in [-1, 1); got axis 1", [] { sum(leaf({2}), {1}); });
    refuses<ValueError>("mean: needs at least one element; got [0]", [] { mean(leaf({0})); });
    refuses<DTypeError>("mean: takes f32 or f64; got i64; convert with to(DType::f32)",
                        [] { mean(Variable(wholes({2}))); });
    refuses<IndexError>("max: axis must lie in [-1, 1); got axis 1", [] { max(leaf({2}), 1); });
    refuses<IndexError>("max: the axis is empty; got [0]", [] { max(leaf({0}), 0); });
    refuses<ShapeError>("sum_to: can only undo a repetition of axes; got [2, 3] to [4]", [] {
      sum_to(leaf({2, 3}), {4});
    });
    refuses<ValueError>("hardtanh: low must be less than high; got 1 and 1", [] { hardtanh(leaf({2}), 1, 1); });
    refuses<ValueError>("var: needs at least 2 elements along the axes; got [1] over []; .unbiased = false allows 1",
                        [] { var(leaf({1})); });
    refuses<ValueError>("stddev: needs at least 1 element along the axes; got [0] over []",
                        [] { stddev(leaf({0}), {}, {.unbiased = false}); });
    refuses<ValueError>("norm: p must be at least 1; got 0.5", [] { norm(leaf({2}), 0.5); });
    refuses<ShapeError>("expand: only axes of size 1 can be repeated; got [2, 3] to [3, 3]", [] {
      expand(leaf({2, 3}), {3, 3});
    });
    refuses<IndexError>("softmax: axis must lie in [-1, 1); got axis 1", [] { softmax(leaf({2}), 1); });
    refuses<IndexError>("log_softmax: axis must lie in [0, 0); got axis 0", [] { log_softmax(leaf({}), 0); });
    refuses<ValueError>("topk: k must lie in [0, 3]; got 4 on axis 0 of [3]", [] { topk(leaf({3}), 4); });
    refuses<ShapeError>("layer_norm: needs between 1 and all axes of x; got 3 of [2, 3]", [] {
      layer_norm(leaf({2, 3}), {}, {}, {.axes = 3});
    });
    refuses<ValueError>("layer_norm: eps must not be negative; got -1", [] {
      layer_norm(leaf({2, 3}), {}, {}, {.eps = -1});
    });
    refuses<ShapeError>("layer_norm: the weight must have the sizes of the last axes of x; got x [2, 3] and weight [2]",
                        [] {
                          layer_norm(leaf({2, 3}), leaf({2}), {});
                        });
    refuses<ShapeError>("layer_norm: the bias must have the sizes of the last axes of x; got x [2, 3] and bias [1]",
                        [] {
                          layer_norm(leaf({2, 3}), {}, leaf({1}));
                        });
    refuses<DTypeError>(
        "layer_norm: both must have one dtype; got a f32 [2, 3] and b f64 [3]; convert one with to(...)", [] {
          layer_norm(leaf({2, 3}), leaf({3}, DType::f64), {});
        });
    refuses<DTypeError>("layer_norm: takes f32 or f64; got i64; convert with to(DType::f32)", [] {
      layer_norm(Variable(wholes({2, 3})), {}, {});
    });
    refuses<ShapeError>("rms_norm: the weight must have the sizes of the last axes of x; got x [2, 3] and weight [2]",
                        [] {
                          rms_norm(leaf({2, 3}), leaf({2}));
                        });
    refuses<ValueError>("einsum: \"ij,jk\" describes 2 operands; got 1", [] { einsum("ij,jk", {leaf({2, 3})}); });
    refuses<ValueError>("einsum: \"i\" describes 1 operand; got 0", [] { einsum("i", {}); });
    refuses<ValueError>("einsum: an equation is letters, \"...\", commas and one \"->\"; got \"i;j->ij\"", [] {
      einsum("i;j->ij", {leaf({2}), leaf({3})});
    });
    refuses<ValueError>("einsum: an operand may have \"...\" once; got \"...i...->i\"",
                        [] { einsum("...i...->i", {leaf({2})}); });
    refuses<ValueError>("einsum: the result names k, which no operand has; got \"ij->ik\"", [] {
      einsum("ij->ik", {leaf({2, 3})});
    });
    refuses<ValueError>("einsum: the result names i twice; got \"ij->ii\"", [] { einsum("ij->ii", {leaf({2, 3})}); });
    refuses<ShapeError>("einsum: operand 1 of \"ijk->i\" needs 3 axes; got [2, 3]", [] {
      einsum("ijk->i", {leaf({2, 3})});
    });
    refuses<ShapeError>("einsum: operand 1 of \"...ijk->i\" needs at least 3 axes; got [2, 3]", [] {
      einsum("...ijk->i", {leaf({2, 3})});
    });
    refuses<ShapeError>("einsum: j must have one size in \"ij,jk->ik\"; got 3 and 2", [] {
      einsum("ij,jk->ik", {leaf({2, 3}), leaf({2, 3})});
    });
    refuses<ShapeError>("einsum: an axis of ... must have one size in \"...i,...i\"; got 2 and 4", [] {
      einsum("...i,...i", {leaf({2, 3}), leaf({4, 3})});
    });
    refuses<ShapeError>("shape: a tensor has at most 8 axes; got one more", [] {
      einsum("abcde,fghij->abcdefghij", {leaf({1, 1, 1, 1, 1}), leaf({1, 1, 1, 1, 1})});
    });
  }
}
