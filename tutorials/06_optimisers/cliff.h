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
#include "tensor/elementwise.h"
#include "tutorials/common/show.h"

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

// Two panels of the report: the cliff from above with the path from one start, and the loss along this path.
inline void draw_fall(heed::report::Report& page, const Fall& clipped, const Fall& as_it_comes) {
  heed::report::ScatterPanel map{.title = "The cliff from above, and one start with and without clipping",
                                 .text =
                                     "The stronger the grey, the higher the loss; on the line it is 0.3. Points "
                                     "outside of the picture are not drawn.",
                                 .x_label = "w",
                                 .y_label = "b",
                                 .points = {{.name = "clipped"}, {.name = "not clipped"}},
                                 .field_name = "loss / (loss + 0.3)",
                                 .of_classes = false,
                                 .x_low = 0,
                                 .x_high = 3,
                                 .y_low = -1.2,
                                 .y_high = 0.8};
  heed::Tensor w = heed::Tensor::zeros({80, 120}, heed::DType::f64),
               b = heed::Tensor::zeros({80, 120}, heed::DType::f64);
  for (std::int64_t i = 0; i < 80; ++i)
    for (std::int64_t j = 0; j < 120; ++j) {
      w.set({i, j}, 3 * (static_cast<double>(j) + 0.5) / 120);
      b.set({i, j}, 0.8 - 2 * (static_cast<double>(i) + 0.5) / 80);
    }
  heed::Tensor loss = cliff_loss(w, b).value();
  map.fields = {{"loss", heed::app::matrix_of(heed::div(loss, heed::add(loss, 0.3)))}};
  heed::report::CurvesPanel curves{
      .title = "The loss from that start, with and without clipping",
      .x_label = "step",
      .y_label = "loss",
      .series = {{.name = "clipped", .y = clipped.losses}, {.name = "not clipped", .y = as_it_comes.losses}},
      .log_y = true};
  for (std::size_t i = 0; i < 2; ++i) {
    const Fall& fall = i == 0 ? clipped : as_it_comes;
    for (std::size_t t = 0; t < fall.w.size(); ++t) {
      if (fall.w[t] < 0 || fall.w[t] > 3 || std::fabs(fall.b[t] + 0.2) > 1) continue;
      map.points[i].x.push_back(fall.w[t]);
      map.points[i].y.push_back(fall.b[t]);
    }
  }
  page.scatter(map);
  page.curves(curves);
}

}  // namespace optimisers
