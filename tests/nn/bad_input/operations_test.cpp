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
#include "tensor/matmul.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"

using namespace heed;
using namespace heed::bad_input;

TEST_CASE("autograd: variables and the graph") {
  refuses<DTypeError>("set_requires_grad: got i64", [] { Variable(wholes({2}), Variable::kRequiresGrad); });
  refuses<GraphError>("set_requires_grad: changed got", [] { (leaf({2}) * 2).set_requires_grad(false); });
  refuses<DTypeError>("set_value: got i64", [] { leaf({2}).set_value(wholes({2})); });
  refuses<GraphError>("set_value: replaced got", [] { (leaf({2}) * 2).set_value(ones({2})); });
  refuses<ShapeError>("set_grad: got f32 [3] f32 [2]", [] { leaf({2}).set_grad(ones({3})); });
  refuses<ShapeError>("set_grad: got f64 [2] f32 [2]", [] { leaf({2}).set_grad(ones({2}, DType::f64)); });
  refuses<GraphError>("set_grad: got constant", [] { constant({2}).set_grad(ones({2})); });
  refuses<GraphError>("set_grad: requires got", [] { (leaf({2}) * 2).set_grad(ones({2})); });
  refuses<GraphError>("retain_grad: gradient got", [] { constant({2}).retain_grad(); });
  refuses<GraphError>("on_grad: gradient got", [] { constant({2}).on_grad([](const Variable& g) { return g; }); });
  refuses<GraphError>("add_: got [2]", [] { add_(leaf({2}), ones({2})); });
  refuses<GraphError>("mul_: got [2]", [] { mul_(leaf({2}), 2); });
  refuses<GraphError>("copy_: got [2]", [] { copy_(leaf({2}), ones({2})); });
  refuses<GraphError>("fill_: got [2]", [] { fill_(leaf({2}), 2); });
  refuses<GraphError>("backward: gradient got", [] { backward(constant({})); });
  refuses<GraphError>("backward: gradient got", [] { backward(Variable()); });
  refuses<GraphError>("backward: element got [2]", [] { backward(leaf({2}) * 2); });
  refuses<GradientShapeError>("backward: got f32 [3] f32 [2] mul",
                              [] { backward(leaf({2}) * 2, {.seed = ones({3})}); });
  refuses<GradientShapeError>("backward: got f64 [2] f32 [2] mul",
                              [] { backward(leaf({2}) * 2, {.seed = ones({2}, DType::f64)}); });
  refuses<GraphError>("backward: sum retain_graph", [] {
    Variable y = sum(square(leaf({2})));
    backward(y);
    backward(y);
  });
  refuses<GraphError>("backward of square: got 1 0", [] {
    Variable x = leaf({2}), y = sum(square(x));
    NoGrad guard;
    add_(x, ones({2}));
    backward(y);
  });
  refuses<GraphError>("backward of square: replaced set_value", [] {
    Variable x = leaf({2}), y = sum(square(x));
    x.set_value(ones({2}));
    backward(y);
  });
  refuses<GraphError>("grad: gradient got", [] { grad({leaf({})}, {constant({})}); });
  refuses<GraphError>("grad: 0 allow_unused", [] { grad({leaf({}) * 2}, {leaf({})}); });
  refuses<GraphError>("grad: needs got 2 1", [] {
    Variable x = leaf({});
    grad({x * 2}, {x}, {.seeds = {constant({}), constant({})}});
  });
  refuses<GradientShapeError>("backward of half: got f32 [] f32 [2] leaf", [] {
    Variable x = leaf({2});
    backward(sum(attach("half", {x}, x.value(), [](Grads& g, const Variable& dy) { g.add(0, sum(dy)); })));
  });
  refuses<GraphError>("backward of half: 1 got 1", [] {
    Variable x = leaf({2});
    backward(sum(attach("half", {x}, x.value(), [](Grads& g, const Variable& dy) { g.add(1, dy); })));
  });
  refuses<GradientShapeError>("backward: got f32 [] f32 [2] leaf", [] {
    Variable x = leaf({2});
    x.on_grad([](const Variable& dy) { return sum(dy); });
    backward(sum(x));
  });
  refuses<GraphError>("log: nan 0 [2] got [2]", [] {
    Anomaly watch;
    log(leaf({2}) * -1);
  });
  refuses<GraphError>("backward of sqrt: inf 0 0 got [2]", [] {
    Anomaly watch;
    backward(sum(sqrt(leaf({2}) * 0)));
  });
  refuses<GraphError>("checkpoint: parameters", [] {
    int runs = 0;
    Variable x = leaf({2});
    backward(sum(checkpoint([&](const Variable& h) { return h * ++runs; }, x)));
  });
  refuses("random: computation got", [] {
    Variable x = leaf({2});
    Generator rng(1), other(2);
    int runs = 0;
    backward(sum(checkpoint([&](const Variable& h) { return dropout(h, 0.5, runs++ % 2 ? rng : other); }, x)));
  });
}

