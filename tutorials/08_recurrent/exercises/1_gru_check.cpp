// Hints, common mistakes and checks of exercise 08.1.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "nn/init.h"
#include "nn/recurrent/gru.h"
#include "tutorials/08_recurrent/exercises/1_gru.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using V = const Variable&;

struct Parts {
  Variable a_r, a_z, a_n, b_r, b_z, b_n;
  Parts(V a, V b) {
    int64_t N = a.size(1) / 3;
    auto x = split(a, {N, N, N}, 1), h = split(b, {N, N, N}, 1);
    a_r = x[0], a_z = x[1], a_n = x[2], b_r = h[0], b_z = h[1], b_n = h[2];
  }
  Variable r() const { return sigmoid(a_r + b_r); }
  Variable z() const { return sigmoid(a_z + b_z); }
  Variable n() const { return tanh(a_n + r() * b_n); }
};
Variable mixed(V z, V n, V h) { return (1 - z) * n + z * h; }

const std::vector<app::Mistake<decltype(&mine::gru_step)>> mistakes{
    {"The gap is still open: there are no gates, and h does not occur by itself",
     [](V a, V b, V) {
       Parts p(a, b);
       return tanh(p.a_n + p.b_n);
     }},
    {"z and 1 - z are exchanged: z keeps the old state h, 1 - z admits the candidate n",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(1 - p.z(), p.n(), h);
     }},
    {"The reset gate is missing: r multiplies b_n in the candidate",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(p.z(), tanh(p.a_n + p.b_n), h);
     }},
    {"r multiplies the input as well: only b_n, the part that comes from the state, is multiplied by r",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(p.z(), tanh(p.r() * (p.a_n + p.b_n)), h);
     }},
    {"r multiplies a_n: it decides what is read from the state, so it multiplies b_n",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(p.z(), tanh(p.r() * p.a_n + p.b_n), h);
     }},
    {"r multiplies h itself, without W_h: the candidate is tanh(a_n + r b_n)",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(p.z(), tanh(p.a_n + p.r() * h), h);
     }},
    {"The parts of r and z are exchanged: the order is r, z, n",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(p.r(), tanh(p.a_n + p.z() * p.b_n), h);
     }},
    {"The candidate uses a sigmoid: it needs tanh, so that the state can be negative",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(p.z(), sigmoid(p.a_n + p.r() * p.b_n), h);
     }},
    {"The gates use tanh: they need a sigmoid, whose values lie between 0 and 1",
     [](V a, V b, V h) {
       Parts p(a, b);
       return mixed(tanh(p.a_z + p.b_z), tanh(p.a_n + tanh(p.a_r + p.b_r) * p.b_n), h);
     }},
    {"The old state is missing: add z h",
     [](V a, V b, V) {
       Parts p(a, b);
       return (1 - p.z()) * p.n();
     }},
};

void examine(app::Exercise& e, const decltype(&mine::gru_step)& gru_step) {
  for (int64_t N : {1, 5}) {
    Generator rng(static_cast<uint64_t>(N));
    nn::GRUCell cell({.input = 3, .hidden = N}, rng);
    nn::convert(cell, DType::f64);
    for (Variable* w : {&cell.weight_ih, &cell.weight_hh, &cell.bias_ih, &cell.bias_hh})
      w->set_value(nn::init::normal(w->shape(), rng, {}, DType::f64));
    Variable x(nn::init::normal({4, 3}, rng, {}, DType::f64));
    Variable h(nn::init::normal({4, N}, rng, {}, DType::f64), Variable::kRequiresGrad);
    Variable theirs = cell(x, h);
    Variable mine = gru_step(linear(x, cell.weight_ih, cell.bias_ih), linear(h, cell.weight_hh, cell.bias_hh), h);
    if (!e.check(fmt::format("h' with {} hidden units", N), mine.value(), theirs.value(), 1e-12)) continue;
    e.check(fmt::format("the gradient by h with {} hidden units", N), grad({sum(square(mine))}, {h})[0].value(),
            grad({sum(square(theirs))}, {h})[0].value(), 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 1, "One step of a GRU");
  e.hint("sigmoid(from_x[0] + from_h[0]) is r for the whole batch, [B, N].");
  e.hint("r multiplies from_h[2], which is the state after the product with W_h.");
  e.hint("Where z is 1 the state stays as it is; where z is 0 it becomes n.");
  e.insight(
      "Where z is near 1 the state is copied and its gradient is multiplied by z instead of a weight matrix:\n"
      "this is how a GRU remembers for many steps. r lets the candidate ignore the old state.",
      "./heed exercise 08 2");
  return e.run(argc, argv, mine::gru_step, examine, mistakes);
}
