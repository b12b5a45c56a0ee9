// Hints and checks of exercise 05.1.
#include "tutorials/05_network/exercises/1_module.h"

#include <string>

#include "autograd/backward.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(1);
  mine::Block block({.width = 3, .hidden = 5}, rng);
  auto normal = [&](const Shape& shape) { return Tensor::normal(shape, rng, 0, 1); };
  block.up.weight.set_value(normal({5, 3})), block.up.bias.set_value(normal({5}));
  block.down.weight.set_value(normal({3, 5})), block.down.bias.set_value(normal({3}));
  const Tensor x = normal({4, 3});
  const Variable z = matmul(x, transpose(block.up.weight, 0, 1)) + block.up.bias;
  const Variable expected = x + matmul(relu(z), transpose(block.down.weight, 0, 1)) + block.down.bias;
  const bool right = e.check("y", block(x).value(), expected.value(), 1e-6);
  if (!right) return;  // visit is checked once the call is right
  std::string names;
  for (const NamedVariable& p : named_parameters(block))
    names += (names.empty() ? "" : ", ") + p.name + " " + to_string(p.variable.shape());
  e.check("the list of parameters", names, "up.weight [5, 3], up.bias [5], down.weight [3, 5], down.bias [3]");
  e.check("the number of parameters, 2 N D + N + D,", static_cast<double>(count_parameters(block)), 38, 0);
  const Variable loss = sum(square(block(x)));
  if (loss.requires_grad()) backward(loss);
  double moved = 0;
  for (const Variable& p : {block.up.weight, block.up.bias, block.down.weight, block.down.bias})
    moved += p.grad().defined() && sum(abs(Variable(p.grad()))).item() > 0;
  e.check("how many of the four parameters have a gradient that is not 0", moved, 4, 0);
  mine::Block copy = clone(block);
  e.check("y of a clone", copy(x).value(), expected.value(), 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("05", 1, "A module of your own");
  e.hint("The call: up(x) is z, relu(z) is h, down(h) is h V^T + c. Add x.");
  e.hint("visit: v.child(\"up\", up), and the same for down. The names become those of the parameters: up.weight, ..");
  e.insight(
      "A module is its members and one function that names them: training, saving, counting and copying use visit.\n"
      "With a residual connection a block learns only what should change, and gradients pass through the sum "
      "unchanged.",
      "./heed exercise 05 2");
  return e.run(argc, argv, examine);
}
