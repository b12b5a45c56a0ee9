// A cliff: one number goes 20 times through the same function, h <- tanh(w h + b), from h = 0.5, and must end at 0.
//
//   L(w, b) = h_20^2            dL/dw holds products of up to 20 factors w (1 - h^2)
//
// Where the factors are below 1, the loss is a plain; where they are above 1, it has a wall. (After Pascanu, Mikolov
// and Bengio, ICML 2013, figure 6: there with 50 steps of a sigmoid.)
#pragma once

#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/optim/clip.h"
#include "nn/optim/sgd.h"

namespace optimisers {

inline heed::Variable cliff_loss(const heed::Variable& w, const heed::Variable& b) {  // any shape
  heed::Variable h = heed::Tensor::full(w.shape(), 0.5, heed::DType::f64);
  for (int t = 0; t < 20; ++t) h = tanh(w * h + b);
  return square(h);
}

struct Fall {
  bool arrived = false;
  double largest_step = 0;           // length of the longest step
  std::vector<double> w, b, losses;  // before each update
};

inline Fall walk_cliff(double w0, double b0, double rate, double limit, std::int64_t updates) {  // limit 0: no clipping
  using namespace heed;
  Variable w(Tensor::full({}, w0, DType::f64), Variable::kRequiresGrad);
  Variable b(Tensor::full({}, b0, DType::f64), Variable::kRequiresGrad);
  nn::SGD sgd({{"w", w}, {"b", b}}, {.learning_rate = rate});
  Fall fall;
  for (std::int64_t update = 0; update <= updates; ++update) {
    Variable loss = cliff_loss(w, b);
    fall.w.push_back(w.value().item());
    fall.b.push_back(b.value().item());
    fall.losses.push_back(loss.value().item());
    fall.arrived = fall.losses.back() < 1e-4;
    if (fall.arrived || update == updates) break;
    sgd.zero_grad();
    backward(loss);
    if (limit > 0) nn::clip_grad_norm(sgd.parameters(), limit);
    sgd.step();
    double dw = w.value().item() - fall.w.back(), db = b.value().item() - fall.b.back();
    fall.largest_step = std::max(fall.largest_step, std::hypot(dw, db));
  }
  return fall;
}

}  // namespace optimisers