TEST_CASE("autograd: operations") {
  refuses<ShapeError>("add: 1 got [2] [3] -1 2 3", [] { leaf({2}) + leaf({3}); });
  refuses<DTypeError>("mul: got f32 [2] f64 [2]", [] { leaf({2}) * leaf({2}, DType::f64); });
  refuses("clamp: got 1 0", [] { clamp(leaf({2}), 1, 0); });
  refuses<DTypeError>("where: mask got f32 [2]", [] { where(ones({2}), leaf({2}), leaf({2})); });
  refuses("dropout: [0, 1] got nan", [] { dropout(leaf({2}), kNan, dice); });
  refuses<ShapeError>("reshape: got [2, 3] 6 [4]", [] { reshape(leaf({2, 3}), {4}); });
  refuses<IndexError>("transpose: [-2, 2) got 2", [] { transpose(leaf({2, 3}), 0, 2); });
  refuses<ShapeError>("permute: got [0] [2, 3]", [] { permute(leaf({2, 3}), {0}); });
  refuses<IndexError>("movedim: [-2, 2) got 2", [] { movedim(leaf({2, 3}), 0, 2); });
  refuses<IndexError>("slice: lie [-2, 2) got 2", [] { slice(leaf({2, 3}), 2, 0, 1); });
  refuses<IndexError>("slice: begin got 1:0:1 0 [2, 3]", [] { slice(leaf({2, 3}), 0, 1, 0); });
  refuses<IndexError>("narrow: inside got 2 2 1 [2, 3]", [] { narrow(leaf({2, 3}), 1, 2, 2); });
  refuses<IndexError>("narrow: inside got -1 0 1 [2, 3]", [] { narrow(leaf({2, 3}), 1, 0, -1); });
  refuses<IndexError>("narrow: in [-2, 2) got 2", [] { narrow(leaf({2, 3}), 2, 0, 1); });
  refuses<IndexError>("select: index [-2, 2) got 2 0 [2, 3]", [] { select(leaf({2, 3}), 0, 2); });
  refuses<IndexError>("select: axis [-2, 2) got 2", [] { select(leaf({2, 3}), 2, 0); });
  refuses<IndexError>("slice: begin got 4:6:1 0 [5]", [] { place(leaf({2}), 0, 4, 1, 5); });
  refuses<IndexError>("place: [-1, 1) got 1", [] { place(leaf({2}), 1, 0, 1, 5); });
  refuses("concat: tensor got", [] { concat(Variables{}, 0); });
  refuses("stack: tensor got", [] { stack(Variables{}, 0); });
  refuses<ShapeError>("split: got [1, 1] 1 [2, 3]", [] { split(leaf({2, 3}), {1, 1}, 1); });
  refuses<ShapeError>("split: got [1, 9223372036854775807] 0 [3]", [] { split(leaf({3}), {1, INT64_MAX}, 0); });
  refuses<ShapeError>("split: got [1, 1, 1, 1, 1, 1, 1, 1, 1] 0 [3]", [] {
    split(leaf({3}), {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0);
  });
  refuses<IndexError>("split: [-1, 1) got 1", [] { split(leaf({3}), {3}, 1); });
  refuses("chunk: got 0", [] { chunk(leaf({3}), 0, 0); });
  refuses<IndexError>("chunk: [-1, 1) got 1", [] { chunk(leaf({3}), 2, 1); });
  refuses<IndexError>("unstack: [-1, 1) got 1", [] { unstack(leaf({3}), 1); });
  refuses<ShapeError>("place_diagonal: got [2] [3] [3, 3]", [] { place_diagonal(leaf({2}), {3, 3}, 0, 0, 1); });
  refuses<IndexError>("index_select: index [0, 2) got 2 0", [] { index_select(leaf({2, 3}), ids({2})); });
  refuses<IndexError>("index_select: axis [-2, 2) got 2", [] { index_select(leaf({2, 3}), 2, ids({0})); });
  refuses<IndexError>("index_add_into: [0, 2) got 2 1", [] { index_add(leaf({2, 3}), ids({0, 2}), 2); });
  refuses<ShapeError>("index_add_into: [V, D] [index.., D] got [2] [2, 2] [4]", [] {
    index_add(leaf({4}), wholes({2, 2}), 2);
  });
  refuses<ShapeError>("empty: negative got [-1]", [] { index_add(leaf({0}), ids({}), -1); });
  refuses<IndexError>("gather: index [0, 3) got 3 0", [] {
    gather(leaf({2, 3}), 1, wholes({2, 1}) = ids({3}).expand({2, 1}));
  });
  refuses<IndexError>("gather: axis [-2, 2) got 2", [] { gather(leaf({2, 3}), 2, wholes({2, 1})); });
  refuses<ShapeError>("gather: agree got [2, 3] [1, 1]", [] { gather(leaf({2, 3}), wholes({1, 1})); });
  refuses<ShapeError>("gather: agree got [] []", [] { gather(leaf({}), wholes({})); });
  refuses<IndexError>("scatter_add: axis [-2, 2) got 2", [] {
    scatter_add(leaf({2, 3}), 2, wholes({2, 1}), leaf({2, 1}));
  });
  refuses<ShapeError>("scatter_add: contiguous got [2, 2] [2, 1]", [] {
    scatter_add(leaf({2, 3}), 1, wholes({2, 2}), leaf({2, 1}));
  });
  refuses<ShapeError>("scatter_add: needs got []", [] { scatter_add(leaf({}), wholes({}), 3); });
  refuses<IndexError>("scatter_add: index [0, 3) got 3 1", [] { scatter_add(leaf({2}), ids({0, 3}), 3); });
  refuses<IndexError>("index_select: index [0, 4) got 4 0", [] { embedding(leaf({4, 2}), ids({4})); });
  refuses<IndexError>("index_select: index [0, 4) got -1 0", [] { embedding(leaf({4, 2}), ids({-1})); });
  refuses<DTypeError>("index_select: got f32 [1]", [] { embedding(leaf({4, 2}), ones({1})); });
  refuses<ShapeError>("fold: got [3, 2] [5] 1", [] { fold(leaf({3, 2}), 0, 5, 1); });
  refuses<ShapeError>("embedding: [V, D] got [4] -1", [] { embedding(leaf({4}), ids({0})); });
  refuses<ShapeError>("embedding: [V, D] got [4, 2] 4", [] { embedding(leaf({4, 2}), ids({0}), 4); });
  refuses<ShapeError>("matmul: inner got [2, 3] [2, 3] 3 2", [] { matmul(leaf({2, 3}), leaf({2, 3})); });
  refuses<ShapeError>("linear: [.., I] [O, I] agree got [2, 3] [4, 2]", [] { linear(leaf({2, 3}), leaf({4, 2}), {}); });
  refuses<ShapeError>("linear: [O] number [O, I] got [5] [4, 3]", [] {
    linear(leaf({2, 3}), leaf({4, 3}), leaf({5}));
  });
  refuses<IndexError>("sum: lie [-1, 1) got 1", [] { sum(leaf({2}), {1}); });
  refuses("mean: got [0]", [] { mean(leaf({0})); });
  refuses<DTypeError>("mean: got i64", [] { mean(Variable(wholes({2}))); });
  refuses<IndexError>("max: lie [-1, 1) got 1", [] { max(leaf({2}), 1); });
  refuses<IndexError>("max: empty got [0]", [] { max(leaf({0}), 0); });
  refuses<ShapeError>("sum_to: got [2, 3] [4]", [] { sum_to(leaf({2, 3}), {4}); });
  refuses("hardtanh: got 1 1", [] { hardtanh(leaf({2}), 1, 1); });
  refuses("var: 2 elements got [1] [] 1", [] { var(leaf({1})); });
  refuses("stddev: 1 element got [0] []", [] { stddev(leaf({0}), {}, {.unbiased = false}); });
  refuses("norm: p 1 got 0.5", [] { norm(leaf({2}), 0.5); });
  refuses<ShapeError>("expand: 1 repeated got [2, 3] [3, 3]", [] { expand(leaf({2, 3}), {3, 3}); });
  refuses<IndexError>("softmax: [-1, 1) got 1", [] { softmax(leaf({2}), 1); });
  refuses<IndexError>("log_softmax: [0, 0) got 0", [] { log_softmax(leaf({}), 0); });
  refuses("topk: lie [0, 3] got 4 0 [3]", [] { topk(leaf({3}), 4); });
  refuses<ShapeError>("layer_norm: needs 1 got 3 [2, 3]", [] { layer_norm(leaf({2, 3}), {}, {}, {.axes = 3}); });
  refuses("layer_norm: got -1", [] { layer_norm(leaf({2, 3}), {}, {}, {.eps = -1}); });
  refuses<ShapeError>("layer_norm: weight got [2, 3] weight [2]", [] { layer_norm(leaf({2, 3}), leaf({2}), {}); });
  refuses<ShapeError>("layer_norm: bias got [2, 3] bias [1]", [] { layer_norm(leaf({2, 3}), {}, leaf({1})); });
  refuses<DTypeError>("layer_norm: got f32 [2, 3] f64 [3]", [] {
    layer_norm(leaf({2, 3}), leaf({3}, DType::f64), {});
  });
  refuses<DTypeError>("layer_norm: got i64", [] { layer_norm(Variable(wholes({2, 3})), {}, {}); });
  refuses<ShapeError>("rms_norm: weight got [2, 3] weight [2]", [] { rms_norm(leaf({2, 3}), leaf({2})); });
  refuses("einsum: ij,jk 2 got 1", [] { einsum("ij,jk", {leaf({2, 3})}); });
  refuses("einsum: i describes 1 got 0", [] { einsum("i", {}); });
  refuses("einsum: got i;j->ij", [] { einsum("i;j->ij", {leaf({2}), leaf({3})}); });
  refuses("einsum: got ...i...->i", [] { einsum("...i...->i", {leaf({2})}); });
  for (const char* equation : {"i1->i", "ij->i->j", "i..j", "ij->i,j"})
    refuses(fmt::format("einsum: got {}", equation).c_str(), [&] { einsum(equation, {leaf({2, 3})}); });
  refuses<ShapeError>("einsum: i one size ii got 1 3", [] { einsum("ii", {leaf({1, 3})}); });
  refuses<ShapeError>("einsum: i one size ii got 3 1", [] { einsum("ii", {leaf({3, 1})}); });
  refuses("einsum: k got ij->ik", [] { einsum("ij->ik", {leaf({2, 3})}); });
  refuses("einsum: i got ij->ii", [] { einsum("ij->ii", {leaf({2, 3})}); });
  refuses<ShapeError>("einsum: 1 ijk->i 3 got [2, 3]", [] { einsum("ijk->i", {leaf({2, 3})}); });
  refuses<ShapeError>("einsum: 1 ...ijk->i at least 3 got [2, 3]", [] { einsum("...ijk->i", {leaf({2, 3})}); });
  refuses<ShapeError>("einsum: j ij,jk->ik got 3 2", [] { einsum("ij,jk->ik", {leaf({2, 3}), leaf({2, 3})}); });
  refuses<ShapeError>("einsum: an axis ...i,...i got 2 4", [] { einsum("...i,...i", {leaf({2, 3}), leaf({4, 3})}); });
  refuses<ShapeError>("shape: 8 got", [] {
    einsum("abcde,fghij->abcdefghij", {leaf({1, 1, 1, 1, 1}), leaf({1, 1, 1, 1, 1})});
  });
}
