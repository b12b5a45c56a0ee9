// Hints, common mistakes and checks of exercise 05.1.
#include "tutorials/05_network/exercises/1_module.h"

#include <string>

#include "autograd/backward.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// Checks a kind of block. The answer is this function, made for the learner's block or for one with a mistake.
using Answer = void (*)(app::Exercise&);
template <class Block>
void check_block(app::Exercise& e) {
  Generator rng(1);
  Block block({.width = 3, .hidden = 5}, rng);
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
  Block copy = clone(block);
  e.check("y of a clone", copy(x).value(), expected.value(), 1e-6);
}

// The right block, with one part exchanged.
struct Right : mine::Block {
  using mine::Block::Block;
  Variable operator()(const Variable& x) const { return x + down(relu(up(x))); }
  void visit(nn::Visitor& v) { v.child("up", up), v.child("down", down); }
};
template <auto formula>  // (block, x) -> y
struct WithCall : Right {
  using Right::Right;
  Variable operator()(const Variable& x) const { return formula(static_cast<const Right&>(*this), x); }
};
template <auto naming>  // names the members of block to v
struct WithVisit : Right {
  using Right::Right;
  void visit(nn::Visitor& v) { naming(static_cast<Right&>(*this), v); }
};
template <auto formula>
constexpr Answer call = check_block<WithCall<formula>>;
template <auto naming>
constexpr Answer visit = check_block<WithVisit<naming>>;

using B = const Right&;
using V = const Variable&;
const std::vector<app::Mistake<Answer>> mistakes{
    {"The call is still open: it returns x", call<[](B, V x) { return x; }>},
    {"The residual connection is missing: y is x plus the output of the two layers",
     call<[](B b, V x) { return b.down(relu(b.up(x))); }>},
    {"The nonlinearity is missing: without max(z, 0) the two layers together are one linear layer",
     call<[](B b, V x) { return x + b.down(b.up(x)); }>},
    {"You apply max(., 0) to y: it belongs between the two layers, and y may be negative",
     call<[](B b, V x) { return relu(x + b.down(b.up(x))); }>},
    {"You apply max(., 0) after the second layer: it belongs between the two layers",
     call<[](B b, V x) { return x + relu(b.down(b.up(x))); }>},
    {"You apply max(., 0) twice: once, between the two layers, and not to y or to the second layer's output",
     call<[](B b, V x) { return x + relu(b.down(relu(b.up(x)))); }>},
    {"You apply max(., 0) to x as well: x is added, and enters the first layer, as it is",
     call<[](B b, V x) { return relu(x) + b.down(relu(b.up(x))); }>},
    {"The nonlinearity is tanh: this block uses max(z, 0), relu(z)",
     call<[](B b, V x) { return x + b.down(tanh(b.up(x))); }>},
    {"The biases are missing: call the layers, up(x) and down(h), which add them",
     call<[](B b, V x) { return x + linear(relu(linear(x, b.up.weight, {})), b.down.weight, {}); }>},
    {"The call is right; visit names no member, so the block has no parameters: nothing would be trained or saved",
     visit<[](Right&, nn::Visitor&) {}>},
    {"visit does not name `down`: that layer is not trained, not saved and not counted",
     visit<[](Right& b, nn::Visitor& v) { v.child("up", b.up); }>},
    {"visit does not name `up`: that layer is not trained, not saved and not counted",
     visit<[](Right& b, nn::Visitor& v) { v.child("down", b.down); }>},
    {"visit names the layers in the reverse order: name them in the order of the members, `up` first",
     visit<[](Right& b, nn::Visitor& v) { v.child("down", b.down), v.child("up", b.up); }>},
    {"visit exchanges the names: the name \"up\" belongs to the member up",
     visit<[](Right& b, nn::Visitor& v) { v.child("up", b.down), v.child("down", b.up); }>},
    {"`up` gets no gradient: .value() makes a constant of a Variable and cuts the graph there",
     call<[](B b, V x) { return x + b.down(Variable(relu(b.up(x)).value())); }>},
    {"No parameter gets a gradient: .value() makes a constant of a Variable and cuts the graph there",
     call<[](B b, V x) { return Variable((x + b.down(relu(b.up(x)))).value()); }>},
};

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
  const Answer yours = check_block<mine::Block>;
  return e.run(
      argc, argv, yours, [](heed::app::Exercise& on, const Answer& check) { check(on); }, mistakes);
}
