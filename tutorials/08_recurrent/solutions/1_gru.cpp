// Exercise 08.1: one step of a GRU.
//
//   r = sigmoid(a_r + b_r)      z = sigmoid(a_z + b_z)      n = tanh(a_n + r b_n)      h' = (1 - z) n + z h
//
// a = W_i x + b_i and b = W_h h + b_h, [B, 3N] each, hold the parts of r, z and n side by side, in this order.
// Without gates it is a plain RNN that takes the third part of both. The checks compare values
// and gradients with nn::GRUCell.
#include <fmt/format.h>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/recurrent/gru.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Variable;

Variable gru_step(const Variable& a, const Variable& b, const Variable& h) {  // -> [B, N]
  int64_t N = h.size(1);
  auto from_x = split(a, {N, N, N}, 1), from_h = split(b, {N, N, N}, 1);  // r, z, n: [B, N] each
  // ---- the gap, filled ----
  Variable r = sigmoid(from_x[0] + from_h[0]);
  Variable z = sigmoid(from_x[1] + from_h[1]);
  Variable n = tanh(from_x[2] + r * from_h[2]);
  return (1 - z) * n + z * h;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("08", 1, "One step of a GRU");
  e.hint("r falls on b_n, after the product with W_h, and not on h before it.");
  e.hint("Where z is 1 the state stays as it is; where z is 0 it becomes n.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    for (int64_t N : {1, 5}) {
      Generator rng(static_cast<uint64_t>(N));
      nn::GRUCell cell({.input = 3, .hidden = N}, rng);
      nn::convert(cell, DType::f64);
      Variable x(nn::init::normal({4, 3}, rng, {}, DType::f64));
      Variable h(nn::init::normal({4, N}, rng, {}, DType::f64), Variable::kRequiresGrad);
      Variable theirs = cell(x, h);
      Variable mine = gru_step(linear(x, cell.weight_ih, cell.bias_ih), linear(h, cell.weight_hh, cell.bias_hh), h);
      if (!e.check("h'", mine.value(), theirs.value(), 1e-12)) continue;
      e.check("the gradient by h", grad({sum(square(mine))}, {h})[0].value(),
              grad({sum(square(theirs))}, {h})[0].value(), 1e-12);
    }
  });
}
