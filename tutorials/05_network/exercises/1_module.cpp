// Exercise 05.1: a module of your own.
//
//   z = x W^T + b      h = max(z, 0)      y = x + h V^T + c          x, y [B, D], W [N, D], b [N], V [D, N], c [D]
//
// B examples, D inputs and as many outputs, N hidden units. It adds to its input what two layers make of it, so that a
// network of many such blocks can begin by leaving x alone.
//
// A module has members, a call, and `visit`, which names every member once. What visit does not name is not trained,
// not saved and not counted, and nobody complains: see Mlp in mlp.h and nn/module.h.
#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/layers.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct Block : nn::Module {
  struct Options {
    int64_t width = 3, hidden = 5;
  };
  Block(const Options& o, Generator& rng)
      : options(o), up({.in = o.width, .out = o.hidden}, rng), down({.in = o.hidden, .out = o.width}, rng) {}

  Variable operator()(const Variable& x) const {  // [B, D] -> [B, D]
    Call call(*this);
    // --- the gap: y, from x and the layers up and down ---
    return call.result("output", x);
    // --- end of the gap ---
  }
  void visit([[maybe_unused]] nn::Visitor& v) {
    // --- the gap: name the two layers ---
    // --- end of the gap ---
  }

  Options options;
  nn::Linear up, down;
};

int main(int argc, char** argv) {
  app::Exercise e("05", 1, "A module of your own");
  e.hint("The call: x + down(relu(up(x))).");
  e.hint("visit: v.child(\"up\", up); and the same for down. The names are those of the parameters.");
  return e.run(argc, argv, [&] {
    Generator rng(1);
    Block block({.width = 3, .hidden = 5}, rng);
    Tensor x = Tensor::uniform({4, 3}, rng, -1, 1);
    Variable z = matmul(x, transpose(block.up.weight, 0, 1)) + block.up.bias;
    Variable wanted = x + matmul(relu(z), transpose(block.down.weight, 0, 1)) + block.down.bias;
    e.check("y", block(x).value(), wanted.value(), 1e-6);
    std::string names;
    for (const NamedVariable& p : named_parameters(block)) names += p.name + " ";
    e.check("the list of parameters", names, "up.weight up.bias down.weight down.bias ");
    e.check("the number of parameters, 2 N D + N + D,", static_cast<double>(count_parameters(block)), 38, 0);
    backward(sum(square(block(x))));
    double moved = 0;
    for (const Variable& p : parameters(block)) moved += p.grad().defined() && sum(abs(Variable(p.grad()))).item() > 0;
    e.check("how many parameters have a gradient that is not 0", moved, 4, 0);
    Block copy = clone(block);
    e.check("y of a clone", copy(x).value(), wanted.value(), 1e-6);
  });
}
